"""Parameters of the kernels in a list, as `kernels__0__gamma` of an estimator."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

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
            have = len(model.kernels) if isinstance(model.kernels, list | tuple) else 0
            raise ValueError(
                f"Invalid parameter {name!r} for {type(model).__name__}: it has "
                f"{have} kernels in a list, whose parameters begin with kernels__0__"
            )
        place, _, rest = name.removeprefix(PREFIX).partition("__")
        groups[int(place)][rest] = value
    for j, values in groups.items():
        if "" in values:
            kernels = list(model.kernels)
            kernels[j] = values.pop("")
            model.kernels = kernels
        model.kernels[j].set_params(**values)
    return mine
