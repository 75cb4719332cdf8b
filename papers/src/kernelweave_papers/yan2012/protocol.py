"""What the paper measured: error and accuracy (§3.1 to §3.5).

λ is the paper's, in K(θ) + λI, for kernels that are spherical and then centred; the
weights have ‖θ‖_p = 1. The wrapper's ε = 1e-4 becomes our relative duality gap.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelweave.analysis import effective_kernels
from kernelweave.estimators import MKLDiscriminantAnalysis
from kernelweave.problem import Array, Solver, WeightSet
from kernelweave.weights import Fixed, LpBall

from .tasks import Task, flowers, random_kernels, simulated

Rows = list[dict[str, Any]]
Progress = Callable[[str], object]

# §3.3 and §3.4: 12 norms, 10 λ. The last norm is "practically infinity".
NORMS = (1.0, *(1 + 2.0**-i for i in range(6, 0, -1)), 2.0, 3.0, 4.0, 8.0, np.inf)
LAMBDAS = tuple(4.0**i for i in range(-5, 5))
TOL = 1e-4


def fit(
    task: Task,
    rows: Array,
    weights: WeightSet,
    lam: float,
    solver: Solver | None = None,
    tol: float = TOL,
) -> MKLDiscriminantAnalysis:
    """Learn from some rows of a task."""
    untouched: Any = None
    model = MKLDiscriminantAnalysis(
        "precomputed", weights, lam, solver=solver, normalize=untouched, tol=tol
    )
    with warnings.catch_warnings():
        # The λ are the paper's, and the rows report what has not converged.
        warnings.filterwarnings("ignore", "alpha=", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(task.K[:, rows[:, None], rows], task.y[rows])


def accuracy(
    task: Task, model: MKLDiscriminantAnalysis, fitted: Array, rows: Array
) -> float:
    """The share of the rows that a model fitted to others gets right."""
    return float(model.score(task.K[:, rows[:, None], fitted], task.y[rows]))


def simulation(
    n_kernels: Iterable[int] = range(5, 51, 5),
    repeats: int = 100,
    norms: Sequence[float] = (1.0, 2.0),
    lam: float = 1.0,
    seed: int = 0,
    progress: Progress | None = None,
    first: int = 0,
) -> Rows:
    """Figure 1 (c): the error as equally informative kernels are added.

    λ is not printed; 1 is that of §3.7. `first` is the number of the first repeat.

    Returns
    -------
    rows of kernels, repeat, p, error, effective (number of kernels, by the weights)
    """
    out: Rows = []
    for count in n_kernels:
        if progress is not None:
            progress(f"simulation, {count} kernels")
        for repeat in range(first, first + repeats):
            task = simulated(count, np.random.default_rng((seed, count, repeat)))
            for p in norms:
                model = fit(task, task.train, LpBall(p), lam)
                error = 1 - accuracy(task, model, task.train, task.test)
                out.append(
                    {
                        "kernels": count,
                        "repeat": repeat,
                        "p": p,
                        "error": error,
                        "effective": effective_kernels(model.weights_),
                    }
                )
    return out


def simulation_weights(
    n_kernels: Iterable[int] = (5, 30),
    norms: Sequence[float] = (1.0, 2.0),
    lam: float = 1.0,
    seed: int = 0,
) -> Rows:
    """Figure 1 (b): the weights of one draw; rows of kernels, p, kernel, weight."""
    out: Rows = []
    for count in n_kernels:
        task = simulated(count, np.random.default_rng((seed, count, 0)))
        for p in norms:
            theta = fit(task, task.train, LpBall(p), lam).weights_
            out += [
                {"kernels": count, "p": p, "kernel": j, "weight": float(weight)}
                for j, weight in enumerate(theta)
            ]
    return out


def mixtures(
    tasks: Iterable[Task],
    counts: Iterable[tuple[int, int]],
    norms: Sequence[float] = (1.0, 2.0),
    lams: Sequence[float] = LAMBDAS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Figures 2 and 6: informative kernels mixed with random ones.

    Parameters
    ----------
    tasks : iterable of Task
        One a repeat. Their kernels are the informative ones, taken in random order.
    counts : iterable of (informative, random)
        How many of each. Figure 2 has (i, 30 − i), Figure 6 has (10, 0), (10, 2), ...
    norms, lams, seed
        λ is chosen for each norm on the validation rows.

    Returns
    -------
    rows of informative, random, repeat, p, lam, accuracy, effective,
    informative_share (of the weights)
    """
    counts = list(counts)
    out: Rows = []
    for repeat, task in enumerate(tasks):
        rng = np.random.default_rng((seed, repeat))
        order = rng.permutation(len(task.K))
        noise = random_kernels(max(r for _, r in counts), len(task.y), rng)
        # A stack is judged by its precision: let the noise not hide that of the task.
        noise = noise.astype(task.K.dtype)
        for informative, n_random in counts:
            if progress is not None:
                progress(f"repeat {repeat + 1}, {informative} + {n_random} kernels")
            K = np.concatenate([task.K[order[:informative]], noise[:n_random]])
            mixed = replace(task, K=K)
            for p in norms:
                lam, _ = tune(mixed, LpBall(p), lams)
                model = fit(mixed, task.train, LpBall(p), lam)
                theta = model.weights_
                out.append(
                    {
                        "informative": informative,
                        "random": n_random,
                        "repeat": repeat,
                        "p": p,
                        "lam": lam,
                        "accuracy": accuracy(mixed, model, task.train, task.test),
                        "effective": effective_kernels(theta),
                        "informative_share": float(
                            theta[:informative].sum() / theta.sum()
                        ),
                    }
                )
    return out


def tune(task: Task, weights: WeightSet, lams: Sequence[float]) -> tuple[float, float]:
    """The λ of the best accuracy on the validation rows (the largest), and that."""
    scores = [
        accuracy(task, fit(task, task.train, weights, lam), task.train, task.validation)
        for lam in lams
    ]
    best = max(zip(scores, lams, strict=True))
    return best[1], best[0]


def flower_methods(
    tasks: Iterable[Task] | None = None,
    norms: Sequence[float] = NORMS,
    lams: Sequence[float] = LAMBDAS,
    progress: Progress | None = None,
) -> Rows:
    """Table 2: product, average, best single kernel, ℓ1, ℓ∞ and tuned ℓp MK-FDA.

    Everything is tuned on the validation rows (λ; which kernel; p and λ), then learned
    from the training and validation rows together. "product" is the geometric mean of
    the kernels, exp(−mean_j D_j/η_j); all of them use discriminant analysis, where the
    table has an SVM for the first three.

    Parameters
    ----------
    tasks : iterable of Task, default the three splits of Flower17
    norms : sequence of float
        With 1 and inf among them.

    Returns
    -------
    rows of split, method, p, lam, validation, accuracy, effective
    """
    out: Rows = []
    for split, task in enumerate(map(flowers, range(3)) if tasks is None else tasks):
        product = np.exp(np.mean(np.log(task.K), axis=0))[None]
        candidates: dict[str, list[tuple[Task, WeightSet, float | None]]] = {
            "product": [(replace(task, K=product), Fixed(), None)],
            "average": [(task, Fixed(), None)],
            "best single": [(replace(task, K=K[None]), Fixed(), None) for K in task.K],
            "ℓp": [(task, LpBall(p), p) for p in norms],
        }
        tuned = []
        for method, rivals in candidates.items():
            for rival, weights, p in rivals:
                if progress is not None:
                    norm = "" if p is None else f", p = {p:g}"
                    progress(f"split {split + 1}, {method}{norm}")
                lam, score = tune(rival, weights, lams)
                tuned.append((score, method, rival, weights, p, lam))
        chosen = {m: _best(t for t in tuned if t[1] == m) for m in candidates}
        chosen["ℓ1"] = _best(t for t in tuned if t[4] == 1)
        chosen["ℓ∞"] = _best(t for t in tuned if t[4] == np.inf)
        both = np.concatenate([task.train, task.validation])
        for method, (score, _, rival, weights, p, lam) in chosen.items():
            model = fit(rival, both, weights, lam)
            out.append(
                {
                    "split": split,
                    "method": method,
                    "p": p,
                    "lam": lam,
                    "validation": score,
                    "accuracy": accuracy(rival, model, both, task.test),
                    "effective": effective_kernels(model.weights_),
                }
            )
    return out


def _best(tuned: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    return max(tuned, key=lambda candidate: candidate[0])


def summary(rows: Rows, by: Sequence[str], value: str) -> Rows:
    """Mean, standard deviation and number of a value, for rows that agree in `by`."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in by), []).append(row[value])
    return [
        dict(zip(by, key, strict=True))
        | {
            "mean": float(np.mean(values)),
            "deviation": float(np.std(values)),
            "count": len(values),
        }
        for key, values in groups.items()
    ]
