"""Parameters that cannot be: errors that say what was given and what is allowed."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

# Sums of squares of such numbers, over many rows and divided by a small λ, are finite.
_LARGEST = 1e140


def positive(name: str, value: Any, word: str | None = None) -> None:
    """Refuse all but positive numbers, and the one word that is allowed.

    Examples
    --------
    >>> positive("alpha", 0.1)
    >>> positive("alpha", True, word="learn")
    Traceback (most recent call last):
    ValueError: alpha must be a positive number or 'learn', got True
    """
    if word is not None and isinstance(value, str) and value == word:
        return
    allowed = "a positive number" + (f" or {word!r}" if word else "")
    _number(name, value, allowed, lambda x: 0 < x < np.inf)


def penalty(name: str, value: Any, word: str | None = None) -> None:
    """Refuse all but positive numbers, ∞, and the one word that is allowed."""
    if not (_is_number(value) and float(value) == np.inf):
        positive(name, value, word)


def positive_each(name: str, value: Any) -> None:
    """Refuse all but positive numbers, one or several, and "learn"."""
    if np.ndim(value) == 1 and len(value):
        for j, one in enumerate(value):
            positive(f"{name}[{j}]", one)
    else:
        positive(name, value, word="learn")


def not_negative(name: str, value: Any) -> None:
    """Refuse all but zero and positive numbers."""
    allowed = "a number that is not negative"
    _number(name, value, allowed, lambda x: 0 <= x < np.inf)


def share(name: str, value: Any) -> None:
    """Refuse all but numbers of (0, 1]."""
    _number(name, value, "a number in (0, 1]", lambda x: 0 < x <= 1)


def between(name: str, value: Any) -> None:
    """Refuse all but numbers between 0 and 1, neither of them included."""
    _number(name, value, "a number between 0 and 1", lambda x: 0 < x < 1)


def count(name: str, value: Any, least: int = 1) -> None:
    """Refuse all but whole numbers, at least `least`; True is none."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or int(value) < least:
        raise ValueError(
            f"{name} must be a whole number, at least {least}, got {shown(value)}"
        )


def one_of(name: str, value: Any, choices: Sequence[str | None]) -> None:
    """Refuse what is none of the choices, words or None.

    Examples
    --------
    >>> one_of("loss", "square", ("hinge", "squared_hinge"))
    Traceback (most recent call last):
    ValueError: loss must be 'hinge' or 'squared_hinge', got 'square'
    """
    # An array is compared with no word: that would give an array.
    if (value is None or isinstance(value, str)) and value in choices:
        return
    *first, last = map(repr, choices)
    several = "one of " if len(first) > 1 else ""
    allowed = f"{several}{', '.join(first)} or {last}"
    raise ValueError(f"{name} must be {allowed}, got {shown(value)}")


def yes_or_no(name: str, value: Any) -> None:
    """Refuse all but True and False: a text such as "no" would be true."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {shown(value)}")


def instance(name: str, value: Any, method: str, allowed: str) -> None:
    """Refuse what has not the method, or is a class and no object."""
    if isinstance(value, type):
        raise ValueError(
            f"{name} must be {allowed}, got the class {value.__name__}: write "
            f"{value.__name__}(...)"
        )
    if not hasattr(value, method):
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")


def numbers(
    name: str, values: Any, least: float | None = None, most: float = np.inf
) -> list[float]:
    """The values of one side of a grid: positive, or between least and most."""
    if least is None:
        what = "positive numbers"
    elif most == np.inf:
        what = f"numbers of at least {least:g}"
    else:
        what = f"numbers from {least:g} to {most:g}"
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        values = [values]
    values = list(values)
    if not values:
        raise ValueError(f"{name} is empty: give at least one value")
    for value in values:
        real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        number = float(value) if real else np.nan
        inside = 0 < number < np.inf if least is None else least <= number <= most
        if not inside:
            raise ValueError(f"{name} must be {what}, got {shown(value)}")
    return [float(value) for value in values]


def finite_squares(name: str, values: Any) -> None:
    """Refuse numbers so large that sums of their squares overflow.

    Examples
    --------
    >>> finite_squares("y", np.array([1.0, -1e200]))
    Traceback (most recent call last):
    ValueError: y has numbers as large as 1e+200, whose squares overflow (the limit is \
1e+140): divide it by a constant, or check it for errors
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest > _LARGEST:
        raise ValueError(
            f"{name} has numbers as large as {largest:.2g}, whose squares overflow "
            f"(the limit is {_LARGEST:.0e}): divide it by a constant, or check it for "
            "errors"
        )


def weights_of_classes(name: str, value: Any) -> None:
    """Refuse all but None, "balanced" and a dict of numbers that are not negative."""
    if isinstance(value, Mapping):
        for label, weight in value.items():
            not_negative(f"{name}[{shown(label)}]", weight)
    elif value is not None and not (isinstance(value, str) and value == "balanced"):
        raise ValueError(
            f"{name} must be a dict, 'balanced' or None, got {shown(value)}"
        )


def shown(value: Any) -> str:
    """What was given, in a few words: no matrix is printed whole."""
    return reprlib.repr(value)


def _number(
    name: str, value: Any, allowed: str, inside: Callable[[float], bool]
) -> None:
    if not (_is_number(value) and inside(float(value))):
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
