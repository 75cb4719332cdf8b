"""From what a user holds to the fitted estimator inside."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted


def model_in(estimator: Any) -> Any:
    """The fitted multiple kernel estimator in a search or at the end of a pipeline."""
    return model_and_rows(estimator, None)[0]


def model_and_rows(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The estimator of `model_in`, and the rows of X as it sees them."""
    while hasattr(estimator, "best_estimator_") or hasattr(estimator, "steps"):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            if X is not None and len(estimator.steps) > 1:
                X = estimator[:-1].transform(X)
            estimator = estimator.steps[-1][1]
    check_is_fitted(estimator)
    if not hasattr(estimator, "weights_") or not hasattr(estimator, "kernel_names_"):
        raise ValueError(
            f"{type(estimator).__name__} has no weights of kernels; give an estimator "
            "of kernelweave, or a pipeline or search that ends in one"
        )
    return estimator, X


def worst_gap(model: Any) -> float | None:
    """The relative duality gap, of several solutions the largest; None: no proof."""
    solutions = solutions_of(model)
    if any(solution.certificate is None for solution in solutions):
        return None
    return max(solution.certificate.relative_gap for solution in solutions)


def solutions_of(model: Any) -> tuple[Any, ...]:
    """One solution, or one for each class."""
    found = model.solution_
    return found if isinstance(found, tuple) else (found,)
