"""What to say of training that left the range of floating-point numbers."""

from __future__ import annotations

import numpy as np

from ...core import scaling
from ...core.validate.features import Array, Matrix
from .dense_plan import DensePlan


def divergence_message(
    plan: DensePlan, X: Matrix, rows: Array, weights: Array, epoch: int, step: int, rate: float, norms: list[float]
) -> str:
    """The step and the layer that left the range, the gradients before it, and the remedy."""
    culprit = _culprit(plan, X, rows, weights)
    story = f"training diverged in step {step} (epoch {epoch}) at a learning rate of {rate:g}: {culprit}"
    if norms:
        story += f"; the last gradient norms were {', '.join(f'{norm:.3g}' for norm in norms)}"
    largest = scaling.largest_entry(X)
    first = f"scale the columns of X (its largest entry is {largest:.3g}), then " if largest > 100 else ""
    return f"{story}. To fix it, {first}lower the learning rate, clip gradients, or scale y if it holds large numbers"


def _culprit(plan: DensePlan, X: Matrix, rows: Array, weights: Array) -> str:
    """The first layer whose weights or values are not finite, or the loss."""
    matrices, intercepts = plan.split(weights)
    for number, (matrix, intercept) in enumerate(zip(matrices, intercepts, strict=True), 1):
        if not (np.isfinite(matrix).all() and np.isfinite(intercept).all()):
            return f"weights of layer {number} are not finite"
    for number in range(1, len(plan.layers) + 1):
        values = plan.scores(X[rows], weights, number)
        if not np.isfinite(values).all():
            return f"values of layer {number} are not finite"
    return "the loss is not finite, though the scores are"
