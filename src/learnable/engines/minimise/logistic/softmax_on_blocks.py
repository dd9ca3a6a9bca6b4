"""Multinomial logistic regression over rows in blocks, by Newton's method; one pass for each point.

minimise over W, b    sum_i s_i (log sum_k e^z_ik - z_i,code(i)) / sum_i s_i  +  alpha |W|^2 / 2,    z = XW + b
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ....core.runtime.trace import Trace
from ....core.validate.features import Array, Data
from ...iterate import iterate
from ...passes import RowBlock, TrainingRows
from ...sufficient_statistics import Moments
from ..newton_on_blocks import BlockNewton, LocalModel, StandardisedColumns
from ..optimality import rounding_factor
from ..smooth_solver import certify_gradient, gradient_tolerance

MAX_UNKNOWNS = 4000  # coefficients of all classes together, whose second derivatives are a matrix


class SoftmaxSums(NamedTuple):
    """Sums over rows at one point: weight, loss, first and second derivatives, and squares that measure them."""

    weight: float
    value: float
    gradient: Array
    hessian: Array
    squares: Array
    gradients: Array
    changes: Array


def softmax_sums(
    block: RowBlock,
    unknown: Array,
    classes: int,
    class_weight: Array,
    columns: StandardisedColumns,
    fit_intercept: bool,
) -> SoftmaxSums | None:
    """The sums of a block at the coefficients, class by class, of scaled columns with a constant one last."""
    weight = class_weight[block.y] if block.weight is None else class_weight[block.y] * block.weight
    total = float(weight.sum())
    if total == 0:
        return None
    A = columns.of_block(block)
    if fit_intercept:
        A = np.concatenate([A, np.ones((len(A), 1))], axis=1)
    scores = A @ unknown.reshape(classes, -1).T
    top = scores.max(axis=1, keepdims=True)
    exponentials = np.exp(scores - top)
    sums = exponentials.sum(axis=1, keepdims=True)
    probability = exponentials / sums
    own = np.arange(block.n), block.y
    value = float(weight @ (top[:, 0] + np.log(sums[:, 0]) - scores[own]))
    residual = probability.copy()
    residual[own] -= 1
    weighted = weight[:, None] * residual
    changes = weight @ (probability * (1 - probability) * scores) ** 2
    return SoftmaxSums(
        total,
        value,
        (A.T @ weighted).T.ravel(),
        _hessian(A, probability, weight),
        weight @ (A * A),
        weight @ residual**2,
        changes,
    )


def _hessian(A: Array, probability: Array, weight: Array) -> Array:
    """The second derivatives: a block for each pair of classes."""
    classes, p = probability.shape[1], A.shape[1]
    found = np.empty((classes, p, classes, p))
    for k in range(classes):
        for other in range(k + 1):
            own = probability[:, k]
            share = own * (1 - own) if other == k else own * probability[:, other]
            gram = Moments.of(A, np.zeros((len(A), 0)), weight * share, centre=False).gram
            found[k, :, other, :] = gram if other == k else -gram
            found[other, :, k, :] = found[k, :, other, :]
    return found.reshape(classes * p, classes * p)


def minimise_softmax_on_blocks(
    rows: TrainingRows, classes: int, class_weight: Array, alpha: float, fit_intercept: bool, max_iter: int, tol: float,
    trace: Trace, start: Callable[[], tuple[Array, Array]],
) -> tuple[Array, Array]:  # fmt: skip
    """Coefficients (classes, features) and intercepts."""
    columns = StandardisedColumns.of(rows, fit_intercept)
    tolerance = gradient_tolerance(tol)
    summarise = partial(
        softmax_sums, classes=classes, class_weight=class_weight, columns=columns, fit_intercept=fit_intercept
    )

    def at(unknown: Array, intercept: float) -> LocalModel:
        sums: SoftmaxSums = rows.total(summarise, unknown)
        weight = sums.weight
        gradient = sums.gradient / weight
        size = np.sqrt(sums.gradients / weight) + rounding_factor(tolerance) * np.sqrt(sums.changes / weight)
        sizes = np.outer(size, np.sqrt(sums.squares / weight)).ravel()
        none = np.zeros_like(gradient)
        return LocalModel(
            sums.value / weight, gradient, 0.0, sums.hessian / weight, -gradient, none, 0.0, sizes, float(size.max())
        )

    coef, intercept = columns.scaled(*(part.T for part in start()))
    first, penalty = coef.T, np.tile(alpha / columns.scale**2, (classes, 1))
    if fit_intercept:
        first = np.concatenate([first, np.atleast_1d(intercept)[:, None]], axis=1)
        penalty = np.concatenate([penalty, np.zeros((classes, 1))], axis=1)
    method = BlockNewton(at, penalty.ravel(), False, tolerance, (np.ascontiguousarray(first).ravel(), 0.0))
    state = iterate(method, max_iter, trace)
    certify_gradient(state["criterion"], tol, rows.first.X.dtype, trace)
    found = state["coef"].reshape(classes, -1)
    p = len(columns.mean)
    own, constant = columns.original(found[:, :p].T, found[:, p] if fit_intercept else np.zeros(classes))
    return own.T, np.asarray(constant) if fit_intercept else np.zeros(classes)


def class_totals(block: Data, classes: int) -> Array:
    """The weight of the rows of each class of a block."""
    return np.bincount(block.y, block.weight, classes).astype(np.float64)
