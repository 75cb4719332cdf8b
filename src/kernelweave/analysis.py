"""What a set of kernels knows: about each other, and about the labels.

Everything here takes a Gram stack or an array (p, n, n). K̄ = PKP is a kernel centred
in feature space, P = I − 11ᵀ/n; T (n, k − 1) is the centred class coding of
`kernelweave.losses.discriminant_targets`, for two classes a multiple of centred ±1.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy.linalg import eigh

from .grams import DenseStack, GramStack
from .losses import discriminant_targets
from .problem import Array
from .targets import refuse_missing


def alignment(grams: GramStack | Array, *, center: bool = True) -> Array:
    """A_ij = ⟨K̄_i, K̄_j⟩ / (‖K̄_i‖‖K̄_j‖) in Frobenius' inner product.

    Between 0 and 1 for positive semidefinite kernels; 1 for kernels that are equal up
    to a factor. It knows nothing of the labels (Yan et al. 2012, Figure 5).

    Parameters
    ----------
    grams : GramStack or ndarray (p, n, n)
    center : bool
        False takes the kernels as they are, as in Figure 5 (a). The constant that
        kernels have in common then makes all of them look alike.

    Returns
    -------
    ndarray (p, p)
        A kernel that is constant (zero after centring) gets a row of zeros.

    References
    ----------
    Cortes, Mohri and Rostamizadeh (2012), Algorithms for learning kernels based on
    centered alignment, JMLR 13, definition 4.

    Examples
    --------
    >>> x = np.array([-1.0, 0.0, 1.0])
    >>> alignment(np.stack([np.outer(x, x), 5 * np.outer(x, x) + 7])).round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    stack = _stack(grams)
    products = np.empty((stack.p, stack.p))
    raw = np.empty(stack.p)
    for i in range(stack.p):
        K = stack[i]
        raw[i] = np.linalg.norm(K)
        K = _centred(K) if center else K
        # ⟨PK_iP, PK_jP⟩ = ⟨PK_iP, K_j⟩: one of the two is enough.
        for j in range(i, stack.p):
            products[i, j] = products[j, i] = np.vdot(K, stack[j])
    norms = _norms(np.diag(products), raw)
    return products / norms / norms[:, None]


def target_alignment(grams: GramStack | Array, y: Any) -> Array:
    """a_j = ⟨K̄_j, TTᵀ⟩ / (‖K̄_j‖‖TTᵀ‖): centred alignment with the labels.

    ⟨K̄_j, TTᵀ⟩ = s_j(T), and ‖TTᵀ‖ = n√(k − 1). For two classes of equal size this is
    the alignment with yyᵀ, y = ±1, of Cortes et al. 2012.

    Parameters
    ----------
    grams : GramStack or ndarray (p, n, n)
    y : array-like (n,)
        Class labels.

    Returns
    -------
    ndarray (p,)
    """
    stack = _stack(grams)
    T = _targets(y, stack.n)
    squares, raw = np.empty(stack.p), np.empty(stack.p)
    for j in range(stack.p):
        K = stack[j]
        squares[j], raw[j] = np.sum(_centred(K) ** 2), np.linalg.norm(K)
    norms = _norms(squares, raw)
    return stack.quadratic(T) / (norms * stack.n * np.sqrt(T.shape[1]))


def label_share(grams: GramStack | Array, y: Any) -> Array:
    """c_j(d) = Σ_{i≤d} ‖u_iᵀT‖² / ‖T‖², u_1, u_2, ... the eigenvectors of K̄_j.

    The share of the labels' variance in the d leading directions of a kernel, the
    eigenvalues falling. A kernel that fits the task has it in few of them. Directions
    whose eigenvalue is zero (to rounding) add nothing, so the last value is what the
    kernel can represent at all.

    Parameters
    ----------
    grams : GramStack or ndarray (p, n, n)
    y : array-like (n,)
        Class labels.

    Returns
    -------
    ndarray (p, n)
        Row j holds c_j(1), ..., c_j(n).

    References
    ----------
    Braun, Buhmann and Müller (2008), On relevant dimensions in kernel feature spaces,
    JMLR 9, which Yan et al. (2012, §3.3) name as the better measure of sparsity.
    """
    stack = _stack(grams)
    T = _targets(y, stack.n)
    shares = np.empty((stack.p, stack.n))
    for j in range(stack.p):
        U = _directions(stack[j])
        shares[j] = np.cumsum(np.sum((U.T @ T) ** 2, axis=1)) / np.sum(T * T)
    return shares


def label_correlation(
    grams: GramStack | Array, y: Any, n_directions: int = 10
) -> Array:
    """R_ij = ⟨Π_iT, Π_jT⟩ / (‖Π_iT‖‖Π_jT‖), Π_j = Σ_{i≤d} u_iu_iᵀ.

    Π_jT is what the d leading directions of K̄_j say about the labels. Unlike the
    alignment, which sees all of a kernel, R is near 1 for two kernels that know the
    same of the labels, however different they are otherwise.

    Parameters
    ----------
    grams : GramStack or ndarray (p, n, n)
    y : array-like (n,)
        Class labels.
    n_directions : int
        d.

    Returns
    -------
    ndarray (p, p)
        A kernel that is constant gets a row of zeros.
    """
    stack = _stack(grams)
    if not 1 <= n_directions <= stack.n:
        raise ValueError(
            f"n_directions must be from 1 to the {stack.n} samples, got "
            f"{n_directions!r}"
        )
    T = _targets(y, stack.n)
    known = np.empty((stack.p, T.size))
    for j in range(stack.p):
        U = _directions(stack[j])[:, :n_directions]
        known[j] = (U @ (U.T @ T)).ravel()
    norms = np.linalg.norm(known, axis=1)
    known /= np.where(norms > 0, norms, 1.0)[:, None]
    return known @ known.T


def effective_kernels(weights: Any) -> float:
    """(Σθ_j)² / Σθ_j², the number of equal weights that are as spread out as these.

    1 if one kernel has all the weight, p if all have the same.

    Examples
    --------
    >>> effective_kernels([0.5, 0.5, 0.0])
    2.0
    """
    theta = np.asarray(weights, dtype=float)
    if theta.ndim != 1 or not np.any(theta > 0) or np.any(theta < 0):
        raise ValueError(
            "weights must be numbers that are not negative, one of them positive; got "
            f"{weights!r}"
        )
    theta = theta / theta.max()
    return float(theta.sum() ** 2 / np.sum(theta**2))


def _stack(grams: GramStack | Array) -> GramStack:
    if hasattr(grams, "quadratic"):
        return cast(GramStack, grams)
    return DenseStack(np.asarray(grams))


def _targets(y: Any, n: int) -> Array:
    refuse_missing(y)
    classes, labels = np.unique(np.asarray(y), return_inverse=True)
    if labels.shape != (n,):
        raise ValueError(
            f"y must hold one label for each of the {n} samples, got shape "
            f"{np.shape(y)}"
        )
    if len(classes) < 2:
        raise ValueError("y has one class only: there is nothing to align with")
    return discriminant_targets(labels, len(classes))


def _centred(K: Array) -> Array:
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


def _norms(squares: Array, raw: Array) -> Array:
    """‖K̄_j‖, infinite where it is rounding: a quotient by it is then zero."""
    norms = np.sqrt(np.maximum(squares, 0))
    return np.where(norms > 1e-10 * raw, norms, np.inf)


def _directions(K: Array) -> Array:
    """Eigenvectors of K̄, the eigenvalues falling; zero where those are rounding."""
    values, U = eigh(_centred(K))
    rounding = len(K) * np.finfo(float).eps * np.linalg.norm(K)
    return np.where(values > rounding, U, 0.0)[:, ::-1]
