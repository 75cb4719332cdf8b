"""The papers' conic programs, solved by a general-purpose solver through cvxpy.

They are references for small problems: exact, slow, and independent of everything
else here. The weights are read off the variables (SDP) or the multipliers (QCQP).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import require_host
from ..losses import FisherRatio, MajorizedSquare, Square
from ..losses.margin import BoxLoss
from ..problem import Array, Iterate, Problem
from .sets import conic, general


@dataclass(eq=False, repr=False)
class QCQP(BaseEstimator):
    """max_A g(A) − ½σ_Θ(s), s_j ≥ tr(AᵀK_jA): quadratic constraints in A.

    Ye et al. 2008: (13) for two classes, (34) for several, (43) and (46) with λ
    learned. θ_j is twice the multiplier of the j-th constraint.

    Parameters
    ----------
    backend : str
        A solver that cvxpy has: "CLARABEL", "SCS", "MOSEK", "ECOS", ...
    max_size : int
        The largest p·n² that is attempted.
    """

    backend: str = "CLARABEL"
    max_size: int = 2_000_000

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        require_host(problem.loss, "QCQP")
        cp = _cvxpy()
        gram, loss = problem.gram, problem.loss
        if not isinstance(loss, Square | FisherRatio | BoxLoss):
            other = isinstance(loss, MajorizedSquare)
            raise _no_form("QCQP", problem, "SDP()" if other else None)
        weights = conic(problem.weights, "QCQP")
        _check_size("QCQP", gram.p * gram.n**2, self.max_size, "p·n²")
        # Units of A and of the objective, without which the solver's tolerances
        # would be far from relative ones.
        first = problem.at(weights.start(gram.p))
        size, unit = np.max(np.abs(first.A)), abs(first.value)
        X = cp.Variable(first.A.shape)
        s = cp.Variable(gram.p)
        g, domain = loss.cvxpy_value(size * X)
        quadratics = [
            cp.sum_squares(size / np.sqrt(unit) * _root(gram[j]).T @ X) <= s[j]
            for j in range(gram.p)
        ]
        objective = cp.Maximize(g / unit - 0.5 * weights.cvxpy_support(s))
        _solve(cp.Problem(objective, quadratics + domain), self.backend, tol)
        theta = 2 * np.array([np.asarray(c.dual_value).item() for c in quadratics])
        point = problem.at(problem.weights.project(np.maximum(theta, 0)))
        # The solver keeps the domain to its own precision; the proof needs it exact.
        yield Iterate(point, loss.into_domain(size * X.value))


@dataclass(eq=False, repr=False)
class SDP(BaseEstimator):
    """Linear matrix inequalities in θ, such as, for the square loss,

        min ½tr T  subject to  [[λI + K(θ), H], [Hᵀ, T]] ⪰ 0,  θ ∈ Θ.

    Kim et al. 2006: (9), for `FisherRatio`. Ye et al. 2008: (8) for two classes and
    (29) for several, for `Square`; the approximation (32) for `MajorizedSquare`; on
    a stack `WithIdentity` these are (41) and (45).

    Parameters
    ----------
    backend : str
        A solver that cvxpy has and that takes semidefinite cones: "SCS", "CLARABEL",
        "CVXOPT", "MOSEK". Of the first two, which come with cvxpy, SCS is a first-order
        method and the faster by far: the programs are scaled so that it is precise.
    max_size : int
        The largest matrix inequality, in rows, that is attempted.
    """

    backend: str = "SCS"
    max_size: int = 250

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        require_host(problem.loss, "SDP")
        cp = _cvxpy()
        gram, loss = problem.gram, problem.loss
        weights = conic(problem.weights, "SDP")
        _check_size("SDP", gram.n, self.max_size, "n")
        theta = cp.Variable(gram.p)
        if isinstance(loss, FisherRatio):
            objective, inequalities = _kim(cp, problem, loss, theta)
        elif isinstance(loss, Square):
            objective, inequalities = _exact(cp, problem, loss, theta)
        elif isinstance(loss, MajorizedSquare):
            objective, inequalities = _approximate(cp, problem, loss, theta)
        else:
            other = isinstance(loss, BoxLoss)
            raise _no_form("SDP", problem, "QCQP()" if other else None)
        constraints = inequalities + weights.cvxpy_constraints(theta)
        _solve(cp.Problem(cp.Minimize(objective), constraints), self.backend, tol)
        solved = np.maximum(theta.value, 0)
        yield Iterate(problem.at(problem.weights.project(solved)))


def _no_form(solver: str, problem: Problem, other: str | None) -> TypeError:
    """The error for a loss that a program cannot hold, and that `other` can."""
    instead = f"{other}, or {general(problem.weights)}" if other else "SILP()"
    return TypeError(
        f"{solver} cannot write {type(problem.loss).__name__}; use {instead}"
    )


def _combined(problem: Problem, theta: Any, left: Array, right: Array) -> Any:
    """leftᵀK(θ)right, affine in θ."""
    terms = [
        theta[j] * (left.T @ problem.gram[j] @ right) for j in range(problem.gram.p)
    ]
    return sum(terms[1:], terms[0])


def _basis(loss: Square | MajorizedSquare) -> Array:
    """An orthonormal basis of the domain EᵀA = 0, so that M is definite on it."""
    n = len(loss.H)
    E = loss.constraint
    return np.linalg.qr(np.column_stack([E, np.eye(n)]))[0][:, E.shape[1] :]


def _exact(cp: Any, problem: Problem, loss: Square, theta: Any) -> tuple[Any, list]:
    # min ½Σt_j: [[λI + K(θ), h_j], [h_jᵀ, t_j]] ⪰ 0 for every column.
    M, H, unit = _scaled(problem, loss, theta)
    t = cp.Variable((loss.H.shape[1], 1))
    columns = [H[:, j : j + 1] for j in range(H.shape[1])]
    blocks = [
        cp.bmat([[M, h], [h.T, t[j : j + 1]]]) >> 0 for j, h in enumerate(columns)
    ]
    return cp.sum(t) / unit, blocks


def _approximate(
    cp: Any, problem: Problem, loss: MajorizedSquare, theta: Any
) -> tuple[Any, list]:
    # min ½Σt_j: [[λI + K(θ), H], [Hᵀ, diag(t)]] ⪰ 0.
    M, H, unit = _scaled(problem, loss, theta)
    t = cp.Variable(loss.H.shape[1])
    return cp.sum(t) / unit, [cp.bmat([[M, H], [H.T, cp.diag(t)]]) >> 0]


def _scaled(
    problem: Problem, loss: Square | MajorizedSquare, theta: Any
) -> tuple[Any, Array, float]:
    """M and H on the domain in units in which M is about the identity and t about 1.

    The last number is the value of Σt at the first weights: dividing by it changes
    the objective only.
    """
    B = _basis(loss)
    start = problem.weights.start(problem.gram.p)
    mean = start @ problem.gram.traces / len(B) + loss.lam
    M = (_combined(problem, theta, B, B) + loss.lam * np.eye(B.shape[1])) / mean
    H = B.T @ loss.H / np.sqrt(np.sum(loss.H**2) / loss.H.shape[1])
    first = B.T @ problem.gram.combine(start) @ B + loss.lam * np.eye(B.shape[1])
    return M, H, float(np.sum(H * np.linalg.solve(first / mean, H)))


def _kim(cp: Any, problem: Problem, loss: FisherRatio, theta: Any) -> tuple[Any, list]:
    # min ½(t − aᵀK(θ)a): [[λI + JKJ, JKa], [aᵀKJ, t]] ⪰ 0. FDR = (aᵀKa − t)/λ, so
    # this is F = −(λ/2)FDR; (9) minimises −FDR.
    E, a = loss.constraint, loss.means
    J = (np.eye(len(a)) - (E / E.sum(axis=0)) @ E.T) / np.sqrt(loss.class_sizes)[
        :, None
    ]
    M = _combined(problem, theta, J, J) + loss.lam * np.eye(len(a))
    b = _combined(problem, theta, J, a)
    t = cp.Variable((1, 1))
    objective = 0.5 * (t[0, 0] - _combined(problem, theta, a, a)[0, 0])
    return objective, [cp.bmat([[M, b], [b.T, t]]) >> 0]


def _root(K: Array) -> Array:
    """C with CCᵀ = K, as narrow as the rank of K."""
    values, vectors = np.linalg.eigh(K)
    keep = values > len(K) * np.finfo(float).eps * max(values[-1], 0)
    return vectors[:, keep] * np.sqrt(values[keep])


def _solve(program: Any, backend: str, tol: float) -> None:
    cp = _cvxpy()
    name = backend.upper()
    if name not in cp.installed_solvers():
        raise ValueError(
            f"the conic solver {name!r} is not installed; cvxpy has "
            f"{', '.join(cp.installed_solvers())}"
        )
    # What each solver calls its tolerances, a hundredth of the gap that is wanted.
    goal = max(tol * 1e-2, 1e-11)
    options: dict[str, dict[str, Any]] = {
        "CLARABEL": {"tol_gap_rel": goal, "tol_gap_abs": goal, "tol_feas": goal},
        "SCS": {"eps_rel": goal, "eps_abs": goal, "max_iters": 100_000},
        "CVXOPT": {"reltol": goal, "abstol": goal, "feastol": goal},
    }
    with warnings.catch_warnings():
        # How precise the answer is, the duality gap will tell.
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        try:
            program.solve(solver=name, **options.get(name, {}))
        except cp.error.SolverError as error:
            raise RuntimeError(
                f"the conic solver {name} failed; try another backend, or Newton(), "
                "which solves the same problem"
            ) from error
    if program.status not in ("optimal", "optimal_inaccurate"):
        raise RuntimeError(
            f"the conic solver {name} ended with status {program.status!r}; try "
            "another backend, or Newton(), which solves the same problem"
        )


def _check_size(what: str, size: float, limit: float, unit: str) -> None:
    if size > limit:
        raise ValueError(
            f"{what} is a reference for small problems: {unit} = {size:,} is over its "
            f"max_size of {limit:,}. Use Newton(), which solves the same problem, or "
            "raise max_size and wait"
        )


def _cvxpy() -> Any:
    try:
        import cvxpy
    except ImportError as error:
        raise ImportError(
            "the conic formulations need cvxpy: pip install 'kernelweave[conic]'"
        ) from error
    return cvxpy
