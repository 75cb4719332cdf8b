"""scikit-learn's own tests of its kernel machines, with ours in their place.

    python tests/sklearn_shims.py            counts, and what fails
    python tests/sklearn_shims.py --list     every test with its outcome

One kernel takes the place of several: the classes below translate parameters only
(kernel="rbf", gamma, degree, coef0), and everything else is what our estimators do. A
test that never uses one of these classes, such as those of LinearSVC, is none of ours,
and is counted apart. What we leave out, and why: docs/coming-from.md.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest
import sklearn.discriminant_analysis
import sklearn.kernel_ridge
import sklearn.svm
from scipy.sparse import csr_array, issparse
from sklearn.metrics import DistanceMetric  # noqa: F401  (loads what the tests want)

from kernelweave import (
    MKLSVC,
    MKLSVR,
    KernelDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.kernels import RBF, Cosine, Laplacian, Linear, Polynomial, Sigmoid

USED = {"count": 0}


def our_kernels(kernel, X, gamma, degree, coef0):
    """What a name of scikit-learn stands for."""
    if kernel == "precomputed":
        return "precomputed"
    if callable(kernel):
        return [kernel]
    d = X.shape[1]
    if gamma == "scale":
        variance = (
            X.multiply(X).mean() - X.mean() ** 2
            if issparse(X)
            else np.var(np.asarray(X))
        )
        gamma = 1 / (d * variance) if variance else 1.0
    gamma = 1 / d if gamma in ("auto", None) else gamma
    return {
        "linear": lambda: [Linear()],
        "rbf": lambda: [RBF(gamma=gamma)],
        "poly": lambda: [Polynomial(degree=degree, gamma=gamma, coef0=coef0)],
        "polynomial": lambda: [Polynomial(degree=degree, gamma=gamma, coef0=coef0)],
        "sigmoid": lambda: [Sigmoid(gamma=gamma, coef0=coef0)],
        "laplacian": lambda: [Laplacian(gamma=gamma)],
        "cosine": lambda: [Cosine()],
    }[kernel]()


def rows_of(X):
    return X if hasattr(X, "shape") else np.asarray(X)


# Their `kernel` is a name, and becomes a kernel of ours in `fit`.
THEIRS = {"kernel": lambda *_: None}


class SVC(MKLSVC):
    kernels = None
    _checks = THEIRS

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        class_weight=None,
        tol=1e-3,
        max_iter=-1,
        verbose=False,
        random_state=None,
        decision_function_shape="ovr",
        break_ties=False,
        probability=False,
        shrinking=True,
        cache_size=200,
    ):
        USED["count"] += 1
        self.C, self.kernel, self.degree, self.gamma = C, kernel, degree, gamma
        self.coef0, self.class_weight, self.tol = coef0, class_weight, tol
        self.max_iter, self.verbose, self.random_state = max_iter, verbose, random_state
        self.decision_function_shape = decision_function_shape
        self.break_ties, self.probability = break_ties, probability
        self.shrinking, self.cache_size = shrinking, cache_size

    def fit(self, X, y, sample_weight=None):
        return fit_as(self, MKLSVC, X, y, sample_weight, loss="hinge")


class SVR(MKLSVR):
    kernels = None
    _checks = THEIRS

    def __init__(
        self,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        C=1.0,
        epsilon=0.1,
        shrinking=True,
        cache_size=200,
        verbose=False,
        max_iter=-1,
    ):
        USED["count"] += 1
        self.C, self.kernel, self.degree, self.gamma = C, kernel, degree, gamma
        self.coef0, self.tol, self.epsilon = coef0, tol, epsilon
        self.shrinking, self.cache_size = shrinking, cache_size
        self.verbose, self.max_iter = verbose, max_iter

    def fit(self, X, y, sample_weight=None):
        return fit_as(self, MKLSVR, X, y, sample_weight, loss="epsilon_insensitive")


class OneClassSVM(MKLOneClassSVM):
    kernels = None
    _checks = THEIRS

    def __init__(
        self,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        nu=0.5,
        shrinking=True,
        cache_size=200,
        verbose=False,
        max_iter=-1,
    ):
        USED["count"] += 1
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.tol, self.nu, self.verbose, self.max_iter = tol, nu, verbose, max_iter
        self.shrinking, self.cache_size = shrinking, cache_size

    def fit(self, X, y=None, sample_weight=None):
        return fit_as(self, MKLOneClassSVM, X, y, sample_weight)


class KernelRidge(MKLRidge):
    kernels = None
    _checks = THEIRS

    def __init__(
        self,
        alpha=1,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
    ):
        USED["count"] += 1
        self.alpha, self.kernel, self.gamma = alpha, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params

    def fit(self, X, y, sample_weight=None):
        return fit_as(self, MKLRidge, X, y, sample_weight, center=False)


class LinearDiscriminantAnalysis(KernelDiscriminantAnalysis):
    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
    ):
        USED["count"] += 1
        self.solver, self.shrinkage, self.priors = solver, shrinkage, priors
        self.n_components, self.store_covariance = n_components, store_covariance
        self.tol, self.covariance_estimator = tol, covariance_estimator

    def fit(self, X, y):
        """The discriminant of least regularisation, of columns in their own units.

        A shrinkage s of the covariance Σ (d, d) within the classes is an alpha of
        n·s/(1 − s)·tr Σ/d for columns as they are; "auto" is an alpha that is learned.
        """
        if self.covariance_estimator is not None:
            raise NotImplementedError("covariance_estimator is left out")
        stored = self.store_covariance or self.solver != "svd"
        own = {"kernel": Linear(scale=True), "alpha": 1e-6, "scatter": "total"}
        own |= {"normalize": "variance", "center": True, "class_weight": None}
        own |= {"store_covariance": stored}
        if self.shrinkage == "auto":
            own |= {"alpha": "learn"}
        elif self.shrinkage:
            _, labels, counts = np.unique(y, return_inverse=True, return_counts=True)
            means = np.stack([X[labels == c].mean(axis=0) for c in range(len(counts))])
            trace = np.sum((X - means[labels]) ** 2)  # n tr Σ
            alpha = self.shrinkage / (1 - self.shrinkage) * trace / X.shape[1]
            own |= {"kernel": Linear(), "normalize": None, "alpha": float(alpha)}
        own |= {"solver": None, "tol": 1e-6}
        return with_parameters(self, own, KernelDiscriminantAnalysis.fit, X, y)


# Parameters that our estimators have, and theirs do not; the others are as they are.
DEFAULTS = {"weights": None, "solver": None, "normalize": None, "multiclass": "shared"}
DEFAULTS |= {"weights_per_target": False}


def fit_as(model, ours, X, y, sample_weight, **more):
    """Fit by our estimator, whose parameters are those of theirs, in other words."""
    X = rows_of(X)
    kernels = our_kernels(model.kernel, X, model.gamma, model.degree, model.coef0)
    own = DEFAULTS | {"center": False, "tol": 1e-10, "max_iter": 200, "verbose": 0}
    own |= {"kernels": kernels} | more
    with_parameters(model, own, ours.fit, X, y, sample_weight)
    if "support_" in vars(model):
        # libsvm's formats: coefficients of sparse tables are sparse.
        model._sparse = issparse(X)
        for name in ("dual_coef_", "coef_") if model._sparse else ():
            if name in vars(model):
                setattr(model, name, csr_array(getattr(model, name)))
    return model


def with_parameters(model, own, fit, *arguments):
    """Fit with parameters of ours; afterwards those of theirs are as they were."""
    theirs = {name: vars(model)[name] for name in own if name in vars(model)}
    vars(model).update(own)
    try:
        return fit(model, *arguments)
    finally:
        vars(model).update(theirs)


for module, classes in (
    (sklearn.svm, (SVC, SVR, OneClassSVM)),
    (sklearn.kernel_ridge, (KernelRidge,)),
    (sklearn.discriminant_analysis, (LinearDiscriminantAnalysis,)),
):
    for cls in classes:
        setattr(module, cls.__name__, cls)


class Counting:
    """What became of every test, and whether it used a class of ours."""

    def __init__(self):
        self.outcomes: dict[str, tuple[str, bool, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        before = USED["count"]
        found = yield
        self.used(item.nodeid, USED["count"] > before)
        return found

    def used(self, test, ours):
        outcome, _, why = self.outcomes.get(test, ("passed", False, ""))
        self.outcomes[test] = (outcome, ours, why)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            why = str(getattr(report.longrepr, "reprcrash", "") or "")
            self.outcomes[report.nodeid] = (report.outcome, False, why[-160:])


FILES = {
    "svm and kernel ridge": (
        "sklearn.svm.tests.test_svm",
        "sklearn.svm.tests.test_sparse",
        "sklearn.tests.test_kernel_ridge",
    ),
    "discriminant": ("sklearn.tests.test_discriminant_analysis",),
}
# How many of the tests that use ours must pass, with scikit-learn 1.9.
LEAST = {"svm and kernel ridge": 180, "discriminant": 24}


def main(arguments):
    fewer = []
    for title, modules in FILES.items():
        counting = Counting()
        quiet = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider"]
        options = ["-c", "/dev/null", "--tb=line", "--pyargs", *modules]
        pytest.main([*quiet, *options], plugins=[counting])
        groups = {True: Counter(), False: Counter()}
        for test, (outcome, ours, why) in sorted(counting.outcomes.items()):
            groups[ours][outcome] += 1
            if "--list" in arguments or (ours and outcome == "failed"):
                print(outcome, "ours" if ours else "-", test.rpartition("/")[2], why)
        total = len(counting.outcomes)
        passed = groups[True]["passed"] + groups[False]["passed"]
        print(f"{title}: {passed} of {total} tests pass; of the")
        print(f"  {sum(groups[True].values())} that use ours: {dict(groups[True])}")
        print(f"  {sum(groups[False].values())} that do not:  {dict(groups[False])}")
        if groups[True]["passed"] < LEAST[title]:
            fewer.append(f"{title}: fewer than {LEAST[title]}")
    return "; ".join(fewer) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
