"""The weights of the kernels for one loss, and with them the regularisation."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import host, is_foreign
from ..grams import WithIdentity
from ..losses import Square, WeightedSquare
from ..problem import Array, Loss, Named, Problem, WeightSet
from ..solve import Solution, solve
from ..stacklevel import outside
from ..weights import Simplex
from .fitting import warn_if_unproved


def learn(
    model: Any,
    data: Any,
    loss: Loss,
    *,
    identity: bool = False,
    weights: Any = None,
    solver: Any = None,
) -> tuple[Solution, float]:
    """Solve min_{θ∈Θ} max_A g(A) − ½Σθ_j s_j(A), and set what was learned.

    Sets weights_, solution_ and n_iter_ of the model.

    Parameters
    ----------
    model : KernelEstimator
    data : GramData, FeatureData or HingeData
    loss : Loss
    identity : bool
        Whether the identity matrix joins the stack as kernel 0. Its weight, in units of
        that matrix, comes back with the solution; without it, 0.
    weights, solver
        In the place of those of the parameters.
    """
    keep, gram = data.alive, data.stack
    if not keep.all():
        warn_of_constant(data)
        gram = gram.subset(keep)
    if identity:
        gram = WithIdentity(gram, 1 / data.n if model.normalize == "trace" else 1.0)
    weights = model.weights if weights is None else weights
    solution = solve(
        Problem(
            gram,
            loss if data.host else _moved(loss, data),
            Simplex() if weights is None else restricted(weights, data.names, keep),
        ),
        model.solver if solver is None else solver,
        model.tol,
        max_iter=model.max_iter,
        verbose=model.verbose,
    )
    if not solution.converged:
        name, remedy = type(model).__name__, model._doubt + model._softer
        warn_if_unproved(name, solution, model.tol, model._softer, remedy)
    theta, ridge = solution.weights, 0.0
    if isinstance(gram, WithIdentity):
        ridge, theta = gram.scale * float(theta[0]), theta[1:]
    model.weights_ = np.zeros(len(keep))
    model.weights_[keep] = theta
    model.solution_, model.n_iter_ = solution, solution.n_iter
    return solution, ridge


def square_loss(data: Any, H: Array, lam: float) -> Square | WeightedSquare:
    """The square loss of targets H (n, k), of samples as the data weigh them."""
    if data.v is None:
        return Square(H, lam, data.center)
    return WeightedSquare(H, lam, data.v, data.center)


def learn_ridge(
    model: Any, data: Any, lam: Any, loss: Loss, chosen: Any = None
) -> tuple[Solution, Any]:
    """Learn the weights with the λ of the loss or, if it is 0, with λ too.

    λ, or that of each target, comes back with the solution. `chosen` is the set of
    weights that goes with a λ that was chosen: such a λ is no mistake, however large it
    is.
    """
    if np.ndim(lam) == 0 and lam == 0:
        require_simplex("alpha", model.weights)
        return learn(model, data, loss, identity=True)
    solution, _ = learn(model, data, loss, weights=chosen)
    if chosen is None:
        trace = float(model.weights_ @ data.stack.traces)
        if isinstance(loss, WeightedSquare):
            # Σ_i v_iK_ii/λ bounds the degrees of freedom.
            ridge = lam / float(np.mean(host(loss.v)))
        else:
            ridge = float(np.mean(getattr(loss, "ridge", lam)))
        # tr K(λI + K)⁻¹ ≤ tr K/λ
        if trace < ridge:
            warnings.warn(
                f"alpha={np.mean(lam):g} is too large for these kernels: their "
                f"combined trace is {trace:.3g}, so the model has less than one "
                "effective degree of freedom and predicts hardly more than the mean. "
                "Use normalize='variance', or a smaller alpha",
                UserWarning,
                stacklevel=outside(),
            )
    return solution, lam


def warn_of_constant(data: Any) -> None:
    """Say which kernels are zero or constant on the training rows; not all may be."""
    if not data.alive.any():
        raise ValueError(
            "every kernel is zero or constant on the training rows, so there is "
            "nothing to learn from: check the columns of the kernels, or scale "
            "them (scale=True) if their mean is 1e5 times their spread"
        )
    constant = ", ".join(map(repr, np.array(data.names, dtype=object)[~data.alive]))
    warnings.warn(
        f"kernels that are zero or constant on the training rows get weight 0: "
        f"{constant}",
        UserWarning,
        stacklevel=outside(),
    )


def restricted(weights: Any, names: list[str], keep: Array) -> WeightSet:
    """The set of the weights of some kernels: `keep` (p,) is their mask."""
    if isinstance(weights, Named):
        weights = weights.named(names)
    return weights.restrict(keep)


def require_simplex(parameter: str, weights: Any) -> None:
    """Refuse sets of weights of which the identity cannot be a part."""
    if weights is not None and not (isinstance(weights, Simplex) and weights.r is None):
        raise ValueError(
            f"{parameter}='learn' takes part in the constraint on the weights, which "
            f"must be Simplex(), got {weights!r}"
        )


def _moved(loss: Any, data: Any) -> Any:
    """The loss with its arrays where the Gram matrices are."""
    arrays = {k: v for k, v in vars(loss).items() if isinstance(v, np.ndarray)}
    moved = {name: data.home(value) for name, value in arrays.items()}
    changed = any(is_foreign(value) for value in moved.values())
    return replace(loss, **moved) if changed else loss
