"""Support vector classification with several kernels."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from ..arrays import namespace
from ..fitted import features
from ..fitted.grams import GramData
from ..fitted.hinge_rows import HingeData
from ..frames import is_dask
from ..inputs.rows import as_rows
from ..losses import Hinge, SquaredHinge
from ..problem import Array
from ..solution import uninterrupted
from ..streamed.blockwise import by_blocks
from ..streamed.chunks import ArrayChunks
from ..streamed.sample import RowSample
from ..streamed.targets import Signs
from ..targets import class_numbers, require_classes
from .base import KernelEstimator
from .class_scores import labelled, sign_targets
from .fitting import all_or_nothing
from .hinge_streaming import (
    HingePasses,
    fit_hinge_rows,
    hinge_data,
    hinge_sums_fit,
)
from .learning import learn, require_simplex
from .machine import keep_support, learn_machine
from .streaming import fit_dask, sums_instead
from .weighing import keep_sample_weights, sample_weights, weighed_classes


class MKLSVC(ClassifierMixin, KernelEstimator):
    """Support vector classification that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + C Σ_i (1 − y_i(f(x_i) + b))₊,

    or with the square of the hinge, times ½. Several classes: one against the rest,
    the sum over the classes, with one set of weights. With one kernel and
    `normalize=None` it is scikit-learn's SVC. The answer comes with a proof of how
    near it is to the optimum.

    Parameters
    ----------
    kernels : list of kernels, "precomputed" or None
        As in `MKLDiscriminantAnalysis`.
    weights : weight set, default Simplex()
        `Simplex()` selects few kernels, `ElasticNet(v)` keeps groups of similar ones
        together (Yang et al. 2011), `LpBall(p)` keeps all.
    C : float or "learn"
        Penalty of errors; inf, for the hinge, allows none. "learn" learns it with the
        weights (SM2_C of Ye et al. 2008), for the squared hinge.
    loss : {"hinge", "squared_hinge"}
    multiclass : {"shared", "per_class"}
        Whether the classes share one set of weights (one convex problem), or each has
        its own.
    class_weight : dict, "balanced" or None
        Multiplies C, by the class of the sample; "balanced" gives all classes the same
        sum of weights.
    solver : solver, optional
        By default what `kernelweave.solvers.default.default_solver` chooses.
    normalize : {"variance", "trace", "spherical", None}
        Scale of the kernels: implied variance one, trace one, k(x, x) = 1, or as they
        are. By training statistics.
    center : bool
        With the intercept it changes nothing but the trace that `normalize="trace"`
        divides by.
    tol : float
        Relative duality gap.
    max_iter : int
    verbose : int
        1 prints a line an iteration.

    Attributes
    ----------
    weights_ : ndarray (p,), or (n_classes, p) if `multiclass="per_class"`
    kernel_names_ : ndarray of str (p,)
    solution_ : Solution, or a tuple of them, one a class
        `solution_.certificate.relative_gap`, `.status`, `.trace`.
    C_ : float or ndarray (n_classes,)
        The penalty used, or learned.
    classes_ : ndarray
    support_ : ndarray of int (n_SV,)
        Rows of the support vectors, sorted by class.
    support_vectors_ : ndarray or sparse (n_SV, d)
        Empty if `kernels="precomputed"`.
    n_support_ : ndarray of int (n_classes,)
    dual_coef_ : ndarray (1, n_SV) for two classes, else (n_classes, n_SV)
    intercept_ : ndarray (1,) or (n_classes,)
    coef_ : ndarray (D, 1) or (D, n_classes)
        In the place of support vectors, with `loss="squared_hinge"` and kernels that
        have features, if 2D < n, D their number. The certificate then holds for the
        kernels Z_jZ_jᵀ, Z_j the features, and `solution_.A` is (ΣY∘A, √(Σa²/C)) only.
    approximation_error_ : ndarray (p,)
        ‖K_j − Z_jZ_jᵀ‖_F/‖K_j‖_F on sampled rows, where there is a `coef_`.
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    Probabilities: `sklearn.calibration.CalibratedClassifierCV(MKLSVC())`. Kernel
    widths and scales come from the rows, whatever they weigh.

    References
    ----------
    Yang, Xu, Ye, King and Lyu (2011), Efficient sparse generalized multiple kernel
    learning, IEEE Trans. Neural Netw. 22. Rakotomamonjy, Bach, Canu and Grandvalet
    (2008), SimpleMKL, JMLR 9.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelweave import MKLSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MKLSVC().fit(scale(X), y)
    >>> model.solution_.certificate.relative_gap < 1e-4
    True
    >>> bool(len(model.support_) < 0.4 * len(X))
    True
    """

    _anywhere = True
    _balanced = True
    _classes = True
    _softer = "decrease C"
    _streaming = HingePasses()

    support_: Array

    def __init__(
        self,
        kernels=None,
        weights=None,
        C: float | Literal["learn"] = 1.0,
        loss="hinge",
        multiclass="shared",
        class_weight=None,
        solver=None,
        normalize: str | None = "variance",
        center=False,
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.C = C
        self.loss = loss
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the support vectors.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`. Also a Dask array or DataFrame,
            with `loss="squared_hinge"`, if the kernels have features (`Nystroem`,
            `RandomFourier`, `Linear`): every step then reads all rows once. With that
            loss also an array of PyTorch or CuPy, which is learned from where it is.
        y : array-like (n,)
            Class labels, of any type; of Dask's, if X is.
        sample_weight : array-like (n,), optional
            Multiplies C.
        """
        if is_dask(X, y):
            if sample_weight is not None:
                raise ValueError(
                    "sample_weight goes with arrays in memory: with Dask's use "
                    "class_weight"
                )
            return fit_dask(self, X, y)
        return self._fit_data(*self._begin(X, y, sample_weight))

    def _begin(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[GramData | HingeData, Array, Array]:
        """The training rows, the class numbers, and what multiplies C."""
        rows = as_rows(self, X, y, classes=True, anywhere=self._anywhere)
        self.classes_, labels = class_numbers(rows.y, "a classifier")
        weight = np.ones(rows.n)
        if sample_weight is not None:
            weight = sample_weights(sample_weight, rows.X, rows.n)
            keep_sample_weights(self, weight)
        if self.class_weight is not None:
            weight = weighed_classes(weight, rows.y, self.class_weight)
        seen = np.bincount(labels, weight, minlength=len(self.classes_)) > 0
        if np.sum(seen) < 2:
            raise ValueError(
                "Invalid input - all samples with positive weights belong to the same "
                "class: by sample_weight and class_weight, a classifier needs at least "
                "two classes"
            )
        sums = rows.n > features.MANY and sums_instead(self, rows)
        if sums and hinge_sums_fit(self, rows.X.shape[1]):
            chunks = ArrayChunks(rows.X, rows.y)
            names = getattr(rows.table, "columns", None)
            return hinge_data(self, chunks, names, rows.reader), labels, weight
        return self._represent(rows), labels, weight

    def _fit_data(self, data: GramData | HingeData, labels: Array, weight: Array):
        k = len(self.classes_)
        if isinstance(data, HingeData):
            return fit_hinge_rows(self, data, np.ones(k), weight)
        Y = sign_targets(labels, k)
        if self.multiclass == "shared" or k == 2:
            A, bias = self._machine(data, Y, weight)
            W = np.tile(self.weights_, (Y.shape[1], 1))
        else:
            A, bias, W = self._machines(data, Y, weight)
        keep_support(self, data, A, bias, W, np.argsort(labels, kind="stable"))
        self.n_support_ = np.bincount(labels[self.support_], minlength=k)
        return self

    def _machine(self, data: GramData, Y: Array, weight: Array) -> tuple[Array, Array]:
        """Weights for the columns of Y together; A (n, k) and the bias (k,)."""
        if isinstance(self.C, str):
            if self.loss != "squared_hinge":
                raise ValueError(
                    f"C='learn' is for a squared loss, got loss={self.loss!r}: with "
                    "it 1/C is the weight of the identity among the kernels"
                )
            require_simplex("C", self.weights)
            if np.any(weight != 1):
                raise ValueError("C='learn' takes no sample_weight or class_weight")
            solution, ridge = learn(self, data, SquaredHinge(Y, np.inf), identity=True)
            self.C_ = 1 / ridge if ridge > 0 else np.inf
        else:
            make = Hinge if self.loss == "hinge" else SquaredHinge
            self.C_ = float(self.C)
            loss = partial(make, Y)
            solution = learn_machine(self, self.C_, data, weight, loss)
        return solution.A, solution.bias

    def _machines(
        self, data: GramData, Y: Array, weight: Array
    ) -> tuple[Array, Array, Array]:
        """Weights for every column of Y alone."""
        parts = []
        for c in range(Y.shape[1]):
            A, bias = self._machine(data, Y[:, c : c + 1], weight)
            uninterrupted(self.solution_)
            parts.append((A, bias, self.weights_, self.solution_, self.C_))
        A, bias, W, solutions, Cs = zip(*parts, strict=True)
        self.weights_, self.solution_, self.C_ = np.array(W), solutions, np.array(Cs)
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        xp = namespace(*A)
        return xp.concat(A, axis=1), xp.concat(bias), self.weights_

    def _sums_do(self) -> bool:
        """Whether the parameters ask for the squared hinge, with a given C.

        A solver that was asked for is one of Gram matrices.
        """
        squared = self.loss == "squared_hinge" and not isinstance(self.C, str)
        return squared and bool(np.isfinite(self.C)) and self.solver is None

    def _sum_targets(self, sample: RowSample) -> Signs:
        require_classes(sample.classes, "a classifier")
        self.classes_ = sample.classes
        return Signs(sample.classes)

    @by_blocks
    def decision_function(self, X: Any) -> Array:
        """Two classes: positive for `classes_[1]`, (m,). More: scores (m, k)."""
        f = self._scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    @by_blocks
    def predict(self, X: Any) -> Array:
        """The class with the largest score."""
        f = self._scores(X)
        return labelled(self.classes_, f)
