"""Errors of training that overflows."""

from __future__ import annotations

import numpy as np

from ...core import scaling
from ...core.validate.features import Array, Matrix
from .network_plan import NetworkPlan


def divergence_message(
    plan: NetworkPlan, X: Matrix, rows: Array, weights: Array, epoch: int, step: int, rate: float, norms: list[float]
) -> str:
    """The step and the layer that left the range, the gradients before it, and the remedy."""
    culprit = _culprit(plan, X, rows, weights)
    story = f"training diverged in step {step} (epoch {epoch}) at a learning rate of {rate:g}: {culprit}"
    if norms:
        story += f"; the last gradient norms were {', '.join(f'{norm:.3g}' for norm in norms)}"
    largest = scaling.largest_entry(X)
    first = f"scale the columns of X (its largest entry is {largest:.3g}), then " if largest > 100 else ""
    return f"{story}. To fix it, {first}lower the learning rate, clip gradients, or scale y if it holds large numbers"


def _culprit(plan: NetworkPlan, X: Matrix, rows: Array, weights: Array) -> str:
    """The first layer whose weights or values are not finite, or the loss."""
    for depth, arrays in enumerate(plan.arrays(weights), 1):
        if not all(np.isfinite(array).all() for array in arrays.values()):
            return f"weights of layer {plan.layer_number(depth)} are not finite"
    for depth in range(1, plan.depth + 1):
        values = plan.scores(X[rows], weights, depth)
        if not np.isfinite(values).all():
            return f"values of layer {plan.layer_number(depth)} are not finite"
    return "the loss is not finite, though the scores are"
