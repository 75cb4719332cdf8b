"""Breast cancer of Wisconsin: ten widths, of all features and of each third."""

import numpy as np
from benchopt import BaseDataset
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import scale


class Dataset(BaseDataset):
    name = "wdbc"
    requirements = ["scikit-learn"]
    parameters = {"n_samples": [200, 569]}

    def get_data(self):
        X, y = load_breast_cancer(return_X_y=True)
        rows = np.random.default_rng(0).permutation(len(X))[: self.n_samples]
        X, y = scale(X[rows]), y[rows]
        kernels = []
        for view in (X, X[:, :10], X[:, 10:20], X[:, 20:]):
            D = euclidean_distances(view, squared=True)
            for width in np.logspace(-1, 1.5, 10):
                K = np.exp(-D / (np.median(D) * width))
                K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
                kernels.append(K * (len(K) / np.trace(K)))
        return {"K": np.stack(kernels), "y": y}
