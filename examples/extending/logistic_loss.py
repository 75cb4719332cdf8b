"""A loss of one's own: kernel logistic regression with learned weights."""

from dataclasses import dataclass

import numpy as np
from scipy.special import entr, expit

from kernelweave.problem import Inner


@dataclass
class Logistic:
    """C·Σ_i log(1 + exp(−y_if_i)); g(A) = C·Σ_i h(a_iy_i/C), 0 ≤ a_iy_i ≤ C.

    h(α) = −α log α − (1−α) log(1−α) is the entropy. At the inner maximum, with
    f = K(θ)A, a_i = C·y_i/(1 + exp(y_if_i)).

    Parameters
    ----------
    y : ndarray (n,)
        +1 and −1.
    C : float

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelweave import Problem, solve
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.weights import Simplex
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, y = scale(X)[:100], 2.0 * y[:100] - 1
    >>> gram = DenseStack(np.stack([x @ x.T for x in (X[:, :10], X[:, 10:20])]))
    >>> solution = solve(Problem(gram, Logistic(y, 0.1), Simplex()), tol=1e-6)
    >>> solution.converged
    True
    """

    y: np.ndarray
    C: float = 1.0

    def value(self, A):
        """g(A)."""
        share = np.clip(self.y * A[:, 0] / self.C, 0, 1)
        return self.C * float(np.sum(entr(share) + entr(1 - share)))

    def best_scale(self, A, support):
        """The domain is a box: a multiple of A may be outside."""
        return 1.0

    def inner(self, K, start=None):
        """Newton's method on ½aᵀKa + C·Σlog(1 + exp(−yKa)).

        With w_i = C·p_i(1 − p_i) for the probabilities p the step solves
        (diag(1/w) + K)a = f + r/w, r the answers to f.
        """
        a = np.zeros(len(K)) if start is None else start[:, 0]
        f = K @ a
        for _ in range(100):
            step = self._system(K, f)(f + self._answers(f) / self._curvature(f)) - a
            move, here, t = K @ step, self._objective(a, f), 1.0
            slope = float((a - self._answers(f)) @ move)
            while self._objective(a + t * step, f + t * move) > here + 0.1 * t * slope:
                t *= 0.5
                if t < 1e-10:
                    break
            a, f = a + t * step, f + t * move
            if -slope <= 1e-15 * here or t < 1e-10:
                break

        def hessian(applied):
            # ∂²F/∂θ_i∂θ_j = (K_ia)ᵀ(diag(1/w) + K)⁻¹(K_ja)
            G = applied[:, :, 0].T
            return G.T @ self._system(K, f)(G)

        # Every a gives an upper bound of F. The answers to f are in the domain of g.
        upper, A = self._objective(a, f), self._answers(f)[:, None]
        return Inner(A, upper, np.zeros(1), hessian)

    def _answers(self, f):
        """C·y/(1 + exp(yf))."""
        return self.C * self.y * expit(-self.y * f)

    def _curvature(self, f):
        return np.maximum(self.C * expit(f) * expit(-f), 1e-12 * self.C)

    def _objective(self, a, f):
        return 0.5 * float(a @ f) + self.C * float(np.sum(np.logaddexp(0, -self.y * f)))

    def _system(self, K, f):
        M = K + np.diag(1 / self._curvature(f))
        return lambda right: np.linalg.solve(M, right)
