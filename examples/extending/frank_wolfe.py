"""A solver of one's own: Frank and Wolfe's method."""

from dataclasses import dataclass

from sklearn.base import BaseEstimator

from kernelweave.problem import Iterate


@dataclass(eq=False, repr=False)
class FrankWolfe(BaseEstimator):
    """Step towards the weights that are best for the A at hand.

        θ_{t+1} = θ_t + a/(t + a)·(argmax_{θ∈Θ} θᵀs(A_t) − θ_t)

    A solver is a generator of iterates. It has no stopping rule, timer or tolerance:
    `solve` judges every iterate by the bounds of the problem, and stops.

    Parameters
    ----------
    a : float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLDiscriminantAnalysis(solver=FrankWolfe(), tol=1e-3).fit(X, y)
    >>> model.solution_.certificate.relative_gap <= 1e-3
    True
    """

    a: float = 2.0

    def iterates(self, problem, tol, start):
        """Yield iterates; `start` is None or p weights of the set."""
        weights = problem.weights
        theta = weights.start(problem.gram.p) if start is None else start
        t = 1
        while True:
            point = problem.at(theta)
            yield Iterate(point)
            aim = weights.maximiser(point.s)
            theta = theta + self.a / (t + self.a) * (aim - theta)
            t += 1
