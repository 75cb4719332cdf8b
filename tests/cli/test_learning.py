"""Fitting with a progress line."""

import contextlib
import io
import re
import sys

import numpy as np

from kernelweave import MKLRidge, MKLRidgeCV
from kernelweave.cli.learning import learn
from kernelweave.kernels import Linear

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


def test_points_of_splits_move_the_line():
    _, seen = watched(MKLRidgeCV(norms=[1, 2], alphas=[0.1, 1], cv=3))
    shares = re.findall(r"(\d+)%", seen)
    assert shares == [str(round(100 * i / 12)) for i in range(1, 13)]
    assert "split 3 of 3" in seen


class Talking(Linear):
    """A kernel that prints what looks like progress."""

    def _fit(self, X):
        super()._fit(X)
        print("norm 1  alpha 2", "   7  1.0  2.0  3.0  4.0", sep="\n", file=sys.stderr)


def test_what_is_printed_is_seen_and_means_nothing():
    model, seen = watched(MKLRidge([Talking()], verbose=1))
    assert "norm 1  alpha 2\n   7  1.0  2.0  3.0  4.0\n" in seen
    assert "choosing" not in seen and "iteration 7" not in seen
    # The estimator's own lines, asked for by its own parameter.
    assert " iter      primal" in seen and model.verbose == 1


def test_warnings_become_notes():
    _, seen = watched(MKLRidge(max_iter=1, tol=1e-15))
    assert "\nnote: " in seen.replace("\033[K", "\n")
    assert "max_iter" in seen
