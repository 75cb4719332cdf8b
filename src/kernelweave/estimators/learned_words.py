"""What was learned for prediction, and what it is worth, in plain words."""

from __future__ import annotations

from ..selection.descent import Descent
from ..selection.widths import LearnedWidths


def learned_words(found: Descent | LearnedWidths) -> str:
    if isinstance(found, Descent) and found.widest:
        return (
            "Of Gaussians, Laplacians and linear kernels on the same columns only the "
            "widest Gaussian is used: by it alone classes of left-out samples are more "
            "probable than by all of them, beyond the noise of seeing so. What is used "
            "weighs the same."
        )
    if not found.accepted:
        return (
            "All kernels weigh the same: no other weights were seen to predict "
            "left-out samples better, beyond the noise of doing so."
        )
    share = 1 - found.value / (found.start_value or 1.0)
    return (
        f"Weights that predict left-out samples better than equal ones, by {share:.1%} "
        "of their squared error: a local optimum of leave-one-out, which nothing "
        "proves to be the best."
    )
