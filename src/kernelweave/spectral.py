"""Spectral regression: the projections of kernel discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from .losses import Square, discriminant_targets
from .problem import Array


@dataclass(frozen=True)
class Projections:
    """Directions f(x) = Aᵀk(x) + bias, sorted by how well they separate the classes.

    Attributes
    ----------
    A : ndarray (n, k − 1)
        AᵀK(K + λI)A = I with K centred, as `scipy.linalg.eigh` scales them.
    bias : ndarray (k − 1,)
        Training samples project to zero on average.
    values : ndarray (k − 1,)
        μ, the share of the regularised scatter that is between classes, in [0, 1].
    """

    A: Array
    bias: Array
    values: Array


def spectral_regression(K: Array, labels: Array, lam: float) -> Projections:
    """Solve KWKa = μK(K + λI)a by one regression and a small eigenproblem.

    K is centred and W_ij = 1/n_c where i and j are both of class c, else 0, so that
    aᵀKWKa is the scatter between classes and aᵀKKa the total one. With T the class
    coding (n, k − 1), TᵀT = nI, and A = (K + λI)⁻¹T,

        KWKA = K(K + λI)A·R,    R = TᵀKA/n = I − λTᵀA/n:

    the span of A is that of the eigenvectors, for every λ, and R = VμVᵀ, of k − 1
    rows, finds them in it: a = AV. No (n, n) eigenproblem is left.

    Parameters
    ----------
    K : ndarray (n, n)
        K(θ), such as `gram.combine(solution.weights)`; it need not be centred.
    labels : ndarray of int (n,)
        Class numbers 0..k − 1, each of them present.
    lam : float
        λ > 0.

    References
    ----------
    Cai, He and Han (2007), Efficient kernel discriminant analysis via spectral
    regression, ICDM. Yan et al. (2012), §3, use it once the weights are learned.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> found = spectral_regression(x @ x.T, np.array([0, 0, 1, 1]), lam=1e-6)
    >>> found.values.round(3)
    array([0.941])
    """
    n, k = len(labels), int(np.max(labels)) + 1
    T = discriminant_targets(labels, k)
    inner = Square(T, lam, intercept=True).inner(K)
    TA = T.T @ inner.A
    values, V = eigh(np.eye(k - 1) - lam / n * (TA + TA.T) / 2)
    values, V = values[::-1], V[:, ::-1]
    # aᵀK(K + λI)a = VᵀAᵀKTV = nμ; a direction that separates nothing stays zero.
    unit = np.sqrt(n * np.maximum(values, np.finfo(float).eps))
    return Projections(inner.A @ V / unit, inner.bias @ V / unit, values)
