"""A set of weights of one's own: no kernel has more than a share of all."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from sklearn.base import BaseEstimator


@dataclass(eq=False, repr=False)
class CappedSimplex(BaseEstimator):
    """Θ = {0 ≤ θ ≤ cap, Σθ = 1}, so that at least 1/cap kernels have a weight.

    These are the methods that are required. A dataclass on `BaseEstimator` can be
    cloned and searched: `weights__cap`.

    Parameters
    ----------
    cap : float
        From 1/p, equal weights, to 1, the simplex.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLRidge(weights=CappedSimplex(0.4)).fit(X[:150], y[:150])
    >>> model.solution_.converged, float(model.weights_.max().round(6))
    (True, 0.4)
    """

    cap: float = 0.5

    # Kernels that help may still have weight zero.
    interior = False

    def start(self, p):
        """A point with every weight positive."""
        if not 1 / p <= self.cap <= 1:
            raise ValueError(
                f"CappedSimplex(cap) needs a number from 1/{p}, as there are {p} "
                f"kernels, to 1, got {self.cap!r}"
            )
        return np.full(p, 1 / p)

    def restrict(self, keep):
        """The set for the kernels in a mask."""
        return self

    def maximiser(self, s):
        """As much as is allowed to the best kernel, then to the next."""
        self.start(len(s))
        before = self.cap * np.arange(len(s))
        theta = np.zeros(len(s))
        theta[np.argsort(-s)] = np.clip(1 - before, 0, self.cap)
        return theta

    def support(self, s):
        """σ(s) = max θᵀs."""
        return float(self.maximiser(s) @ s)

    def project(self, theta):
        """θ_j − ν, cut off at 0 and at cap, with the ν that makes the sum 1."""
        self.start(len(theta))

        def cut(nu):
            return np.clip(theta - nu, 0, self.cap)

        low, high = np.min(theta) - self.cap, np.max(theta)
        if len(theta) * self.cap <= 1 + 1e-12:
            return np.full(len(theta), 1 / len(theta))
        nu = brentq(lambda nu: np.sum(cut(nu)) - 1, low, high, xtol=1e-15)
        return cut(nu)
