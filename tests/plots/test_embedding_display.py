"""Embedding: every sample where `transform` puts it, every class told apart twice."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import problems
from kernelweave import MKLSVC, MKLDiscriminantAnalysis
from kernelweave.kernels import Linear
from kernelweave.plots import EmbeddingDisplay
from kernelweave.plots.style import MARKERS, PALETTE


def _groups(display):
    """The marks that are in the picture, without those of the legend."""
    return [mark for mark in display.ax_.collections if len(mark.get_offsets()) > 0]


@pytest.mark.parametrize("k", [3, 20])
def test_plane(k, legible):
    X, y = problems.blobs(120, 8, k)
    names = np.array([f"class {c} of a rather long name" for c in range(k)])
    model = MKLDiscriminantAnalysis([Linear()]).fit(X, names[y])
    display = EmbeddingDisplay.from_estimator(model, X, names[y])
    Z = model.transform(X)
    groups = _groups(display)
    assert len(groups) == k
    for c, mark in zip(model.classes_, groups, strict=True):
        assert np.allclose(mark.get_offsets(), Z[names[y] == c][:, :2])
    looks = {
        (to_hex(mark.get_facecolor()[0]), mark.get_paths()[0].vertices.tobytes())
        for mark in groups
    }
    assert len(looks) == k
    assert len(display.ax_.get_legend().get_texts()) == k
    legible(display)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("labelled", [True, False])
def test_new_samples(k, labelled, legible):
    X, y = problems.blobs(60, 4, k)
    model = MKLDiscriminantAnalysis([Linear()]).fit(X[:40], y[:40])
    display = EmbeddingDisplay.from_estimator(
        model, X[:40], y[:40], X_new=X[40:], y_new=y[40:] if labelled else None
    )
    marks = [m for m in _groups(display) if len(m.get_offsets()) > 1]
    hollow = [mark for mark in marks if len(mark.get_facecolor()) == 0]
    assert sum(len(mark.get_offsets()) for mark in hollow) >= 40
    drawn = np.concatenate([mark.get_offsets() for mark in _groups(display)])[:, 0]
    assert np.isin(model.transform(X)[:, 0].round(9), drawn.round(9)).all()
    legible(display)


def test_two_classes_on_a_line(legible):
    X, y = problems.blobs(60, 4, 2)
    labels = np.array(["benign", "malignant, and of a very long name indeed"])[y]
    model = MKLDiscriminantAnalysis([Linear()]).fit(X, labels)
    display = EmbeddingDisplay.from_estimator(model, X, labels)
    shown = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert shown[0] == "benign" and len(shown) == 2
    # A density above the line of each class, its samples below.
    for c, line in enumerate(display.ax_.lines):
        assert line.get_ydata().min() > -c and line.get_ydata().max() < -c + 1
    assert display.ax_.get_legend() is None
    legible(display)


def test_classes_without_a_density(legible):
    display = EmbeddingDisplay([[0.0], [1.0], [1.0], [1.0]], ["a", "b", "b", "b"])
    assert not display.plot().ax_.lines
    legible(display)


def test_seventy_classes_look_different():
    looks = {(c % len(PALETTE), c % len(MARKERS)) for c in range(70)}
    assert len(looks) == 70


def test_what_cannot_be_drawn():
    X, y = problems.blobs()
    with pytest.raises(ValueError, match="use MKLDiscriminantAnalysis"):
        EmbeddingDisplay.from_estimator(MKLSVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="one class for each of the 2 samples"):
        EmbeddingDisplay(np.zeros((2, 2)), [1])
    with pytest.raises(ValueError, match=r"array \(n, d\)"):
        EmbeddingDisplay(np.zeros(2), [1, 1])
