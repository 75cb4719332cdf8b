"""Random problems, whose bounds are judged by code that shares nothing with the solver.

    python tests/fuzz.py --minutes 10          # as many draws as fit; prints the counts
    python tests/fuzz.py --draw 123            # one draw again, with what was found

A draw is loss × set of weights × solver × representation × scale, all from its number.
`verify.py` computes F(θ) and D(A) again in long double. An answer is WRONG if its
weights are outside the set, its upper bound is below F(θ), its lower bound is not D(A),
it is called OPTIMAL and is not, a bound is not a number, its bounds contradict each
other unsaid, or an exception comes out. A
solver may refuse a problem with a TypeError or ValueError, the conic solver behind QCQP
and SDP may give up, and any may end above its tolerance, saying so: these are counted.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import naive
import problems
import verify
from kernelweave import Problem, losses, solve, solvers, weights
from kernelweave.grams import (
    DenseStack,
    LazyStack,
    LowRankStack,
    MappedStack,
    WithIdentity,
)
from kernelweave.kernels import RBF, Linear, Polynomial, Precomputed
from kernelweave.losses.square import class_coding
from kernelweave.solution import Status

EPS = np.finfo(float).eps
# Seconds that one solve may take; what ends so is counted.
LIMIT = 10.0


@dataclass
class Draw:
    """A problem, the verifier's view of it, and how much rounding both may differ by.

    `rounding` is relative to F. Reported bounds may be off by a twentieth of tol. The
    Gram matrices of a representation that computes them again differ from the
    verifier's by ε‖K‖ before the centring, and F then by up to ε‖K‖/λ. The verifier's
    own products are those of long double: its ε‖K‖/λ is added to either.
    """

    words: str
    problem: Problem
    solver: Any
    tol: float
    oracle: Any
    set: Any
    rounding: float


def draw(number: int, folder: Path) -> Draw:
    """The problem of this number; matrices in files go to `folder`."""
    rng = np.random.default_rng(number)
    large = rng.random() < 0.05
    n = int(rng.integers(400, 450) if large else rng.integers(4, 60))
    p = int(rng.integers(1, 4) if large else rng.choice([1, 2, 5, 12, 110]))
    where = str(rng.choice(["dense", "dense", "lazy", "low rank", "mapped"]))
    gram, K, shrunk = _stack(rng, where, n, p, folder)
    p = len(K)
    lam = 10.0 ** rng.uniform(-7, 3)
    scale = 10.0 ** rng.choice([-8, 0, 0, 0, 8])
    name = str(rng.choice([*_LOSSES]))
    loss, oracle = _LOSSES[name](rng, K, lam, scale)
    if isinstance(loss, losses.Square) and rng.random() < 0.1:
        # λ is learned as the weight of the identity.
        unit = float(np.trace(K[0])) / n
        loss.lam, lam, name = 0.0, unit / (p + 1), name + ", λ learned"
        gram = WithIdentity(gram, unit)
        K = verify.with_identity(K, unit)
        p, oracle = p + 1, verify.Square(K, loss.H, 0.0, loss.intercept)
    theta_set, judge, largest = _set(rng, p)
    solver = _solver(rng, n, p)
    tol = 10.0 ** rng.uniform(-7, -2)
    top = largest * float(max(np.trace(k) for k in K))
    known = 100 * EPS * shrunk + np.finfo(verify.LONG).eps
    rounding = 1e-9 + tol / 20 + float(known) * top / lam
    words = f"{name} | {where} n={n} p={p} | λ={lam:.1e} ×{scale:g} | {theta_set!r} | "
    words += f"{solver!r} tol={tol:.1e}"
    problem = Problem(gram, loss, theta_set)
    return Draw(words, problem, solver, tol, oracle, judge, rounding)


def _stack(rng, where, n, p, folder):
    """A Gram stack, and its matrices (p, n, n) computed apart from it.

    The third: how many times larger the numbers were before the centring; zero if the
    stack holds just these matrices.
    """
    if where == "lazy":
        X = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-2, 2, 3)
        X = X + rng.choice([0, 0, 100]) * X.std(axis=0)
        kernels = [_kernel(rng, X) for _ in range(min(p, 5))]
        normalize = rng.choice(["variance", "trace"])
        gram = LazyStack([kernel.fit(X) for kernel, _ in kernels], X, normalize, True)
        total = n if normalize == "variance" else 1.0
        # Distances and products of the centred rows: the matrices are centred anyway.
        raw = [of(X - X.mean(axis=0)) for _, of in kernels]
        K = [naive.centre(k) for k in raw]
        shrunk = max(np.trace(r) / np.trace(k) for r, k in zip(raw, K, strict=True))
        # Rows up to 100 standard deviations away stay where they are.
        shrunk *= 1 + np.sum(X.mean(axis=0) ** 2) / np.sum(X.var(axis=0))
        return gram, np.stack([k * (total / np.trace(k)) for k in K]), shrunk
    K = _matrices(rng, n, p)
    if where == "low rank":
        Z = [rng.normal(size=(n, int(rng.integers(1, 6)))) for _ in K]
        Z = [z * 10.0 ** rng.uniform(-3, 3) for z in Z]
        return LowRankStack(Z), np.stack([z @ z.T for z in Z]), 1.0
    if where == "mapped":
        K = K[:3]
        files = [folder / f"{j}.npy" for j in range(len(K))]
        for file, k in zip(files, K, strict=True):
            np.save(file, k)
        given = [Precomputed(np.load(file, mmap_mode="r")) for file in files]
        X = np.arange(n)[:, None]
        return MappedStack([g.fit(X) for g in given], X, None, False), K, 0.0
    return DenseStack(K), K, 0.0


def _kernel(rng, X):
    """A kernel, and the same of centred rows in NumPy; Polynomial is of raw rows."""
    kind = rng.integers(3)
    if kind == 0:
        gamma = 10.0 ** rng.uniform(-2, 1) / float(np.var(X, axis=0).sum())

        def rbf(Z):
            D = np.sum((Z[:, None] - Z[None]) ** 2, axis=2)
            return np.exp(-gamma * D)

        return RBF(gamma=gamma), rbf
    if kind == 1:
        return Linear(), lambda Z: Z @ Z.T
    gamma = 1 / float(np.sum(X**2, axis=1).max())
    power = Polynomial(degree=2, gamma=gamma, coef0=1.0)
    return power, lambda Z: (gamma * X @ X.T + 1) ** 2


def _matrices(rng, n, p):
    """Matrices of many shapes: full and low rank, near the identity, equal, scaled."""
    rank = None if rng.random() < 0.5 else int(rng.integers(1, n + 1))
    K = problems.random_psd(rng, p, n, rank)
    shape = rng.integers(5)
    if shape == 0:
        x = rng.normal(size=(n, 1))
        widths = 10.0 ** rng.uniform(-2, 2, p)
        K = np.exp(-((x - x.T) ** 2) / widths[:, None, None])
    elif shape == 1:
        K[: p // 2 + 1] = K[0]
    elif shape == 2:
        K = K * 10.0 ** rng.uniform(-5, 5, p)[:, None, None]
    if rng.random() < 0.5:
        K = np.stack([naive.centre(k) for k in K])
    return (K + K.transpose(0, 2, 1)) / 2


def _square(rng, K, lam, scale):
    H = scale * rng.normal(size=(K.shape[1], int(rng.integers(1, 4))))
    intercept = bool(rng.random() < 0.5)
    return losses.Square(H, lam, intercept), verify.Square(K, H, lam, intercept)


def _majorized(rng, K, lam, scale):
    n = K.shape[1]
    k = int(rng.integers(2, min(4, n) + 1))
    H, intercept = class_coding(problems.labels(rng, n, k), k), bool(rng.random() < 0.5)
    lam = max(lam, 1e-4)
    return (
        losses.MajorizedSquare(H, lam, intercept),
        verify.Majorized(K, H, lam, intercept),
    )


def _fisher(rng, K, lam, scale):
    y = np.where(problems.labels(rng, K.shape[1], 2) == 1, 1.0, -1.0)
    return losses.FisherRatio(y, lam), verify.Fisher(K, y, lam)


def _hinge(name):
    def make(rng, K, lam, scale):
        n, k = K.shape[1], int(rng.integers(1, 4))
        Y = np.column_stack([2.0 * problems.labels(rng, n, 2) - 1 for _ in range(k)])
        C, intercept = _penalty(K, lam), bool(rng.random() < 0.5)
        loss = getattr(losses, name)(Y, C, intercept)
        oracle = verify.hinge if name == "Hinge" else verify.squared_hinge
        return loss, oracle(K, Y, C, intercept)

    return make


def _tube(name):
    def make(rng, K, lam, scale):
        H = scale * rng.normal(size=(K.shape[1], int(rng.integers(1, 3))))
        C, intercept = _penalty(K, lam), bool(rng.random() < 0.5)
        # The bound on |A| is in units of the targets, the ridge 1/C is not.
        C, width = (C * scale if name == "EpsilonInsensitive" else C), 0.1 * scale
        loss = getattr(losses, name)(H, C, width, intercept)
        plain = name == "EpsilonInsensitive"
        oracle = (
            verify.epsilon_insensitive if plain else verify.squared_epsilon_insensitive
        )
        return loss, oracle(K, H, C, width, intercept)

    return make


def _penalty(K, lam):
    """C with C‖K‖ up to 1e5 in units of the targets: beyond, rounding rules."""
    return min(1 / lam, 1e5 / float(max(np.linalg.norm(k, 2) for k in K)))


_LOSSES = {
    "square": _square,
    "majorized square": _majorized,
    "fisher": _fisher,
    "hinge": _hinge("Hinge"),
    "squared hinge": _hinge("SquaredHinge"),
    "tube": _tube("EpsilonInsensitive"),
    "squared tube": _tube("SquaredEpsilonInsensitive"),
}


def _set(rng, p):
    """A set of weights, the verifier's, and how large a weight may be."""
    kind = rng.integers(4)
    if kind == 0:
        return weights.Simplex(), verify.Simplex(np.ones(p)), 1.0
    if kind == 1:
        r = 10.0 ** rng.uniform(-2, 2, p)
        return weights.Simplex(r), verify.Simplex(r), 1 / float(r.min())
    if kind == 2:
        power = float(rng.choice([1.05, 1.3, 2.0, 4.0, 16.0]))
        return weights.LpBall(power), verify.LpBall(power), 1.0
    v, power = float(rng.uniform(0.05, 0.95)), 2.0
    if rng.random() < 0.4:
        v = float(rng.choice([1e-12, 1 - 1e-9, 1 - 1e-12]))
        power = float(rng.choice([1.0001, 1.5, 2.0, 2.0, 8.0]))
    # vθ + (1 − v)θ^p ≤ 1, so that θ ≤ 1/v and θ ≤ 1/(1 − v)^(1/p).
    largest = min(1 / v, (1 - v) ** (-1 / power))
    return weights.ElasticNet(v, power), verify.ElasticNet(v, power), largest


def _solver(rng, n, p):
    """None is the default of the library, and drawn most often."""
    names = ["Newton", "Galerkin", "SILP", "Level", "Alternating", "ReducedGradient"]
    names += ["DualLBFGS", "SMO", "Interleaved", "Primal"]
    if n * p <= 60:
        names += ["QCQP", "SDP"]
    name = rng.choice([*[None] * len(names), *names])
    if name == "SDP":
        # SCS takes minutes for larger matrices: those are refused.
        return solvers.SDP(max_size=25)
    return None if name is None else getattr(solvers, name)()


def judge(found: Draw) -> str:
    """How the solution ended, or WRONG and why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            solution = solve(
                found.problem, found.solver, found.tol, max_iter=300, time_limit=LIMIT
            )
    except (TypeError, ValueError) as error:
        if found.solver is not None:
            return f"refused: {type(found.solver).__name__}"
        return f"WRONG: the default solver raised {error!r}"
    except RuntimeError as error:
        # Clarabel and SCS have their limits; QCQP and SDP say so.
        if isinstance(found.solver, solvers.QCQP | solvers.SDP):
            return f"refused: {type(found.solver).__name__}"
        return f"WRONG: {error!r}"
    except Exception:
        return "WRONG: " + traceback.format_exc(limit=-3)
    wrong = _wrong(found, solution)
    return f"WRONG: {wrong} ({solution.status.name})" if wrong else solution.status.name


def _wrong(found: Draw, solution: Any) -> str | None:
    theta, c = np.asarray(solution.weights), solution.certificate
    optimal = solution.status is Status.OPTIMAL
    if not np.all(np.isfinite([*theta, c.primal])) or np.isnan(c.dual):
        return f"not a number: weights {theta}, bounds {c.dual}, {c.primal}"
    if np.any(theta < 0) or found.set.cost(theta) > 1 + 1e-9:
        return f"weights outside the set, cost {found.set.cost(theta)}"
    try:
        primal = float(found.oracle.primal(theta))
    except AssertionError:
        return None  # the verifier cannot tell
    if c.relative_gap < -found.tol and solution.status is not Status.CONTRADICTED:
        return f"bounds {c.dual} > {c.primal} that contradict each other"
    A = np.asarray(solution.dual_A, float)
    dual = float(found.oracle.bound(A, found.set))
    size = max(abs(primal), abs(dual))
    rounding = found.rounding * size
    if c.primal < primal - rounding:
        return f"the upper bound {c.primal!r} is below F = {primal!r}"
    if c.dual > dual + rounding:
        return f"the lower bound {c.dual!r} is above D = {dual!r}"
    if optimal and primal - dual > found.tol * size + 2 * rounding:
        return f"OPTIMAL at a true gap of {(primal - dual) / size:.1e}"
    return None


def run(numbers, report=print, until: float = np.inf) -> tuple[Counter, list[int]]:
    """Judge these draws; counts by loss and outcome, and the numbers of wrong ones."""
    counts: Counter = Counter()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            if time.monotonic() > until:
                break
            found = draw(number, Path(folder))
            outcome = judge(found)
            counts[found.words.split(" |")[0], outcome.split(":")[0]] += 1
            if outcome.startswith("WRONG"):
                wrong.append(number)
                report(f"draw {number}: {found.words}\n  {outcome}")
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--draw", type=int, help="this draw only")
    options = parser.parse_args()
    if options.draw is not None:
        with tempfile.TemporaryDirectory() as folder:
            found = draw(options.draw, Path(folder))
            print(found.words, judge(found), sep="\n")
        return 0
    until = time.monotonic() + 60 * options.minutes
    numbers = range(options.first, options.first + 10**9)
    counts, wrong = run(numbers, until=until)
    outcomes = sorted({outcome for _, outcome in counts})
    for name in sorted({name for name, _ in counts}):
        row = [f"{o} {counts[name, o]}" for o in outcomes if counts[name, o]]
        print(f"{name:28s}", "  ".join(row))
    print(f"{sum(counts.values())} draws from {options.first}, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
