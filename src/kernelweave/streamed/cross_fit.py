"""Predictions for the rows of a fold by the others, without a factorisation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..problem import Array

FOLDS = 5


def cross_fitted(
    product: Callable[[Array], Array],
    H: Array,
    lam: float,
    intercept: bool,
    centred: bool,
    groups: Array | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> Array:
    """f_i (n, k), with f fitted to the folds that row i is not in: i mod F.

    For each fold f, with Π_f the projection on A that are zero on its rows (and have
    1ᵀA = 0, if there is an intercept or K(θ)1 = 0),

        Π_f(λI + K)Π_f A_f = Π_fH,    f_i = (KA_f)_i + b_f,

    by conjugate gradients on all folds at once. The weights in K(θ) are those that all
    rows chose. Without an intercept b_f = 0, or, if K(θ)1 = 0, what centres the
    features on the rows outside the fold (see `grams.normalise.is_centred`).

    Parameters
    ----------
    product : callable
        A ↦ K(θ)A, for A (n, m).
    H : ndarray (n, k)
    lam : float
    intercept : bool
    centred : bool
        Whether K(θ)1 = 0.
    groups : ndarray of int (n,), optional
        Rows of group g are in the fold g mod F.
    tol : float
        The residual relative to Π_fH at which to stop; f is off by as much at most.
    max_iter : int
        Products at most.
    """
    n, k = H.shape
    border = intercept or centred
    fold = (np.arange(n) if groups is None else groups) % FOLDS
    # One column for every fold and target.
    kept = np.repeat(fold[:, None] != np.arange(FOLDS), k, axis=1).astype(float)
    sizes = kept.sum(axis=0)

    def project(X: Array) -> Array:
        X = kept * X
        return X - kept * (X.sum(axis=0) / sizes) if border else X

    targets = np.tile(H, (1, FOLDS))
    R = project(targets)
    A, KA, P = np.zeros_like(R), np.zeros_like(R), R
    rho = np.sum(R * R, axis=0)
    enough = tol**2 * rho
    for _ in range(max_iter):
        going = rho > enough
        if not going.any():
            break
        KP = product(P)
        MP = project(lam * P + KP)
        bend = np.sum(P * MP, axis=0)
        step = np.where(going, rho / np.where(going, bend, 1.0), 0.0)
        A, KA, R = A + step * P, KA + step * KP, R - step * MP
        last, rho = rho, np.sum(R * R, axis=0)
        P = R + np.where(going, rho / np.where(going, last, 1.0), 0.0) * P
    f = KA
    if border:
        rest = kept * (intercept * targets - KA - lam * A)
        f = f + rest.sum(axis=0) / sizes
    return f.reshape(n, FOLDS, k)[np.arange(n), fold]
