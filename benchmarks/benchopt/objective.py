"""The support vector machine on a convex combination of kernels.

    min_{θ ≥ 0, Σθ = 1} F(θ),  F(θ) = max_a Σa − ½aᵀYK(θ)Ya,  0 ≤ a ≤ C, yᵀa = 0

A solver answers with weights alone. F is computed here, by libsvm through scikit-learn,
and so is a lower bound D = Σa − ½ max_j aᵀYK_jYa: no solver judges itself.
"""

import numpy as np
from benchopt import BaseObjective
from sklearn.svm import SVC


class Objective(BaseObjective):
    name = "multiple kernel SVM"
    url = "https://github.com/kernelweave/kernelweave"
    requirements = ["scikit-learn"]
    min_benchopt_version = "1.6"
    parameters = {"C": [1.0, 100.0]}

    def set_data(self, K, y):
        self.K, self.y = K, np.where(y == np.unique(y)[1], 1.0, -1.0)

    def get_objective(self):
        return {"K": self.K, "y": self.y, "C": self.C}

    def evaluate_result(self, theta):
        theta = np.asarray(theta, dtype=float)
        if theta.shape != (len(self.K),) or np.any(theta < 0) or not theta.sum() > 0:
            raise ValueError("a solver answers with p weights that are not negative")
        theta = theta / theta.sum()
        K = np.tensordot(theta, self.K, 1)
        machine = SVC(kernel="precomputed", C=self.C, tol=1e-10).fit(K, self.y)
        a = np.zeros(len(self.y))
        a[machine.support_] = machine.dual_coef_[0]  # y∘a
        total = np.abs(a).sum()
        s = np.einsum("i,jil,l->j", a, self.K, a, optimize=True)
        value, lower = total - 0.5 * theta @ s, total - 0.5 * np.max(s)
        return {
            "value": value,
            "duality_gap": (value - lower) / abs(value),
            "kernels": int(np.sum(theta > 1e-6)),
        }

    def get_one_result(self):
        return {"theta": np.full(len(self.K), 1 / len(self.K))}
