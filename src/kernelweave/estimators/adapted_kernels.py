"""Kernels whose parameters are learned from left-out samples, among the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..fitted.grams import GramData
from ..grams import DenseStack
from ..grams.stored import stored_stack
from ..kernels import AnisotropicLaplacian, AnisotropicRBF, Laplacian
from ..kernels.fitting import fit_kernels
from ..kernels.learned_widths import has_widths_to_learn
from ..problem import Array
from ..selection.descent import Descent
from ..selection.relevances import Laplacians
from ..selection.widths import LearnedWidths, learn_widths, worth_learning

# What the kernel of lengthscales is called.
LENGTHSCALES = "rbf, a lengthscale a column"

# What the names of kernels with relevances end in.
RELEVANCES = "a relevance a column"

# Relevances are learned for at most this many columns: each costs n² steps at a time.
MOST_COLUMNS = 100


def is_adaptable(model: Any, data: GramData) -> bool:
    """Whether kernels may change: stored, centred, of trace n; samples weigh alike."""
    scaled = model.center and model.normalize == "variance" and data.v is None
    return scaled and isinstance(data.stack, DenseStack) and data.kernels is not None


def laplacian_families(model: Any, data: GramData, keep: Array) -> list[Laplacians]:
    """Laplacians of automatic kernels that may get relevances, by their columns.

    Their places are those among the kernels in the mask `keep`.
    """
    if model.kernels is not None or not is_adaptable(model, data):
        return []
    found: dict[Any, list[int]] = {}
    for j, kernel in enumerate(data.kernels or []):
        whole = kernel.n_present_ == data.stack.n
        if keep[j] and whole and type(kernel) is Laplacian:
            found.setdefault(kernel.selection, []).append(j)
    place, families = np.cumsum(keep) - 1, []
    for members in found.values():
        kernels: list[Any] = [(data.kernels or [])[j] for j in members]
        rows = kernels[0].select(data.X)
        if isinstance(rows, np.ndarray) and rows.shape[1] > 1:
            gammas = np.array([kernel.gamma_ for kernel in kernels])
            families.append(Laplacians(rows, gammas, place[members]))
    columns = sum(family.rows.shape[1] for family in families)
    return families if columns <= MOST_COLUMNS else []


def with_relevances(
    data: GramData, keep: Array, families: list[Laplacians], u: Array
) -> GramData:
    """The data with Laplacians of learned relevances u behind the other kernels."""
    cuts = np.cumsum([family.rows.shape[1] for family in families])[:-1]
    made = []
    for family, part in zip(families, np.split(u, cuts), strict=True):
        for place, gamma in zip(family.places, family.gammas, strict=True):
            j = int(np.flatnonzero(keep)[place])
            kernel: Any = (data.kernels or [])[j]
            lengths = 1 / (gamma * np.exp(part))
            name = f"{kernel.label}, {RELEVANCES}"
            how = kernel.columns_, name, kernel.scale, kernel.missing
            made.append(AnisotropicLaplacian(lengths, *how))
    p = len(data.names)
    return with_kernels(data, list(range(p, p + len(made))), made)


def with_kernels(data: GramData, places: list[int], kernels: list[Any]) -> GramData:
    """The data with other kernels, not fitted yet, in some places, or at the end."""
    stack: Any = data.stack
    fitted = fit_kernels(kernels, data.X, data.X, True, learner=True)
    extra, statistics = stored_stack(fitted, data.X, "variance", True)
    p = max(stack.p, max(places) + 1)
    matrices = np.empty((p, data.stack.n, data.stack.n))
    matrices[: stack.p] = stack.matrices
    matrices[places] = extra.matrices
    names, every = data.names + [""] * (p - stack.p), list(data.kernels or [])
    every += fitted[:1] * (p - stack.p)
    known = list(data.statistics) + statistics[:1] * (p - stack.p)
    for place, kernel, statistic in zip(places, fitted, statistics, strict=True):
        names[place] = kernel.label
        every[place], known[place] = kernel, statistic
    alive = np.append(data.alive, np.ones(p - stack.p, dtype=bool))
    return replace(
        data,
        names=names,
        kernels=every,
        stack=DenseStack(matrices),
        statistics=known,
        alive=alive,
    )


def with_lengthscales(
    model: Any,
    data: GramData,
    keep: Array,
    H: Array,
    found: Descent,
) -> tuple[GramData, Array, Descent | LearnedWidths]:
    """The same with a kernel of lengthscales, if that is better beyond its noise."""
    X: Any = data.X
    plain = isinstance(X, np.ndarray) and is_adaptable(model, data)
    if not plain or not worth_learning(data.stack.n, X.shape[1]) or np.isnan(X).any():
        return data, keep, found
    stack: Any = data.stack
    kernel = AnisotropicRBF(scale=True, name=LENGTHSCALES).fit(X, centred=True)
    rows, gram = kernel.select(X), stack.subset(keep)
    better = learn_widths(gram, H, found.theta, found.lam, [kernel], [rows])
    if not better.accepted:
        return data, keep, found
    data = with_kernels(data, [stack.p], [kernel.learned(better.widths[0])])
    return data, np.append(keep, True), better


def with_learned_widths(
    model: Any,
    data: GramData,
    keep: Array,
    H: Array,
    found: Descent,
) -> tuple[GramData, Descent | LearnedWidths]:
    """The same with the widths that kernels ask for, if that is better."""
    kernels: list[Any] = list(data.kernels or [])
    asking = [j for j, kernel in enumerate(kernels) if has_widths_to_learn(kernel)]
    asking = [j for j in asking if keep[j]]
    if not asking:
        return data, found
    absent = any(kernels[j].n_present_ < data.stack.n for j in asking)
    if absent or not is_adaptable(model, data):
        raise ValueError(
            f"kernel {kernels[asking[0]].label!r}: widths are learned with center=True "
            "and normalize='variance', from samples of equal weight that all have the "
            "kernel's columns, and of matrices that fit into memory: give gamma or "
            "lengthscales as numbers, or leave them at the median"
        )
    stack: Any = data.stack
    adjustable = [kernels[j] for j in asking]
    better = learn_widths(
        stack.subset(keep),
        H,
        found.theta,
        found.lam,
        adjustable,
        [kernel.select(data.X) for kernel in adjustable],
        places=(np.cumsum(keep) - 1)[asking].tolist(),
    )
    # Learned widths are written into the kernels, which would say "learn" otherwise.
    made = [
        kernel.learned(widths)
        for kernel, widths in zip(adjustable, better.widths, strict=True)
    ]
    made = [
        kernel.set_params(columns=old.columns_, name=old.label)
        for kernel, old in zip(made, adjustable, strict=True)
    ]
    data = with_kernels(data, asking, made)
    return data, better if better.accepted else found
