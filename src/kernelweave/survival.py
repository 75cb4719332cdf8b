"""Times to an event: the target, Kaplan and Meier, Breslow, and concordance.

A time is that of the event, or, where the sample is censored (no event was seen), the
last time at which it was known to have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .problem import Array

EVENT_NAMES = ("event", "status", "dead", "death", "died", "censor", "cens", "e")


def survival_target(y: Any) -> tuple[Array, Array]:
    """Events (n,) of bool and times (n,) of a target of two fields.

    Parameters
    ----------
    y : structured array, or DataFrame of two columns
        As scikit-survival has it: one field of bool, or of zeros and ones, whether the
        event was seen, and one of numbers, the time. Fields named "event" and "time"
        are found by name, others by their type.

    Examples
    --------
    >>> import pandas as pd
    >>> y = pd.DataFrame({"time": [3, 5, 2], "event": [True, False, True]})
    >>> survival_target(y)
    (array([ True, False,  True]), array([3., 5., 2.]))
    """
    fields = _fields(y)
    event, time = _events(fields), _times(fields)
    if event == time or len(fields) != 2:
        raise ValueError(
            f"y has the columns {[*fields]}: a survival target has two, whether the "
            "event was seen (bool, or 0 and 1) and the time; name them 'event' and "
            "'time', or take them as y[['event', 'time']]"
        )
    return _checked(event, fields[event], time, fields[time])


def survival_array(event: Array, time: Array) -> Array:
    """The structured array of events and times, as scikit-survival has it.

    Examples
    --------
    >>> survival_array(np.array([True, False]), np.array([3.0, 5.0]))["time"]
    array([3., 5.])
    """
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def _fields(y: Any) -> dict[str, Array]:
    if isinstance(y, np.ndarray) and y.dtype.names:
        return {name: y[name] for name in y.dtype.names}
    columns = getattr(y, "columns", None)
    if columns is not None and hasattr(y, "__getitem__"):
        return {str(name): np.asarray(y[name]) for name in columns}
    raise ValueError(
        "a survival target says for every sample whether the event was seen, and when: "
        "pass a DataFrame with the columns 'event' and 'time', or a structured array "
        f"with these fields, not {type(y).__name__}"
    )


def _events(fields: dict[str, Array]) -> str:
    for name in fields:
        if name.lower() == "event":
            return name
    binary = [name for name, values in fields.items() if values.dtype.kind == "b"]
    if len(binary) != 1:
        found = [name for name in fields if name.lower() in EVENT_NAMES]
        binary = found if len(found) == 1 else binary
    return binary[0] if len(binary) == 1 else ""


def _times(fields: dict[str, Array]) -> str:
    for name in fields:
        if name.lower() == "time":
            return name
    event = _events(fields)
    rest = [name for name in fields if name != event]
    return rest[0] if len(rest) == 1 and event else ""


def _checked(
    event_name: str, event: Array, time_name: str, time: Array
) -> tuple[Array, Array]:
    missing = [
        name
        for name, values in ((event_name, event), (time_name, time))
        if any(value is None or value != value for value in values.ravel().tolist())
    ]
    if missing:
        raise ValueError(
            f"y is missing (NaN or None) in the column {missing[0]!r}: leave these "
            "rows out; a sample without an event is censored, event=False, at the "
            "last time it was seen"
        )
    if event.dtype.kind != "b":
        try:
            numbers = event.astype(float)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the column {event_name!r} must be True or False, or 1 and 0, got "
                f"{event.ravel()[0]!r}"
            ) from error
        if not np.all((numbers == 0) | (numbers == 1)):
            bad = numbers[(numbers != 0) & (numbers != 1)][0]
            raise ValueError(
                f"the column {event_name!r} must be True or False, or 1 and 0, got "
                f"{bad:g}: is it the time?"
            )
        event = numbers == 1
    time = _numbers(time, f"the times in {time_name!r}")
    if not np.all(np.isfinite(time)):
        raise ValueError(f"a time in the column {time_name!r} is infinite")
    if np.any(time < 0):
        row = int(np.argmax(time < 0))
        raise ValueError(
            f"the time of row {row} is negative ({time[row]:g}): times are measured "
            "from the beginning of the observation"
        )
    if not event.any():
        raise ValueError(
            "no event was observed: every sample is censored, so nothing can be "
            f"learned; is {event_name!r} the other way round?"
        )
    return event, time


def _numbers(times: Any, what: str) -> Array:
    """Times as numbers; durations and dates, whose unit is not said, are refused."""
    values = np.asarray(times)
    first = values.ravel()[:1].tolist()
    if values.dtype.kind in "mM":
        advice = "(times - start) / pandas.Timedelta(days=1)"
        if values.dtype.kind == "m":
            advice = "times / pandas.Timedelta(days=1)"
        raise ValueError(
            f"{what} are of type {values.dtype}, and must be numbers in a unit that "
            f"you choose, such as days from the beginning of the observation: {advice}"
        )
    try:
        return values.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{what} must be numbers, such as days, got {first[0]!r}"
        ) from error


def concordance_index(event: Any, time: Any, risk: Any) -> float:
    """The share of comparable pairs that the risk puts in order (Harrell et al. 1982).

    A pair is comparable if the sample of the earlier time had its event; of the same
    time, if one had the event and the other was censored. Equal risks count half.

    Parameters
    ----------
    event, time, risk : array-like (n,)
        The larger the risk, the earlier the event.

    Examples
    --------
    >>> concordance_index([True, True, False], [1, 2, 3], [0.9, 0.2, 0.5])
    0.6666666666666666
    """
    event, time = np.asarray(event, dtype=bool), np.asarray(time, dtype=float)
    risk = np.asarray(risk, dtype=float)
    if not (len(event) == len(time) == len(risk)):
        raise ValueError(
            f"event, time and risk must be of one length, got {len(event)}, "
            f"{len(time)} and {len(risk)}"
        )
    pairs = ordered = 0.0
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        pairs += np.count_nonzero(later)
        ordered += np.count_nonzero(risk[later] < risk[i])
        ordered += 0.5 * np.count_nonzero(risk[later] == risk[i])
    if pairs == 0:
        raise ValueError(
            "no two samples can be compared: every event comes after all other times"
        )
    return float(ordered / pairs)


@dataclass(frozen=True)
class Steps:
    """A function of time that is constant between its steps.

    `values[k]` from `times[k]` on, up to the next; before the first time it is `first`.
    """

    times: Array
    values: Array
    first: float

    def __call__(self, t: Any) -> Array:
        """The value at the times t."""
        at = np.searchsorted(self.times, np.asarray(t, dtype=float), side="right")
        return np.append(self.first, self.values)[at]


def kaplan_meier(event: Any, time: Any, weight: Any = None) -> Steps:
    """The share that has had no event: Π_{s ≤ t} (1 − d_s/n_s) (Kaplan, Meier 1958).

    Examples
    --------
    >>> kaplan_meier([True, False, True], [1, 2, 3])([0, 1, 2.5, 3]).round(3)
    array([1.   , 0.667, 0.667, 0.   ])
    """
    weight = np.ones(len(time)) if weight is None else np.asarray(weight, dtype=float)
    times, d, at_risk = _risk_sets(event, time, weight, weight)
    return Steps(times, np.cumprod(1 - d / at_risk), 1.0)


def breslow(event: Any, time: Any, risk: Any, weight: Any = None) -> Steps:
    """The cumulative hazard of a sample of risk zero: Σ_{s ≤ t} d_s/Σ exp(risk).

    The sum is over those at risk at s (Breslow 1972). A sample of risk u survives the
    time t with probability exp(−H(t)·exp(u)).

    Examples
    --------
    >>> breslow([True, False, True], [1, 2, 3], [0.0, 0.0, 0.0])([1, 3]).round(3)
    array([0.333, 1.333])
    """
    u = np.asarray(risk, dtype=float)
    # exp(u − top) cannot overflow; exp(−top) is put back as a factor.
    top = float(np.max(u))
    weight = np.ones(len(u)) if weight is None else np.asarray(weight, dtype=float)
    times, d, at_risk = _risk_sets(event, time, weight, weight * np.exp(u - top))
    jumps = d / np.maximum(at_risk, 1e-300)
    return Steps(times, np.cumsum(jumps) * np.exp(-top), 0.0)


def survival_function(baseline: Steps, risk: Any, times: Any) -> Array:
    """The probabilities (m, q) that samples of these risks survive these times.

    Examples
    --------
    >>> baseline = Steps(np.array([1.0, 2.0]), np.array([0.1, 0.5]), 0.0)
    >>> survival_function(baseline, [0.0, 1.0], [0, 1, 2]).round(3)
    array([[1.   , 0.905, 0.607],
           [1.   , 0.762, 0.257]])
    """
    times = np.atleast_1d(_numbers(times, "times"))
    if np.isnan(times).any():
        raise ValueError(
            f"times[{int(np.argmax(np.isnan(times)))}] is NaN: pass times at which "
            "survival is asked for"
        )
    hazard, u = baseline(times), np.asarray(risk, dtype=float)
    with np.errstate(over="ignore"):
        scaled = np.where(hazard > 0, hazard * np.exp(u[:, None]), 0.0)
    return np.exp(-scaled)


def _risk_sets(
    event: Any, time: Any, weight: Array, share: Array
) -> tuple[Array, Array, Array]:
    """The times of events, Σ weight of the events there, Σ share of those at risk."""
    event, time = np.asarray(event, dtype=bool), np.asarray(time, dtype=float)
    order = np.argsort(time, kind="stable")
    event, time, weight = event[order], time[order], weight[order]
    times = np.unique(time[event & (weight > 0)])
    first = np.searchsorted(time, times)
    last = np.searchsorted(time, times, side="right")
    dead = np.append(0.0, np.cumsum(np.where(event, weight, 0.0)))
    at_risk = np.cumsum(share[order][::-1])[::-1][first]
    return times, dead[last] - dead[first], at_risk
