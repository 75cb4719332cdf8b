"""Which columns a kernel looks at."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector

from kernelweave.kernels import Linear

X = np.arange(12.0).reshape(3, 4)
TABLE = pd.DataFrame(X, columns=["a", "b", "c", "d"]).astype({"c": "float32"})

CHOICES = {
    "numbers": ([2, 0], [2, 0]),
    "negative numbers": ([-1, 1], [3, 1]),
    "an array of numbers": (np.array([3, 1]), [3, 1]),
    "one number": (2, [2]),
    "one numpy number": (np.int64(2), [2]),
    "a slice": (slice(1, 3), [1, 2]),
    "a slice with a step": (slice(None, None, 2), [0, 2]),
    "a mask": ([True, False, False, True], [0, 3]),
    "an array mask": (np.array([False, True, True, False]), [1, 2]),
    "a callable": (lambda X: [X.shape[1] - 1], [3]),
}
NAMED = {
    "names": (["d", "a"], [3, 0]),
    "an index of names": (pd.Index(["b", "c"]), [1, 2]),
    "one name": ("c", [2]),
    "a slice of names includes its end": (slice("b", "d"), [1, 2, 3]),
    "a slice to a name": (slice(None, "b"), [0, 1]),
    "a slice from a name": (slice("c", None), [2, 3]),
    "a slice of names with a step": (slice("a", "d", 2), [0, 2]),
    "a selector by name": (make_column_selector(pattern="a|d"), [0, 3]),
    "a selector by type": (make_column_selector(dtype_include="float32"), [2]),
}


@pytest.mark.parametrize("columns, expected", CHOICES.values(), ids=CHOICES)
def test_choices(columns, expected):
    for table in (X, TABLE):
        kernel = Linear(columns=columns).fit(table)
        Z = X[:, expected]
        assert kernel(table) == pytest.approx(Z @ Z.T)
        # New rows may come as plain arrays.
        assert kernel(X[:1], table) == pytest.approx(Z[:1] @ Z.T)


@pytest.mark.parametrize("columns, expected", NAMED.values(), ids=NAMED)
def test_names(columns, expected):
    kernel = Linear(columns=columns).fit(TABLE)
    assert np.array_equal(kernel.columns_, expected)
    Z = X[:, expected]
    assert kernel(TABLE) == pytest.approx(Z @ Z.T)


def test_all_columns_by_default():
    assert Linear().fit(TABLE)(TABLE) == pytest.approx(X @ X.T)


def test_names_are_resolved_on_the_table_that_the_user_passed():
    kernel = Linear(columns=["d"]).fit(X, TABLE)
    assert kernel(X) == pytest.approx(np.outer(X[:, 3], X[:, 3]))


@pytest.mark.parametrize(
    "columns, message",
    [
        (["a", "x"], r"'mine'.*no column 'x'; it has a, b, c, d"),
        ("x", r"'mine'.*no column 'x'"),
        (slice("a", "x"), r"'mine'.*no column 'x'"),
        ([0, 4], r"'mine'.*no column 4; the table has 4"),
        (-5, r"'mine'.*no column -5"),
        ([True, False], r"'mine'.*mask has 2 entries, the table 4"),
        ([], r"'mine' has no columns"),
        (slice(2, 2), r"'mine' has no columns"),
        ([False] * 4, r"'mine' has no columns"),
        (make_column_selector(pattern="x"), r"'mine' has no columns"),
        ([1.7], r"'mine'"),
    ],
)
def test_bad_choices_name_the_kernel(columns, message):
    with pytest.raises(ValueError, match=message):
        Linear(columns=columns, name="mine").fit(TABLE)


def test_names_of_an_array():
    with pytest.raises(ValueError, match=r"'mine'.*no names at all"):
        Linear(columns=["a"], name="mine").fit(X)
