"""Bad input is a ValueError that names the culprit; doubtful input is a warning."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed, Simplex

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
@pytest.mark.parametrize("bad, name", [(np.nan, "NaN"), (np.inf, "infinity")])
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
@pytest.mark.parametrize("alpha", [-1.0, 0, np.nan, np.inf, "auto", None, [1.0], 1j])
def test_alpha(Estimator, alpha):
    with pytest.raises(ValueError, match="alpha must be"):
        Estimator(alpha=alpha).fit(X, Y)


def test_learning_alpha_needs_the_simplex():
    for weights in (Fixed(), Simplex([1.0, 2.0])):
        model = MKLDiscriminantAnalysis(KERNELS, weights, alpha="learn")
        with pytest.raises(ValueError, match=r"alpha='learn'.*Simplex\(\)"):
            model.fit(X, Y)
    with pytest.raises(ValueError, match="alpha='learn'"):
        KernelDiscriminantAnalysis(alpha="learn").fit(X, Y)
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
