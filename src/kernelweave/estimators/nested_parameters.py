"""Parameters of the kernels in a list, as `kernels__0__gamma` of an estimator."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ..checks import shown

PREFIX = "kernels__"


def nested(kernels: Any) -> dict[str, Any]:
    """The kernels of a list and all their parameters, by their places.

    Examples
    --------
    >>> from kernelweave.kernels import RBF
    >>> nested([RBF(gamma=0.5)])["kernels__0__gamma"]
    0.5
    """
    found: dict[str, Any] = {}
    listed = list(kernels) if isinstance(kernels, list | tuple) else []
    for j, kernel in enumerate(listed):
        found[f"{PREFIX}{j}"] = kernel
        if hasattr(kernel, "get_params"):
            deep = kernel.get_params(deep=True)
            found |= {f"{PREFIX}{j}__{name}": value for name, value in deep.items()}
    return found


def set_nested(model: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Set the parameters of kernels; what is left for the estimator comes back.

    A new list of kernels among the parameters is set first.
    """
    mine = {n: v for n, v in params.items() if not n.startswith(PREFIX)}
    inner = {n: v for n, v in params.items() if n.startswith(PREFIX)}
    if not inner:
        return mine
    if "kernels" in mine:
        model.kernels = mine.pop("kernels")
    known = nested(model.kernels)
    groups: dict[int, dict[str, Any]] = defaultdict(dict)
    for name, value in inner.items():
        if name not in known:
            raise ValueError(_refusal(model, name))
        place, _, rest = name.removeprefix(PREFIX).partition("__")
        groups[int(place)][rest] = value
    for j, values in groups.items():
        if "" in values:
            kernels = list(model.kernels)
            kernels[j] = values.pop("")
            model.kernels = kernels
        model.kernels[j].set_params(**values)
    return mine


def _refusal(model: Any, name: str) -> str:
    """Why the model has no such parameter, and which it has."""
    refused = f"Invalid parameter {name!r} for {type(model).__name__}: "
    listed = model.kernels if isinstance(model.kernels, list | tuple) else []
    place = name.removeprefix(PREFIX).partition("__")[0]
    if not listed:
        return f"{refused}its kernels are no list, but {shown(model.kernels)}"
    if not (place.isdecimal() and int(place) < len(listed)):
        return f"{refused}its kernels are {PREFIX}0 to {PREFIX}{len(listed) - 1}"
    kernel = listed[int(place)]
    if not hasattr(kernel, "get_params"):
        return f"{refused}kernel {place} is {shown(kernel)}, which has no parameters"
    return (
        f"{refused}those of kernel {place}, {shown(kernel)}, are "
        f"{', '.join(sorted(kernel.get_params()))}"
    )
