"""Bad input is a ValueError that names the culprit; doubtful input is a warning."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import problems
from kernelweave import (
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
    Problem,
    solve,
)
from kernelweave.grams import DenseStack
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.losses import Square
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed, Simplex
from public import ESTIMATORS

N = 30
X, Y = problems.blobs(N, 3, 2)
KERNELS = [RBF(gamma=0.5), Linear()]
GRAMS = np.stack([kernel.fit(X)(X) for kernel in KERNELS])
ROWS = np.arange(N)[:, None]
BOTH = pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


@BOTH
@pytest.mark.parametrize("bad, name", [(np.nan, "NaN"), (np.inf, "is infinite")])
def test_table_with_nan(Estimator, bad, name):
    with pytest.raises(ValueError, match=name):
        Estimator(KERNELS).fit(changed(X, (3, 1), bad), Y)
    model = Estimator(KERNELS).fit(X, Y)
    with pytest.raises(ValueError, match=name):
        model.predict(changed(X, (3, 1), bad))


@BOTH
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_gram_with_nan(Estimator, bad):
    K = changed(GRAMS, (1, 4, 4), bad)
    with pytest.raises(ValueError, match="kernel 1 contains NaN or infinity"):
        Estimator("precomputed").fit(K, Y)
    named = [Precomputed(GRAMS[0]), Precomputed(K[1], name="meth")]
    with pytest.raises(ValueError, match=r"kernel 1 .*'meth'.* contains NaN"):
        Estimator(named).fit(ROWS, Y)
    model = Estimator("precomputed").fit(GRAMS, Y)
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.predict(K)
    some = ROWS[ROWS[:, 0] != 4]
    gap = Precomputed(changed(GRAMS[0], 4, bad), name="meth")
    model = Estimator([gap]).fit(some, Y[some[:, 0]])
    with pytest.raises(ValueError, match="'meth' contains NaN or infinity in the rows"):
        model.predict(ROWS[3:5])


@BOTH
def test_gram_whose_sums_overflow(Estimator):
    with pytest.raises(ValueError, match=r"as large as .* in kernel 0, whose sums"):
        Estimator("precomputed").fit(1e300 * GRAMS, Y)
    model = Estimator("precomputed").fit(GRAMS, Y)
    with pytest.raises(ValueError, match=r"as large as .* of the new rows, whose sums"):
        model.predict(1e300 * GRAMS)


def test_targets_with_nan():
    with pytest.raises(ValueError, match="NaN"):
        MKLRidge(KERNELS).fit(X, changed(Y.astype(float), 0, np.nan))


@BOTH
def test_wrong_lengths(Estimator):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Estimator(KERNELS).fit(X, Y[:-1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Estimator("precomputed").fit(GRAMS, Y[:-1])
    model = Estimator(KERNELS).fit(X, Y)
    with pytest.raises(ValueError, match="2 features"):
        model.predict(X[:, :2])


def test_one_class():
    for model in (MKLDiscriminantAnalysis(KERNELS), KernelDiscriminantAnalysis()):
        with pytest.raises(ValueError, match="one class only"):
            model.fit(X, np.zeros(N))


def test_continuous_labels():
    with pytest.raises(ValueError, match="continuous"):
        MKLDiscriminantAnalysis(KERNELS).fit(X, X[:, 0])


@pytest.mark.parametrize(
    "Estimator", [MKLDiscriminantAnalysis, MKLRidge, KernelDiscriminantAnalysis]
)
@pytest.mark.parametrize("alpha", [-1.0, 0, np.nan, np.inf, "auto", None, [-1.0], 1j])
def test_alpha(Estimator, alpha):
    with pytest.raises(ValueError, match=r"alpha(\[0\])? must be"):
        Estimator(alpha=alpha).fit(X, Y)


def test_learning_alpha_needs_the_simplex():
    for weights in (Fixed(), Simplex([1.0, 2.0])):
        model = MKLDiscriminantAnalysis(KERNELS, weights, alpha="learn")
        with pytest.raises(ValueError, match=r"alpha='learn'.*Simplex\(\)"):
            model.fit(X, Y)
    with pytest.raises(ValueError, match="alpha='learn' is for scatter='total'"):
        MKLDiscriminantAnalysis(alpha="learn", scatter="within").fit(X, Y)


@BOTH
@pytest.mark.parametrize(
    "kernels, message",
    [
        ([], "empty list"),
        ("rbf", "got '?rbf'?"),
        (RBF(), "a list of kernels"),
        ([RBF(), "linear"], r"kernels\[1\] is .*no kernel"),
        ([RBF, Linear()], r"kernels\[0\]"),
        ([RBF(), GRAMS[0]], r"(?s)kernels\[1\].*Precomputed"),
    ],
)
def test_kernel_lists(Estimator, kernels, message):
    with pytest.raises(ValueError, match=message):
        Estimator(kernels).fit(X, Y)


def test_messages_do_not_print_whole_matrices():
    with pytest.raises(ValueError, match="Precomputed") as error:
        MKLDiscriminantAnalysis([GRAMS[0]]).fit(X, Y)
    assert len(str(error.value)) < 500


def test_a_single_kernel_that_is_none():
    with pytest.raises(ValueError, match=r"got '?rbf"):
        KernelDiscriminantAnalysis("rbf").fit(X, Y)


@BOTH
def test_asymmetric_gram(Estimator):
    K = changed(GRAMS, (1, 2, 5), 99.0)
    with pytest.raises(ValueError, match="kernel 1 is not symmetric"):
        Estimator("precomputed").fit(K, Y)
    named = [Precomputed(GRAMS[0]), Precomputed(K[1], name="meth")]
    with pytest.raises(ValueError, match=r"kernel 1 \('meth'\) is not symmetric"):
        Estimator(named).fit(ROWS, Y)


@BOTH
def test_indefinite_gram(Estimator):
    values, vectors = np.linalg.eigh(GRAMS[0])
    values[0] = -0.8
    K = np.stack([GRAMS[1], (vectors * values) @ vectors.T])
    message = r"kernel 1.* is not positive semidefinite.*smallest eigenvalue is -0\.8"
    with pytest.raises(ValueError, match=message):
        Estimator("precomputed").fit(K, Y)
    named = [Precomputed(K[0]), Precomputed(K[1], name="meth")]
    with pytest.raises(ValueError, match=r"kernel 1 \('meth'\).*-0\.8"):
        Estimator(named).fit(ROWS, Y)


@BOTH
def test_grams_of_new_rows(Estimator):
    model = Estimator("precomputed").fit(GRAMS, Y)
    for wrong in (GRAMS[:1], GRAMS[:, :, :-1], np.concatenate([GRAMS, GRAMS])):
        with pytest.raises(ValueError, match=r"2 kernels on 30 samples.*\(2, m, 30\)"):
            model.predict(wrong)


@BOTH
@pytest.mark.parametrize(
    "K, message",
    [
        (GRAMS[:, :, :-1], r"square.*\(2, 30, 29\)"),
        ([GRAMS[0], GRAMS[0][:-1, :-1]], r"same shape.*\(30, 30\), \(29, 29\)"),
        (np.zeros((0, N, N)), r"\(0, 30, 30\)"),
        (np.zeros((1, 2, N, N)), r"\(1, 2, 30, 30\)"),
        ([["a", "b"], ["c", "d"]], "an array"),
    ],
    ids=["not square", "two shapes", "none", "four axes", "strings"],
)
def test_shapes_of_grams(Estimator, K, message):
    with pytest.raises(ValueError, match=message):
        Estimator("precomputed").fit(K, Y)


@BOTH
def test_precomputed_that_is_not_square(Estimator):
    with pytest.raises(ValueError, match=r"'meth' must be a square matrix.*\(30, 29\)"):
        Estimator([Precomputed(GRAMS[0][:, :-1], name="meth")]).fit(ROWS, Y)


@BOTH
def test_row_numbers(Estimator):
    kernels = [Precomputed(GRAMS[0], name="meth")]
    message = "'meth'.*row numbers from 0 to 29"
    with pytest.raises(ValueError, match=message):
        Estimator(kernels).fit(ROWS + 1, Y)
    model = Estimator(kernels).fit(ROWS, Y)
    for row in (-1, N, 0.5):
        with pytest.raises(ValueError, match=message):
            model.predict([[row]])


@BOTH
def test_columns(Estimator):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"'mine'.*no column 'z'; it has a, b, c"):
        Estimator([Linear(), RBF(columns=["z"], name="mine")]).fit(frame, Y)
    with pytest.raises(ValueError, match=r"'mine'.*no column 3"):
        Estimator([RBF(columns=[3], name="mine")]).fit(X, Y)


@BOTH
@pytest.mark.parametrize(
    "weights, message",
    [
        (Fixed([1.0, 0, 0]), r"Fixed\(theta\) has shape \(3,\).*2 kernels"),
        (Fixed([1.0, -1.0]), "Fixed.*not negative"),
        (Simplex([1.0, 1.0, 1.0]), r"Simplex\(r\) has shape \(3,\).*2 kernels"),
        (Simplex([1.0, 0.0]), "Simplex.*positive"),
        ("simplex", "weights must be a set.*'simplex'"),
        ([0.5, 0.5], "weights must be a set"),
    ],
)
def test_weights(Estimator, weights, message):
    with pytest.raises(ValueError, match=message):
        Estimator(KERNELS, weights=weights).fit(X, Y)


@BOTH
@pytest.mark.parametrize("solver", ["newton", SILP])
def test_solver(Estimator, solver):
    with pytest.raises(ValueError, match="solver"):
        Estimator(KERNELS, solver=solver).fit(X, Y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"normalize": "unit"},
        {"scatter": "between"},
        {"multiclass_sdp": "rough"},
        {"tol": -1.0},
        {"tol": np.nan},
        {"max_iter": 0},
    ],
    ids=str,
)
def test_parameters(parameters):
    ((name, value),) = parameters.items()
    with pytest.raises(ValueError, match=f"{name} must be.*{value}"):
        MKLDiscriminantAnalysis(KERNELS, **parameters).fit(X, Y)


@BOTH
def test_not_fitted(Estimator):
    with pytest.raises(NotFittedError):
        Estimator(KERNELS).predict(X)


# What is doubtful warns, once.


def one_warning(record):
    assert len(record) == 1
    return str(record[0].message)


@pytest.mark.parametrize(
    "message, model",
    [
        ("zero or constant", MKLRidge([Linear(), Linear(columns=[3])])),
        ("too large", MKLRidge(KERNELS, alpha=10.0, normalize="trace")),
        ("gap of", MKLRidge(KERNELS, alpha=0.01, max_iter=1)),
    ],
)
def test_warnings_point_at_the_line_that_called_fit(message, model):
    table = np.column_stack([X, np.ones(N)])
    with pytest.warns(UserWarning, match=message) as record:
        model.fit(table, Y)
    assert record[0].filename == __file__


@BOTH
@pytest.mark.parametrize(
    "useless",
    [np.zeros((N, N)), np.full((N, N), 2.5)],
    ids=["all zero", "constant"],
)
def test_useless_kernel(Estimator, useless):
    kernels = [Precomputed(GRAMS[0]), Precomputed(useless, name="meth")]
    with pytest.warns(UserWarning, match="weight 0: 'meth'") as record:
        model = Estimator(kernels).fit(ROWS, Y)
    one_warning(record)
    assert model.weights_[1] == 0
    assert model.weights_[0] == pytest.approx(1)
    alone = Estimator(kernels[:1]).fit(ROWS, Y)
    assert model.predict(ROWS) == pytest.approx(alone.predict(ROWS), rel=1e-12)


@BOTH
def test_two_useless_kernels_are_one_warning(Estimator):
    table = np.column_stack([X, np.ones(N), np.zeros(N)])
    kernels = [Linear(columns=[3], name="ones"), RBF(columns=[4], name="zeros")]
    with pytest.warns(UserWarning, match="'ones', 'zeros'") as record:
        model = Estimator([*kernels, RBF(columns=[0, 1, 2])]).fit(table, Y)
    one_warning(record)
    assert np.array_equal(model.weights_, [0, 0, 1])


def test_useless_kernel_with_given_and_learned_weights():
    kernels = [Linear(), Precomputed(np.ones((N, N)), name="meth")]
    for settings in ({"weights": Fixed([0.5, 0.5])}, {"alpha": "learn"}):
        with pytest.warns(UserWarning, match="'meth'"):
            model = MKLDiscriminantAnalysis(kernels, **settings).fit(ROWS, Y)
        assert model.weights_[1] == 0


@BOTH
def test_only_useless_kernels(Estimator):
    with pytest.raises(ValueError, match="every kernel is zero or constant"):
        Estimator([Linear()]).fit(np.ones((N, 2)), Y)


@BOTH
def test_absurd_alpha_for_unit_traces(Estimator):
    model = Estimator(KERNELS, alpha=10.0, normalize="trace")
    with pytest.warns(UserWarning, match="alpha=10 is too large.*trace is 1") as record:
        model.fit(X, Y)
    assert "normalize='variance'" in one_warning(record)
    # What the papers use is no cause for alarm (and warnings are errors here).
    model.set_params(alpha=5e-4).fit(X, Y)


def test_absurd_alpha_for_kims_ratio():
    model = MKLDiscriminantAnalysis(
        KERNELS, alpha=1.0, normalize="trace", scatter="within"
    )
    with pytest.warns(UserWarning, match="alpha=1 is too large"):
        model.fit(X, Y)
    model.set_params(alpha=1e-8).fit(X, Y)


@BOTH
def test_not_converged(Estimator):
    model = Estimator(KERNELS, max_iter=1, alpha=0.01)
    with pytest.warns(ConvergenceWarning) as record:
        model.fit(X, Y)
    message = one_warning(record)
    gap = model.solution_.certificate.relative_gap
    assert gap > 1e-6
    assert f"gap of {gap:.1e}" in message
    assert "tol of 1.0e-06" in message and "max_iter" in message
    # It is an answer all the same.
    assert model.predict(X).shape == (N,)


# Parameters and targets of every public estimator.

WRONG = {
    "tol": [None, "1e-3", np.nan, -1.0, True, np.inf],
    "max_iter": [None, "10", np.nan, -1, 0, 2.5, True],
    "weights": [Simplex, "simplex", 3],
    "solver": [SILP, "newton"],
    "normalize": ["unit", True, np.ones(2)],
    "center": ["no", None, 1],
    "verbose": [None, "yes", -1],
    "alpha": ["auto", None, np.nan, -1.0, True],
    "C": ["auto", None, np.nan, -1.0, True],
    "nu": ["auto", None, np.nan, 0, 1.5, True],
    "epsilon": ["auto", None, np.nan, -1.0, True],
    "gamma_A": ["auto", None, np.nan, 0, True],
    "gamma_I": ["auto", None, np.nan, -1.0, True],
    "n_neighbors": ["auto", None, np.nan, 0, 2.5, True],
    "norms": [[], "2", [True], [np.nan], [0.5], [[1, 2]], {}],
    "quantile": [0, 1, -0.1, 1.5, None, "0.5", True, np.nan],
    "alphas": [[], None, "learn", [True], [np.nan], [0], [None]],
    "vs": [[], None, "a", [True], [np.nan], [2], np.ones((1, 2))],
    "Cs": [[], None, "learn", [True], [np.nan], [0], 0],
    "loss": ["square", None, 1],
    "multiclass": ["ovo", None],
    "scatter": ["between", None],
    "multiclass_sdp": ["rough", None],
    "formulation": ["free", None],
    "graph": ["cosine", None],
    "normalized": ["no", None],
    "balance": ["no", None],
    "n_components": ["auto", np.nan, 0, 2.5, True],
    "store_covariance": ["no", None, 1],
    "weights_per_target": ["no", None, 1],
}
# What others than `fit` check: kernels here, the rest scikit-learn.
UNCHECKED = {"kernels", "kernel", "class_weight", "cv", "scoring", "metric", "priors"}
CASES = [
    (Estimator, name, value)
    for Estimator in ESTIMATORS
    for name in Estimator().get_params(deep=False)
    for value in WRONG.get(name, [])
]


def test_no_parameter_is_forgotten():
    names = {name for E in ESTIMATORS for name in E().get_params(deep=False)}
    assert names - UNCHECKED == set(WRONG)


@pytest.mark.parametrize("Estimator, name, value", CASES)
def test_wrong_parameter(Estimator, name, value):
    with pytest.raises(ValueError, match=rf"^{name} (must be|is empty)") as error:
        Estimator(**{name: value}).fit(X, Y)
    assert "got" in str(error.value) or "is empty" in str(error.value)


def test_weights_that_are_a_class():
    with pytest.raises(ValueError, match=r"got the class Simplex: write Simplex\("):
        MKLRidge(weights=Simplex).fit(X, Y)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tol": None}, "tol must be a number that is not negative, got None"),
        ({"max_iter": "9"}, "max_iter must be a whole number, at least 1, got '9'"),
        ({"solver": SILP}, "solver must be one of .*, got the class SILP"),
    ],
)
def test_wrong_options_of_solve(options, message):
    problem = Problem(DenseStack(GRAMS), Square(X[:, :1], 1.0), Simplex())
    with pytest.raises(ValueError, match=message):
        solve(problem, **options)


CLASSIFIERS = [E for E in ESTIMATORS if is_classifier(E())]
TARGETED = [E for E in ESTIMATORS if E is not MKLOneClassSVM]
TEXT = np.where(Y[0] == Y, "a", "b").astype(object)


@pytest.mark.parametrize("Estimator", CLASSIFIERS)
@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_labels_of_text_and_numbers(Estimator, kind):
    mixed = changed(TEXT, 3, 7)
    y = list(mixed) if kind is list else kind(mixed)
    with pytest.raises(ValueError, match=r"of text and of other kinds.*7 in row 3"):
        Estimator().fit(X, y)


@pytest.mark.parametrize("Estimator", TARGETED)
@pytest.mark.parametrize("bad", [pd.NA, np.nan, None], ids=str)
def test_missing_targets(Estimator, bad):
    numbers = pd.Series(changed(Y.astype(object), 2, bad))
    columns = [numbers, numbers.astype("Int64")]
    if is_classifier(Estimator()):
        columns += [pd.Series(changed(TEXT, 2, bad))]
    for y in columns:
        if Estimator is LaplacianMKLSVC:
            # An unlabelled row.
            assert len(Estimator(n_neighbors=5).fit(X, y).classes_) == 2
            continue
        with pytest.raises(ValueError, match=r"missing .* in 1 of 30 rows.* row 2"):
            Estimator().fit(X, y)


def test_unlabelled_rows_in_a_list_with_text():
    y = list(changed(TEXT, slice(0, 20), -1))
    model = LaplacianMKLSVC(n_neighbors=5).fit(X, y)
    assert model.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("columns", [1.5, [1.5], [None], True, object(), [0, True]])
def test_columns_of_a_wrong_type(columns):
    with pytest.raises(ValueError, match="kernel 'mine': columns must be None, the"):
        MKLRidge([RBF(columns=columns, name="mine")]).fit(X, Y)
