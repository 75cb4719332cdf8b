"""Weights of EasyMKL (Aiolli and Donini 2015), by MKLpy.

They maximise a margin between the classes' convex hulls, another objective: this one
shows what that costs for a support vector machine.
"""

import warnings

import numpy as np
import torch
from benchopt import BaseSolver
from MKLpy.algorithms import EasyMKL


class Solver(BaseSolver):
    name = "EasyMKL"
    sampling_strategy = "run_once"
    requirements = ["pip::torch", "pip::MKLpy"]
    parameters = {"lam": [0.1]}

    def set_objective(self, K, y, C):
        self.K, self.y = [torch.from_numpy(np.ascontiguousarray(k)) for k in K], y

    def run(self, _):
        with warnings.catch_warnings():
            # MKLpy transposes vectors, of which PyTorch warns.
            warnings.filterwarnings("ignore", "The use of `x.T`", UserWarning)
            model = EasyMKL(lam=self.lam).fit(self.K, torch.from_numpy(self.y))
        self.theta = np.asarray(model.solution.weights, dtype=float)

    def get_result(self):
        return {"theta": self.theta}
