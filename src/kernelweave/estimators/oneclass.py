"""Novelty detection with several kernels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from ..inputs.rows import as_rows
from ..kernels import rbf_grid
from ..losses import OneClass
from ..problem import Array
from ..streamed.blockwise import by_blocks
from .base import KernelEstimator
from .fitting import all_or_nothing
from .learning import learn
from .machine import keep_support
from .weighing import sample_weights


class MKLOneClassSVM(OutlierMixin, KernelEstimator):
    """A region that holds most samples, in a space whose kernels are weighed.

    Maximises over the weights θ ∈ Θ the distance between the origin and the samples,
    but for a share ν of them:

        min ½Σ_j‖f_j‖² + Σ_i (ρ − f(x_i))₊ − νnρ,    f = Σ_j √θ_j f_j;

    a row is inside if f(x) ≥ ρ. With one kernel and `normalize=None` it is
    scikit-learn's OneClassSVM. The answer comes with a proof of how near it is to the
    optimum.

    Parameters
    ----------
    kernels : list of kernels, "precomputed" or None
        As in `MKLDiscriminantAnalysis`; None are RBF kernels of five widths.
    weights : weight set, default Simplex()
        See the notes.
    nu : float
        At most this share of the samples is outside, in (0, 1].
    solver, tol, max_iter, verbose
        As in `MKLSVC`.
    normalize : {"spherical", "variance", "trace", None}
        Scale of the kernels; "spherical" puts all samples on the unit sphere.

    Attributes
    ----------
    offset_ : float
        ρ: `decision_function` is `score_samples` less the offset.
    weights_ : ndarray (p,)
    support_ : ndarray of int (n_SV,)
    support_vectors_ : ndarray or sparse (n_SV, d)
        Empty if `kernels="precomputed"`.
    n_support_ : ndarray of int (1,)
    dual_coef_ : ndarray (1, n_SV)
        They add up to νn.
    intercept_ : ndarray (1,)
        −ρ.
    kernel_names_, solution_, n_iter_, n_features_in_
        As in `MKLSVC`.

    Notes
    -----
    No label says which kernel is right: the weights go to kernels in which the samples
    are close together. Among widths of one kernel on the same columns that is the
    widest, so `Simplex()` is for kernels that can be compared, such as one width for
    every view. `LpBall(2)` keeps all kernels.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), Estimating the support
    of a high-dimensional distribution, Neural Comput. 13. Hao et al. (2012).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import MKLOneClassSVM
    >>> from kernelweave.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> views = [RBF(columns=[0, 1], name="a"), RBF(columns=[2, 3], name="b")]
    >>> model = MKLOneClassSVM(views, nu=0.1).fit(X)
    >>> model.predict([[0, 0, 0, 0], [9, 9, 9, 9]])
    array([ 1, -1])
    """

    center = False  # seen from the mean, no sample is far from the origin
    _softer = "increase nu"
    _family = staticmethod(rbf_grid)

    support_: Array
    intercept_: Array

    def __init__(
        self,
        kernels=None,
        weights=None,
        nu=0.5,
        solver=None,
        normalize: str | None = "spherical",
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.nu = nu
        self.solver = solver
        self.normalize = normalize
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the region.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`.
        y : ignored
        sample_weight : array-like (n,), optional
            What the samples weigh.
        """
        rows = as_rows(self, X)
        weight = sample_weights(sample_weight, rows.X, rows.n)
        data = self._represent(rows)
        loss = OneClass(weight, float(self.nu) * float(np.sum(weight)))
        solution, _ = learn(self, data, loss)
        # Samples on the boundary are inside, whatever rounding says.
        bias = solution.bias + 1e-9 * np.abs(solution.bias)
        order, W = np.arange(rows.n), self.weights_[None]
        keep_support(self, data, solution.A, bias, W, order)
        self.n_support_ = np.array([len(self.support_)])
        self.offset_ = -float(self.intercept_[0])
        return self

    @by_blocks
    def decision_function(self, X: Any) -> Array:
        """f(x) − ρ, positive inside, (m,)."""
        return self.score_samples(X) - self.offset_

    @by_blocks
    def score_samples(self, X: Any) -> Array:
        """f(x), (m,): the larger, the more ordinary."""
        return self._scores(X)[:, 0] - self.intercept_[0]

    @by_blocks
    def predict(self, X: Any) -> Array:
        """1 inside and −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
