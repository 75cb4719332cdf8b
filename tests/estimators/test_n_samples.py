"""How many rows a model was fitted to."""

import numpy as np
import pytest

import problems
from kernelweave import MKLSVC, MKLOneClassSVM, MKLRidge
from kernelweave.kernels import RBF, Linear, Nystroem

X, Y = problems.blobs(1100, 3, 2)
GIVEN = np.stack([X[:30] @ X[:30].T, (X[:30] @ X[:30].T) ** 2])


@pytest.mark.parametrize(
    ("model", "rows", "n"),
    [
        (MKLRidge([RBF(), Linear()]), X[:40], 40),
        (MKLRidge([Nystroem(RBF(), 9)]), X, 1100),
        (MKLSVC("precomputed"), GIVEN, 30),
        (MKLOneClassSVM(), X[:50], 50),
    ],
)
def test_the_number_of_training_rows(model, rows, n):
    assert not hasattr(model, "n_samples_fit_")
    model.fit(rows, Y[:n])
    assert model.n_samples_fit_ == n
    if not isinstance(model.kernels, str):
        assert model.fit(rows[:20], Y[:20]).n_samples_fit_ == 20
