"""The papers' methods, and other outcomes, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from .estimators import (
    MKLSVC,
    MKLCoxRegression,
    MKLDiscriminantAnalysis,
    MKLHuberRegressor,
    MKLLogisticRegression,
    MKLPoissonRegressor,
    MKLQuantileRegressor,
)
from .losses import (
    Cox,
    FisherRatio,
    Hinge,
    Huber,
    Logistic,
    MajorizedSquare,
    Poisson,
    Quantile,
    Square,
    SquaredHinge,
)
from .problem import Solver, WeightSet
from .solvers import (
    QCQP,
    SDP,
    SILP,
    SMO,
    Alternating,
    DualLBFGS,
    Interleaved,
    Level,
    Newton,
    Primal,
    ReducedGradient,
)
from .weights import ElasticNet, LpBall, LpPenalty, Simplex

# Losses with an estimator of their own. That of more than two classes is Multinomial.
_OUTCOMES: dict[type, type] = {
    Logistic: MKLLogisticRegression,
    Cox: MKLCoxRegression,
    Poisson: MKLPoissonRegressor,
    Huber: MKLHuberRegressor,
    Quantile: MKLQuantileRegressor,
}

# Those that the estimators have a word for.
_LOSSES = (Square, FisherRatio, MajorizedSquare, Hinge, SquaredHinge, *_OUTCOMES)


@dataclass(frozen=True)
class Method:
    """A loss, a set of weights and a solver, as a paper put them together.

    Attributes
    ----------
    loss : type
        `Square`, `FisherRatio`, `MajorizedSquare`, `Hinge`, `SquaredHinge`, `Logistic`,
        `Cox`, `Poisson`, `Huber` or `Quantile`.
    weights : WeightSet
    solver : Solver
    learn_lambda : bool
        Whether λ, or 1/C, is learned with the weights.
    reference : str
        Paper and equations: two classes / several.
    alpha : float
        The paper's λ, for kernels of its scale.
    C : float
        The same of a support vector machine, or of logistic regression.
    normalize : str or None
        The scale of the paper's kernels, as in `MKLDiscriminantAnalysis`.
    max_iter : int
        How long the solver may take.

    Examples
    --------
    `METHODS` is a dict of them, by name:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelweave import METHODS
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> METHODS["ye2008-silp"].reference
    'Ye et al. 2008, (16) / (37)'
    >>> model = METHODS["ye2008-silp"].estimator().fit(scale(X[:100]), y[:100])
    >>> model.solution_.status.name
    'OPTIMAL'
    """

    loss: type
    weights: WeightSet
    solver: Solver
    reference: str
    learn_lambda: bool = False
    alpha: float = 5e-4
    C: float = 1.0
    normalize: str | None = "trace"
    max_iter: int = 200

    def __post_init__(self) -> None:
        if self.loss not in _LOSSES:
            names = ", ".join(loss.__name__ for loss in _LOSSES)
            raise ValueError(
                f"a Method runs with the losses {names}, got {self.loss!r}; solve "
                "others with kernelweave.solve(Problem(gram, loss, weights))"
            )

    @property
    def is_svm(self) -> bool:
        return self.loss in (Hinge, SquaredHinge)

    @property
    def has_C(self) -> bool:
        """Whether errors are weighed by C, in the place of a norm by alpha."""
        return self.is_svm or self.loss is Logistic

    def estimator(self, kernels: Any = None, **parameters: Any) -> Any:
        """The estimator that runs this method as in the paper, on centred kernels.

        Parameters
        ----------
        kernels
            As in `MKLDiscriminantAnalysis`.
        **parameters
            Override what the paper set, such as alpha, C or tol.
        """
        settings: dict[str, Any] = {
            "kernels": kernels,
            "weights": clone(self.weights),
            "solver": clone(self.solver),
            "normalize": self.normalize,
        }
        if self.loss in _OUTCOMES:
            penalty = {"C": self.C} if self.has_C else {"alpha": self.alpha}
            settings |= penalty | {"max_iter": self.max_iter}
            return _OUTCOMES[self.loss](**(settings | parameters))
        if self.is_svm:
            settings |= {
                "C": "learn" if self.learn_lambda else self.C,
                "loss": "hinge" if self.loss is Hinge else "squared_hinge",
                "center": True,
                "max_iter": self.max_iter,
            }
            return MKLSVC(**(settings | parameters))
        settings |= {
            "alpha": "learn" if self.learn_lambda else self.alpha,
            "scatter": "within" if self.loss is FisherRatio else "total",
            "multiclass_sdp": (
                "approximate" if self.loss is MajorizedSquare else "exact"
            ),
        }
        return MKLDiscriminantAnalysis(**(settings | parameters))


_KIM, _YE, _YAN = "Kim et al. 2006", "Ye et al. 2008", "Yan et al. 2012"
_YANG, _HAO = "Yang et al. 2011", "Hao et al. 2012"


def _yan(solver: Solver, equations: str, weights: WeightSet | None = None) -> Method:
    # λ = 1 is that of the paper's §3.7; elsewhere it is chosen from 4⁻⁵..4⁴.
    reference = f"{_YAN}, {equations}"
    return Method(
        Square,
        LpBall(2.0) if weights is None else weights,
        solver,
        reference,
        alpha=1.0,
        normalize="spherical",
    )


def _yang(solver: Solver, weights: WeightSet, equations: str) -> Method:
    # C is tuned on every data set; with unit traces it is of the order of n.
    # The gap shrinks by τ = 0.99 a step of the level method.
    reference = f"{_YANG}, {equations}"
    return Method(Hinge, weights, solver, reference, C=100.0, max_iter=5000)


def _outcome(loss: type, reference: str, solver: Solver | None = None) -> Method:
    # Kernels of variance one, for which alpha and C mean what they do elsewhere.
    newton = Newton() if solver is None else solver
    return Method(loss, Simplex(), newton, reference, alpha=1.0, normalize="variance")


METHODS: dict[str, Method] = {
    "kim2006": Method(FisherRatio, Simplex(), Newton(), f"{_KIM}, (8), §6", alpha=1e-8),
    "kim2006-sdp": Method(FisherRatio, Simplex(), SDP(), f"{_KIM}, (9)", alpha=1e-8),
    "ye2008": Method(Square, Simplex(), Newton(), f"{_YE}, (11) / (33)"),
    "ye2008-sdp": Method(Square, Simplex(), SDP(), f"{_YE}, (8) / (29)"),
    "ye2008-qcqp": Method(Square, Simplex(), QCQP(), f"{_YE}, (13) / (34)"),
    "ye2008-silp": Method(Square, Simplex(), SILP(), f"{_YE}, (16) / (37)"),
    "ye2008-approximate": Method(
        MajorizedSquare, Simplex(), Newton(), f"{_YE}, (32) by k×k"
    ),
    "ye2008-sdp-approximate": Method(MajorizedSquare, Simplex(), SDP(), f"{_YE}, (32)"),
    "ye2008-lambda": Method(
        Square, Simplex(), Newton(), f"{_YE}, (40) / §4.2", learn_lambda=True
    ),
    "ye2008-sdp-lambda": Method(
        Square, Simplex(), SDP(), f"{_YE}, (41) / §4.2", learn_lambda=True
    ),
    "ye2008-qcqp-lambda": Method(
        Square, Simplex(), QCQP(), f"{_YE}, (43) / (46)", learn_lambda=True
    ),
    "ye2008-silp-lambda": Method(
        Square, Simplex(), SILP(), f"{_YE}, (44) / (47)", learn_lambda=True
    ),
    "ye2008-approximate-lambda": Method(
        MajorizedSquare,
        Simplex(),
        Newton(),
        f"{_YE}, (45) by k×k",
        learn_lambda=True,
    ),
    "ye2008-sdp-approximate-lambda": Method(
        MajorizedSquare, Simplex(), SDP(), f"{_YE}, (45)", learn_lambda=True
    ),
    "ye2008-sm1": Method(Hinge, Simplex(), Newton(), f"{_YE}, SM1"),
    "ye2008-sm2": Method(SquaredHinge, Simplex(), Newton(), f"{_YE}, SM2"),
    "ye2008-sm2-c": Method(
        SquaredHinge, Simplex(), Newton(), f"{_YE}, SM2_C", learn_lambda=True
    ),
    "yang2011": _yang(Newton(), ElasticNet(0.5), "(14)"),
    "yang2011-level": _yang(Level(), ElasticNet(0.5), "Algorithm 1"),
    "yang2011-l1": _yang(ReducedGradient(), Simplex(), "v = 1"),
    "yang2011-l2": _yang(Level(), LpBall(2.0), "v = 0"),
    "hao2012": Method(
        SquaredHinge, Simplex(), Primal(), f"{_HAO}, (9)", normalize=None
    ),
    "hao2012-lp": Method(
        SquaredHinge, LpBall(2.0), Primal(), f"{_HAO}, (5)", normalize=None
    ),
    "yan2012": _yan(Newton(), "(10) / (19)"),
    "yan2012-sip": _yan(SILP(), "(13) / (20)"),
    "yan2012-sip-expansion": _yan(SILP(expansion=True), "(11) / (12)"),
    "yan2012-alternating": _yan(Alternating(), "Kloft 2011"),
    "yan2012-interleaved": _yan(Interleaved(), "§2.3.1"),
    "yan2012-dual": _yan(DualLBFGS(), "(24), no β"),
    "yan2012-dual-smo": _yan(SMO(), "(24), no β"),
    "yan2012-tikhonov": _yan(DualLBFGS(), "(26)", LpPenalty(2.0, mu=1.0)),
    "yan2012-tikhonov-smo": _yan(SMO(), "(26)", LpPenalty(2.0, mu=1.0)),
    "logistic": _outcome(Logistic, "Suzuki and Tomioka 2011, likelihood"),
    "logistic-silp": _outcome(Logistic, "Suzuki and Tomioka 2011, cuts", SILP()),
    "cox": _outcome(Cox, "Cox 1972, Breslow"),
    "poisson": _outcome(Poisson, "Nelder and Wedderburn 1972, log link"),
    "huber": _outcome(Huber, "Huber 1964, δ = 1.35 s"),
    "quantile": _outcome(Quantile, "Koenker and Bassett 1978, median"),
}
