"""Kernels whose widths are to be learned, which few estimators do."""

from __future__ import annotations

from typing import Any


def has_widths_to_learn(kernel: Any) -> bool:
    """Whether a kernel says gamma="learn", or lengthscales="learn"."""
    said = getattr(kernel, "gamma", None), getattr(kernel, "lengthscales", None)
    return any(isinstance(one, str) and one == "learn" for one in said)


def refuse_widths(kernels: list[Any], learner: bool) -> None:
    """Raise a ValueError if nobody would learn the widths of a kernel.

    `learner`: whether the estimator learns widths; those inside of `Nystroem` are
    learned by none.
    """
    for kernel in kernels:
        inside = getattr(kernel, "kernel", None)
        if has_widths_to_learn(inside) or (not learner and has_widths_to_learn(kernel)):
            raise ValueError(
                f"kernel {kernel.label!r}: 'learn' is for MKLDiscriminantAnalysisCV "
                "and MKLRidgeCV, with Gram matrices and without norms, cv and scoring. "
                "Give gamma='median' or a number, lengthscales as numbers"
            )
