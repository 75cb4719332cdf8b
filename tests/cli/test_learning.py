"""Fitting with a progress line."""

import contextlib
import io

import numpy as np

from kernelweave import MKLRidge, MKLRidgeCV
from kernelweave.cli.learning import learn

X = np.random.default_rng(0).normal(size=(30, 3))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watched(model):
    """The fitted model, and all that a terminal saw."""
    with contextlib.redirect_stderr(Terminal()) as terminal:
        model = learn(model, X, X[:, 0])
    return model, terminal.getvalue()


def test_points_of_the_grid_and_iterations_move_the_line():
    model, seen = watched(MKLRidgeCV(norms=[1, 2], alphas=[0.1, 1]))
    lines = seen.split("\r")
    assert [line.count("choosing norm and alpha") for line in lines].count(1) == 4
    assert "100%" in seen
    assert f"iteration {model.n_iter_}, gap " in seen
    assert "score" not in seen
    assert model.verbose == 0


def test_warnings_become_notes():
    _, seen = watched(MKLRidge(max_iter=1, tol=1e-15))
    assert "\nnote: " in seen.replace("\033[K", "\n")
    assert "max_iter" in seen
