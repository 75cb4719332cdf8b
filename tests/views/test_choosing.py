"""From tables to views, and from views to kernels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector
from sklearn.preprocessing import StandardScaler

import naive
from kernelweave.kernels import RBF, ChiSquared, Linear, Overlap
from kernelweave.views import kernels_for, view_of, views_from_prefix

RNG = np.random.default_rng(0)
N = 30
TABLE = pd.DataFrame(
    {
        "rna_a": RNG.normal(size=N),
        "age": RNG.integers(20, 90, N),
        "rna_b": 1000 * RNG.normal(size=N),
        "sex": RNG.choice(["f", "m"], N),
        "word_a": RNG.poisson(1, N),
        "word_b": RNG.poisson(1, N) * 5,
    }
)
VIEWS = {
    "rna": ["rna_a", "rna_b"],
    "other": ["age", "sex"],
    "word": ["word_a", "word_b"],
}
WIDTHS = ["rbf 0.5×median", "rbf 2×median"]
RANKS = [f"rank laplacian {f}×median" for f in ("0.25", "1", "4")]


def labels(kernels, view):
    own = [kernel.label for kernel in kernels if view_of(kernel.label) == view]
    return [label.removeprefix(f"{view}: ") for label in own]


def frame(names):
    return pd.DataFrame(np.zeros((2, len(names))), columns=names)


def test_views_from_prefix():
    assert views_from_prefix(TABLE) == VIEWS
    assert list(views_from_prefix(TABLE)) == ["rna", "other", "word"]
    dotted = frame(["a.b_c", "a.d", "e.f.g"])
    assert views_from_prefix(dotted, ".") == {"a": ["a.b_c", "a.d"], "e": ["e.f.g"]}


@pytest.mark.parametrize(
    "names, message",
    [
        (["a", "b"], r"no column has '_'"),
        (["_a", "x_b"], r"'_a' has nothing before its '_'"),
        (["a_", "x_b"], r"'a_' has nothing after its '_'"),
        (["rna", "rna_a"], r"'rna' has no '_', but others start with 'rna_'"),
        (["other_a", "age"], r"'age'.* 'other'.* start with 'other_'"),
        (["a_b", "a_b"], r"two columns have the name 'a_b'"),
        (["a_b", 3], r"must be text, got 3"),
    ],
)
def test_ambiguous_prefixes(names, message):
    with pytest.raises(ValueError, match=message):
        views_from_prefix(frame(names))


def test_prefixes_need_names():
    with pytest.raises(ValueError, match="needs a DataFrame"):
        views_from_prefix(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="sep must be"):
        views_from_prefix(TABLE, "")


def test_kernels_for_every_kind():
    kernels = kernels_for(TABLE, VIEWS)
    assert labels(kernels, "rna") == [*WIDTHS, "linear", *RANKS]
    assert labels(kernels, "other") == [*WIDTHS, "linear", *RANKS, "overlap"]
    assert labels(kernels, "word") == ["chi²", "linear", *RANKS]
    overlap = next(kernel for kernel in kernels if isinstance(kernel, Overlap))
    assert overlap.columns == ["sex"]


@pytest.mark.parametrize(
    "columns",
    [slice("rna_a", "rna_b", 2), make_column_selector("rna"), [0, 2], "rna_a"],
)
def test_views_take_what_columns_take(columns):
    found = labels(kernels_for(TABLE, {"v": columns}), "v")
    assert found == [*WIDTHS, "linear", *RANKS]


def test_one_view_by_default():
    assert labels(kernels_for(TABLE), "all") == [*WIDTHS, "linear", *RANKS, "overlap"]


def test_arrays_with_slices():
    X = RNG.normal(size=(10, 5))
    kernels = kernels_for(X, {"a": slice(0, 2), "b": slice(2, None)})
    assert [kernel.columns for kernel in kernels] == [[0, 1]] * 6 + [[2, 3, 4]] * 6


def test_columns_are_standardised_by_the_training_rows():
    train, new = TABLE[:20], TABLE[20:]
    rbf, linear = (
        kernels_for(TABLE, {"rna": VIEWS["rna"]})[i].fit(train) for i in (1, 2)
    )
    scaler = StandardScaler().fit(train[VIEWS["rna"]])
    X, Z = (scaler.transform(part[VIEWS["rna"]]) for part in (train, new))
    m = naive.median_distance(X, lambda x, z: np.linalg.norm(x - z))
    k = naive.rbf(1 / (2 * (2 * m) ** 2))
    assert rbf(new, train) == pytest.approx(naive.gram(k, Z, X), rel=1e-9)
    assert linear(new, train) == pytest.approx(Z @ X.T, rel=1e-9)


def test_median_of_chi_squared_distances():
    words = TABLE[VIEWS["word"]].to_numpy(dtype=float)
    kernel = kernels_for(TABLE, {"word": VIEWS["word"]})[0].fit(TABLE)

    def distance(x, z):
        total = np.where(x + z > 0, x + z, 1)
        return np.sum((x - z) ** 2 / total)

    assert kernel.gamma_ == pytest.approx(1 / naive.median_distance(words, distance))


COUNTS = RNG.poisson(1.5, (50, 3)) * 6
NOT_COUNTS = {
    "a sign": COUNTS - 1,
    "parts": COUNTS + 0.5,
    "no zeros": COUNTS + 1,
    "levels": RNG.integers(16, size=(1000, 3)),
    "ages, and yes or no": np.c_[RNG.integers(18, 90, (50, 2)), np.arange(50) % 2],
    "grades": np.minimum(COUNTS, 5),
    "one column": COUNTS[:, :1],
}


def test_counts_are_recognised():
    with_gaps = COUNTS.astype(float)
    with_gaps[:40] = np.nan
    for X in (COUNTS, with_gaps):
        assert isinstance(kernels_for(X, missing="mean")[0], ChiSquared)
        assert isinstance(kernels_for(pd.DataFrame(X), missing="mean")[0], ChiSquared)


@pytest.mark.parametrize("X", NOT_COUNTS.values(), ids=NOT_COUNTS)
def test_what_is_not_counts(X):
    assert isinstance(kernels_for(X)[0], RBF)


def test_kinds_decide():
    chi = kernels_for(NOT_COUNTS["grades"], kinds={"all": "counts"})
    assert [type(kernel) for kernel in chi[:2]] == [ChiSquared, Linear]
    overlap = kernels_for(COUNTS, kinds={"all": "categorical"})
    assert [type(kernel) for kernel in overlap] == [Overlap]
    numeric = kernels_for(COUNTS, kinds={"all": "numeric"})
    assert isinstance(numeric[0], RBF)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"missing": "zero"}, r"missing must be one of 'error', 'mean', 'impute'"),
        ({"views": {}}, r"views must be a dict"),
        ({"views": ["rna_a"]}, r"views must be a dict"),
        ({"views": {"a: b": ["age"]}}, r"'a: b' must not contain ': '"),
        ({"views": {"v": []}}, r"'v' has no columns"),
        ({"views": {"v": ["age", "x"]}}, r"'v': the table has no column 'x'"),
        ({"kinds": {"v": "counts"}}, r"some of the views 'all'.*got 'v'"),
        ({"kinds": {"all": "text"}}, r"one of 'numeric'.*got 'all': 'text'"),
        ({"kinds": {"all": "counts"}}, r"cannot be 'counts'.*'sex' holds text"),
    ],
)
def test_bad_choices(arguments, message):
    with pytest.raises(ValueError, match=message):
        kernels_for(TABLE, **arguments)


def test_bad_tables():
    dates = TABLE.assign(day=pd.to_datetime(["2020-01-01"] * N))
    with pytest.raises(ValueError, match=r"'all'.*'day' holds dates"):
        kernels_for(dates)
    with pytest.raises(ValueError, match="the table is an array with text in it"):
        kernels_for(np.array([["a", "b"]]))
    with pytest.raises(ValueError, match="two columns have the name 'age'"):
        kernels_for(TABLE.rename(columns={"sex": "age"}))


def test_missing_values_are_named():
    table = TABLE.copy()
    table.loc[:3, ["rna_a", "rna_b"]] = np.nan
    table.loc[4, "rna_b"] = np.nan
    message = r"'rna': 5 of 30 rows .*, 4 of them in all .* columns rna_a, rna_b\."
    with pytest.raises(ValueError, match=message):
        kernels_for(table, VIEWS)
    assert kernels_for(table, {"word": VIEWS["word"]})
    for choice in ("mean", "impute"):
        kernels = kernels_for(table, VIEWS, missing=choice)
        assert {kernel.missing for kernel in kernels} == {choice}


def test_polars():
    pl = pytest.importorskip("polars")
    table = pl.DataFrame(TABLE.to_dict("list"))
    assert views_from_prefix(table) == VIEWS
    kernels = kernels_for(table, VIEWS)
    assert [k.label for k in kernels] == [k.label for k in kernels_for(TABLE, VIEWS)]
    for kernel, other in zip(kernels, kernels_for(TABLE, VIEWS), strict=True):
        expected = other.fit(TABLE)(TABLE[:4], TABLE)
        assert kernel.fit(table)(table[:4], table) == pytest.approx(expected, rel=1e-12)
    gaps = table.with_columns(pl.Series("age", [None, float("nan"), *range(28)]))
    with pytest.raises(ValueError, match=r"'other': 2 of 30 rows .* columns age"):
        kernels_for(gaps, VIEWS)
