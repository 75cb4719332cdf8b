"""Views of which one in five tells the class."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "simulated"
    parameters = {"n_samples": [100], "n_kernels": [20]}

    def get_data(self):
        rng = np.random.default_rng(0)
        y = np.arange(self.n_samples) % 2
        kernels = []
        for j in range(self.n_kernels):
            X = rng.normal(size=(self.n_samples, 3)) + (j % 5 == 0) * y[:, None]
            X = X - X.mean(axis=0)
            kernels.append(X @ X.T * (self.n_samples / np.sum(X * X)))
        return {"K": np.stack(kernels), "y": y}
