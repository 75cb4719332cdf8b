"""Discriminant analysis with several kernels."""

from __future__ import annotations

from .projecting import Discriminant


class MKLDiscriminantAnalysis(Discriminant):
    """Discriminant analysis that learns how much each kernel is worth.

    Minimises over the weights θ, Σθ_j = 1,

        F(θ) = max_A ⟨A, H⟩ − ½⟨A, (αI + Σ_j θ_j K_j)A⟩

    with H the class coding: the kernel that separates the classes best, relative to
    the total scatter. Any number of classes, one set of weights. The answer comes
    with a proof of how near it is to the optimum.

    Parameters
    ----------
    kernels : list of kernels, "precomputed" or None
        Any mix of `kernelweave.kernels`, each on its columns. "precomputed": X holds
        Gram matrices, (p, n, n) in `fit` and (p, m, n) afterwards. None: RBF kernels
        of widths around the median distance, and a linear one.
    weights : weight set, default Simplex()
        The constraint on the weights.
    alpha : float or "learn"
        Regularisation, the papers' λ. "learn" learns it with the weights.
    scatter : {"total", "within"}
        "within" is the ratio of Kim et al. (2006), for two classes.
    solver : solver, optional
        By default what `kernelweave.solvers.default.default_solver` chooses.
    normalize : {"variance", "trace", "spherical", None}
        Scale of the kernels: implied variance one, trace one, k(x, x) = 1, or as
        they are. By training statistics.
    center : bool
        Centre the kernels in feature space, and fit an intercept.
    multiclass_sdp : {"exact", "approximate"}
        "approximate" is the restricted problem (32) of Ye et al. (2008).
    tol : float
        Relative duality gap.
    max_iter : int
    verbose : int
        1 prints a line an iteration.

    Attributes
    ----------
    weights_ : ndarray (p,)
    kernel_names_ : ndarray of str (p,)
    solution_ : Solution
        `solution_.certificate.relative_gap`, `.status`, `.trace`.
    alpha_ : float
        The regularisation used, or learned.
    dual_coef_ : ndarray (n, n_classes − 1)
        Not there if the kernels have features and 2D < n, D their number; then:
    coef_ : ndarray (D, n_classes − 1)
    approximation_error_ : ndarray (p,)
        ‖K_j − Z_jZ_jᵀ‖_F/‖K_j‖_F on sampled rows, Z_j the features. The certificate
        holds for the kernels Z_jZ_jᵀ, not for those that they approximate.
    intercept_ : ndarray (n_classes − 1,)
    classes_ : ndarray
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    Thresholds and probabilities come from leave-one-out projections of the training
    samples, not from the fitted ones: exact at the learned weights, but for the mean
    of the other targets, which would tell the class of the left-out sample the wrong
    way round and is taken out (`kernelweave.losses.quadratic.mean_shift`). Left-out
    samples tell how far apart the classes are, and the targets on which side: where few
    samples contradict the targets, the classes move together, never past each other.

    References
    ----------
    Ye, Ji and Chen (2008), Multi-class discriminant kernel learning via convex
    programming, JMLR 9. Kim, Magnani and Boyd (2006), Optimal kernel selection in
    kernel Fisher discriminant analysis, ICML.

    Examples
    --------
    Three kinds of measurement of the same wines, one kernel each:

    >>> from sklearn.datasets import load_wine
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_wine(as_frame=True, return_X_y=True)
    >>> X = (X - X.mean()) / X.std()
    >>> model = MKLDiscriminantAnalysis(
    ...     [
    ...         RBF(columns=slice("alcohol", "magnesium"), name="general"),
    ...         RBF(columns=slice("total_phenols", "proanthocyanins"), name="phenols"),
    ...         RBF(columns=["color_intensity", "hue"], name="colour"),
    ...     ]
    ... ).fit(X, y)
    >>> dict(zip(model.kernel_names_, model.weights_.round(2).tolist()))
    {'general': 0.42, 'phenols': 0.34, 'colour': 0.25}
    >>> model.solution_.certificate.relative_gap < 1e-6
    True
    """

    _anywhere = True

    def __init__(
        self,
        kernels=None,
        weights=None,
        alpha: float | str = 1.0,
        scatter="total",
        solver=None,
        normalize: str | None = "variance",
        center=True,
        multiclass_sdp="exact",
        tol=1e-6,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.alpha = alpha
        self.scatter = scatter
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.multiclass_sdp = multiclass_sdp
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
