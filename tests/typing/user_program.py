"""A small program of a user's, for the type checkers: tests/test_typing.py."""

from typing import assert_type

import numpy as np

from kernelweave import (
    METHODS,
    MKLSVC,
    KernelDiscriminantAnalysis,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLHuberRegressor,
    MKLLogisticRegression,
    MKLPoissonRegressor,
    MKLQuantileRegressor,
    MKLRidge,
    MKLRidgeCV,
    Problem,
    solve,
)
from kernelweave.grams import DenseStack
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.losses import Square
from kernelweave.solution import Certificate, Solution, Status
from kernelweave.solvers import SILP
from kernelweave.weights import ElasticNet, LpBall, Simplex

X = np.random.default_rng(0).normal(size=(30, 3))
y = np.arange(30) % 2

model = MKLDiscriminantAnalysis([RBF(), Linear()], weights=ElasticNet(0.5)).fit(X, y)
assert_type(model, MKLDiscriminantAnalysis)
proof: Certificate = model.solution_.certificate
why: Status = model.solution_.status
learned = MKLRidgeCV(norms=[1, 2], alphas=[1.0, 10.0]).fit(X, X[:, :2])
assert_type(learned, MKLRidgeCV)
scores: np.ndarray = learned.score_per_target(X, X[:, :2])
MKLRidge(alpha=[0.1, 1.0]).fit(X, X[:, :2])
KernelDiscriminantAnalysis(Linear(), alpha="learn").fit(X, y)
machine = MKLSVC([RBF(gamma=0.1), Linear()], loss="squared_hinge", C="learn")
assert_type(machine.fit(X, y), MKLSVC)
MKLRidge([Nystroem(RBF(), n_components=5)], alpha=0.1).fit(X, X[:, 0])
assert_type(MKLLogisticRegression(C=10).fit(X, y), MKLLogisticRegression)
assert_type(MKLHuberRegressor().fit(X, X[:, 0]), MKLHuberRegressor)
assert_type(MKLPoissonRegressor().fit(X, y), MKLPoissonRegressor)
assert_type(MKLQuantileRegressor().fit(X, X[:, 0]), MKLQuantileRegressor)
few = [Nystroem(RBF(), n_components=5)]
assert_type(MKLRidge(few).partial_fit(X, X[:, 0]), MKLRidge)
assert_type(
    MKLDiscriminantAnalysis(few).partial_fit(X, y, classes=[0, 1]),
    MKLDiscriminantAnalysis,
)
assert_type(
    MKLDiscriminantAnalysisCV(few, norms=[1]).partial_fit(X, y, classes=[0, 1]),
    MKLDiscriminantAnalysisCV,
)
MKLRidge(weights=LpBall(2), solver=SILP(), alpha=0.1).fit(X, X[:, 0]).predict(X)

grams = DenseStack(np.stack([X @ X.T, np.eye(30)]))
problem = Problem(grams, Square(X[:, :1], 0.1), Simplex())
answer = solve(problem, tol=1e-6)
assert_type(answer, Solution)
assert_type(answer.certificate, Certificate)
assert_type(answer.status, Status)
assert_type(answer.certificate.relative_gap, float)
names: list[str] = sorted(METHODS)
