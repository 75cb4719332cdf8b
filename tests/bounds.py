"""Independent certificates of solutions that are bounded, not solved, at their θ.

Solvers that never factorise K(θ) report an upper bound of F(θ), not F(θ) itself, so
`verify.check`, which wants the inner maximiser, is too strict. Here the reported
bounds must hold for the true F(θ) and D(A), and the true gap must be small.
"""

import numpy as np


def norm(q):
    """s ↦ ‖s‖_q in long double, in units of the largest."""

    def support(s):
        top = np.max(s)
        if q == np.inf:
            return top
        return top * np.sum((np.maximum(s, 0) / top) ** q) ** (1 / q)

    return support


def dual_power(p):
    """q with 1/p + 1/q = 1."""
    return 1.0 if p == np.inf else p / (p - 1)


def check(oracle, solution, support, *, tol, penalty=lambda theta: 0.0, rounding=1e-9):
    """Assert that the bounds hold and are within tol of each other.

    Parameters
    ----------
    oracle : verify.Square
    solution : Solution
    support : callable
        σ(s), written down by the test.
    tol : float
        The relative gap, true and reported.
    penalty : callable
        Added to F(θ).
    rounding : float
        Relative error of a reported value.
    """
    theta, c = np.asarray(solution.weights), solution.certificate
    assert np.all(np.isfinite(theta)) and np.all(theta >= 0)
    A = oracle.into_domain(solution.dual_A)
    outside = np.max(np.abs(A - solution.dual_A))
    assert outside <= 1e-12 * np.max(np.abs(A)), "dual_A is outside the domain"
    primal = oracle.primal(theta) + penalty(theta)
    dual = oracle.g(A) - support(oracle.quadratic(A)) / 2
    size = max(abs(primal), abs(dual))
    assert dual <= primal + rounding * size, "weak duality is violated"
    assert c.primal >= primal - rounding * size, "the upper bound is none"
    assert abs(c.dual - dual) <= rounding * size, "the lower bound is not D(A)"
    assert c.relative_gap <= tol, f"the reported gap is {c.relative_gap:.2e}"
    assert primal - dual <= tol * size, f"the gap is {(primal - dual) / size:.2e}"
    # The coefficients of the prediction attain what is claimed for them.
    attained = oracle.value_at(theta, solution.A) + penalty(theta)
    assert attained >= primal - 2 * tol * size, "A is far from the inner maximiser"
    return float(primal), float(dual)
