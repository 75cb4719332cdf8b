"""Lists of views, and tables of PyArrow, wherever a table is taken."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from kernelweave import (
    MKLSVC,
    LaplacianMKLSVC,
    MKLCoxRegression,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.evaluation import evaluate
from kernelweave.importance import feature_importance, per_sample, view_importance
from kernelweave.kernels import RBF, Linear
from kernelweave.report import write_report
from kernelweave.views import Views, kernels_for
from several_tables import CLINIC, LABEL, RNA

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X1 = RNG.normal(size=(40, 3)) + Y[:, None]
X2 = RNG.normal(size=(40, 2))
NAMED = {"view 0": X1, "view 1": X2}
TIMES = np.array([(True, t) for t in RNG.exponential(size=40)], "?,f8")
TIMES.dtype.names = ("event", "time")
WIDE = RNA.join(CLINIC)
ARROW = pa.Table.from_pandas(WIDE, preserve_index=False)
PLAIN = WIDE.reset_index(drop=True)
LABELS = LABEL[WIDE.index].to_numpy()


@pytest.mark.parametrize(
    "model, y",
    [
        (MKLDiscriminantAnalysis(), Y),
        (MKLDiscriminantAnalysisCV(norms=[1, 2]), Y),
        (MKLSVC(), Y),
        (MKLRidge(), X1[:, 0]),
        (LaplacianMKLSVC(), Y),
        (MKLCoxRegression(), TIMES),
        (MKLOneClassSVM(), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_list_of_views_is_a_dict_of_numbered_ones(model, y):
    ours, named = clone(model).fit([X1, X2], y), clone(model).fit(NAMED, y)
    assert ours.kernel_names_.tolist() == named.kernel_names_.tolist()
    assert ours.kernel_names_[0].startswith("view 0: ")
    new = (X1[:5], X2[:5])
    assert np.array_equal(ours.predict(new), named.predict(Views(NAMED)[:5]))
    if y is not None:
        assert ours.score([X1, X2], y) == named.score(NAMED, y)


def test_lists_in_evaluation_importance_and_report(tmp_path):
    model = MKLDiscriminantAnalysis()
    ours, named = (evaluate(model, X, Y, cv=3) for X in ([X1, X2], NAMED))
    assert ours.learned.scores == named.learned.scores
    assert ours.best_view.name == "view 0"
    fitted = MKLDiscriminantAnalysis().fit([X1, X2], Y)
    few = {"n_subsamples": 2, "n_permutations": 3}
    ours, named = (view_importance(fitted, X, Y, **few) for X in ([X1, X2], NAMED))
    pd.testing.assert_frame_equal(ours, named)
    assert ours.index.tolist() == ["view 0", "view 1"]
    assert per_sample(fitted, [X1, X2], Y).shape[0] == 40
    assert len(feature_importance(fitted, [X1, X2], Y)) == 5
    write_report(fitted, [X1, X2], Y, tmp_path / "report.html")
    assert "view 1" in (tmp_path / "report.html").read_text("utf-8")


def test_lists_of_frames_are_joined_by_index():
    model = MKLDiscriminantAnalysis().fit([RNA, CLINIC], LABEL)
    named = MKLDiscriminantAnalysis().fit({"view 0": RNA, "view 1": CLINIC}, LABEL)
    assert model.weights_ == pytest.approx(named.weights_, abs=1e-12)
    with pytest.raises(ValueError, match="must have the same rows"):
        model.fit([X1, X2[1:]], Y)
    with pytest.raises(ValueError, match="'view 0' has no index"):
        model.fit([X1, RNA], Y)


def test_a_list_of_rows_is_one_table():
    nested = X1.tolist()
    model = MKLDiscriminantAnalysis().fit(nested, Y)
    assert model.n_features_in_ == 3
    assert np.array_equal(model.predict(list(X1)), model.predict(X1))
    with pytest.raises(ValueError, match="3"):
        MKLDiscriminantAnalysis().fit(np.stack([X1, X1]), Y)


def test_a_list_with_one_view_that_is_no_table():
    with pytest.raises(ValueError, match=r"view 1 .* \(40,\): .* x\[:, None\]"):
        MKLSVC().fit([X1, X2[:, 0]], Y)
    with pytest.raises(ValueError, match="is no table, but NoneType"):
        MKLSVC().fit([X1, None], Y)
    series = pd.Series(X2[:, 0], name="age")
    model = MKLDiscriminantAnalysis().fit([pd.DataFrame(X1), series], Y)
    assert model.kernel_names_[-1].startswith("view 1: ")


def test_a_query_of_polars_has_no_rows():
    query = pl.DataFrame({"age": [61.0, 48.0]}).lazy()
    with pytest.raises(TypeError, match=r"LazyFrame .* X.collect\(\)"):
        MKLSVC().fit(query, [0, 1])
    model = MKLSVC().fit(query.collect(), [0, 1])
    with pytest.raises(TypeError, match=r"LazyFrame .* X.collect\(\)"):
        model.predict(query)


@pytest.mark.parametrize("Estimator", [MKLSVC, LaplacianMKLSVC, MKLRidge])
def test_a_list_of_gram_matrices_stays_one(Estimator):
    Ks = [X1 @ X1.T, X2 @ X2.T]
    model = Estimator("precomputed").fit(Ks, Y)
    assert model.score(Ks, Y) == Estimator("precomputed").fit(np.stack(Ks), Y).score(
        np.stack(Ks), Y
    )
    if Estimator is MKLSVC:
        both = [evaluate(model, K, Y, cv=3) for K in (Ks, np.stack(Ks))]
        assert both[0].learned.scores == both[1].learned.scores


def test_a_list_of_sparse_tables_says_what_to_do():
    from scipy.sparse import csr_array, hstack

    with pytest.raises(ValueError, match=r"'view 1' is sparse.*hstack.*slice\("):
        MKLSVC().fit([X1, csr_array(X2)], Y)
    with pytest.raises(ValueError, match=r"'rna' is sparse.* table\.toarray\(\)"):
        Views(rna=csr_array(X1))
    # What it says can be done.
    X = hstack([csr_array(X1), csr_array(X2)]).tocsr()
    width = X1.shape[1]
    parts = [slice(0, width), slice(width, X.shape[1])]
    model = MKLSVC([Linear(columns=part) for part in parts]).fit(X, Y)
    assert_allclose(
        model.decision_function(X),
        clone(model).fit(np.hstack([X1, X2]), Y).decision_function(X.toarray()),
        atol=1e-4,
    )


KERNELS = kernels_for(PLAIN)


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS),
        MKLDiscriminantAnalysisCV(KERNELS, norms=[1, 2]),
        MKLSVC(KERNELS),
        LaplacianMKLSVC(KERNELS, metric="kernels"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_table_of_arrow_is_its_frame(model):
    ours = clone(model).fit(ARROW, pa.array(LABELS))
    frame = clone(model).fit(PLAIN, LABELS)
    assert ours.feature_names_in_.tolist() == PLAIN.columns.tolist()
    assert np.array_equal(ours.weights_, frame.weights_)
    for new in (ARROW.slice(0, 7), ARROW.to_batches()[0].slice(0, 7)):
        assert ours.predict(new).tolist() == frame.predict(PLAIN[:7]).tolist()
    assert ours.score(ARROW, LABELS) == frame.score(PLAIN, LABELS)
    with pytest.raises(ValueError, match="yet now missing"):
        ours.predict(ARROW.drop_columns(["age"]))


def test_gaps_of_arrow_are_seen():
    X = pa.table({"a": [1.0, None, 3.0, 4.0], "b": [1, 2, 3, 4]})
    with pytest.raises(ValueError, match="missing"):
        MKLRidge([Linear()]).fit(X, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="y is missing"):
        MKLRidge([Linear(columns=["b"])]).fit(X, X["a"])
    MKLRidge([RBF(missing="mean")]).fit(X, X["b"])


def test_arrow_in_evaluation_importance_and_chunks(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS)
    ours, frame = (evaluate(model, X, LABELS, cv=3) for X in (ARROW, PLAIN))
    assert ours.learned.scores == frame.learned.scores
    fitted = model.fit(ARROW, LABELS)
    few = {"n_subsamples": 2, "n_permutations": 3}
    tables = [view_importance(fitted, X, LABELS, **few) for X in (ARROW, PLAIN)]
    pd.testing.assert_frame_equal(*tables)
    assert len(feature_importance(fitted, ARROW, LABELS)) == PLAIN.shape[1]
    write_report(fitted, ARROW, LABELS, tmp_path / "report.html")
    numbers = ARROW.select(list("abcd"))
    summed = MKLDiscriminantAnalysis([Linear()])
    summed.partial_fit(numbers, LABELS, classes=np.unique(LABELS))
    expected = MKLDiscriminantAnalysis([Linear()])
    expected.partial_fit(PLAIN[list("abcd")], LABELS, classes=np.unique(LABELS))
    assert np.array_equal(summed.predict(numbers), expected.predict(numbers))


def test_arrow_among_several_tables():
    tables = {
        "rna": pa.Table.from_pandas(RNA.reset_index(names="sample")),
        "clinic": CLINIC.reset_index(names="sample"),
    }
    views = Views(tables, on="sample")
    ours = MKLDiscriminantAnalysis().fit(views, LABEL)
    frames = MKLDiscriminantAnalysis().fit({"rna": RNA, "clinic": CLINIC}, LABEL)
    assert ours.weights_ == pytest.approx(frames.weights_, abs=1e-12)
