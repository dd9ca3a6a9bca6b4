"""Newton's method for a linear model over rows in blocks: one pass gives value, gradient and curvature.

    minimise over w, b    sum_i s_i loss(y_i, x_i w + b) / sum_i s_i  +  alpha |w|^2 / 2

Columns are centred and scaled inside the passes, by means and deviations that a first pass finds, so that columns far
from zero cost no digits; the penalty is that of the coefficients in their own units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...core.runtime.trace import Trace
from ...core.validate.features import Array, Data
from ...core.validate.sparse_input import as_dense
from ...parts.losses.loss import Loss
from ..columns.column_statistics import ColumnStatistics, column_statistics, shifted_and_scaled
from ..iterate import Progress, State, iterate
from ..passes import RowBlock, TrainingRows
from ..sufficient_statistics import Moments
from .line_search import LineValue, line_search, objective_rounding
from .optimality import rounding_factor
from .row_losses import floored_curvature
from .smooth_solver import certify_gradient, gradient_tolerance
from .spd_solve import PositiveSystem

Targets = Callable[[Data], tuple[Array, Array]]
"""The targets of a block as numbers that a loss compares with scores, and the weights of its rows."""


class LossSums(NamedTuple):
    """Sums over rows at one point: weight, loss, moments of the columns and working targets, squares of gradients.

    The working target of a row is minus its gradient over its curvature, and its weight in the moments the curvature.
    `changes` sums the squares of what rounding of the scores can change, `squares` those of each column.
    """

    weight: float
    value: float
    moments: Moments
    gradients: float
    changes: float
    squares: Array


@dataclass(frozen=True)
class StandardisedColumns:
    """The columns of blocks, centred and scaled."""

    mean: Array
    scale: Array

    @classmethod
    def of(cls, rows: TrainingRows, centre: bool) -> StandardisedColumns:
        """By means and deviations, or by the root mean square if they are not to be centred; found in a pass."""
        found: ColumnStatistics = rows.total(column_statistics)
        mean = found.mean if centre else np.zeros_like(found.mean)
        scale = np.sqrt((found.spread + found.weight * (found.mean - mean) ** 2) / np.maximum(found.weight, 1e-300))
        return cls(mean, np.where(scale > 0, scale, 1.0))

    def of_block(self, block: Data) -> Array:
        """The columns of a block."""
        X = np.ascontiguousarray(as_dense(block.X), dtype=np.float64)
        return shifted_and_scaled(X, self.mean, 1 / self.scale)

    def original(self, coef: Array, intercept: Any) -> tuple[Array, Any]:
        """Coefficients (features, ...) and intercepts in the units of the data."""
        own = (coef.T / self.scale).T
        return own, intercept - self.mean @ own

    def scaled(self, coef: Array, intercept: Any) -> tuple[Array, Any]:
        """The inverse of `original`."""
        return (coef.T * self.scale).T, intercept + self.mean @ coef


def loss_sums(
    block: RowBlock,
    coef: Array,
    intercept: float,
    loss: Loss,
    targets: Targets,
    columns: StandardisedColumns,
    centre: bool,
) -> LossSums | None:
    """The sums of a block at the coefficients of scaled columns."""
    y, weight = targets(block)
    total = float(weight.sum())
    if total == 0:
        return None
    Z = columns.of_block(block)
    z = Z @ coef + intercept
    with np.errstate(over="ignore", invalid="ignore"):
        value, gradient, curvature = loss.value(y, z), loss.gradient(y, z), loss.curvature(y, z)
    bounded = floored_curvature(weight * curvature, weight * gradient)
    moments = Moments.of(Z, (-weight * gradient / bounded)[:, None], bounded, centre)
    sums = float(weight @ value), moments, float(weight @ gradient**2), float(weight @ (curvature * z) ** 2)
    return LossSums(total, *sums, weight @ (Z * Z))


class LocalModel(NamedTuple):
    """The objective near a point, without its penalty: means over the rows, with the intercept eliminated.

    `sizes` bounds each entry of the gradient, for rows whose gradients have the norm `size`.
    """

    value: float
    gradient: Array
    by_intercept: float
    hessian: Array
    right: Array
    mean_x: Array
    mean_y: float
    sizes: Array
    size: float


def local_model(sums: LossSums, centre: bool, tolerance: float) -> LocalModel:
    """The model of sums over all rows."""
    moments, weight = sums.moments, sums.weight
    by_intercept = -moments.weight * float(moments.mean_y[0]) if centre else 0.0
    gradient = moments.mean_x * by_intercept - moments.cross[:, 0]
    size = float(np.sqrt(sums.gradients / weight) + rounding_factor(tolerance) * np.sqrt(sums.changes / weight))
    return LocalModel(
        sums.value / weight,
        gradient / weight,
        by_intercept / weight,
        moments.gram / weight,
        moments.cross[:, 0] / weight,
        moments.mean_x,
        float(moments.mean_y[0]),
        np.sqrt(sums.squares / weight) * size,
        size,
    )


@dataclass(frozen=True)
class BlockNewton:
    """Newton's method with a line search; every point that is tried takes one pass, which `at` makes."""

    at: Callable[[Array, float], LocalModel]
    penalty: Array  # of the square of each coefficient
    centre: bool
    tolerance: float
    first: tuple[Array, float]

    def start(self) -> State:
        """The state where the search begins."""
        return self._state(*self.first, self.at(*self.first))

    def step(self, state: State) -> State:
        """Go to the minimum of the quadratic model, or as far towards it as the objective falls."""
        coef, intercept, move, shift = state["coef"], state["intercept"], state["move"], state["shift"]

        def line(length: float) -> tuple[LineValue, Any]:
            there, constant = coef + length * move, intercept + length * shift
            model = self.at(there, constant)
            rise = float((model.gradient + self.penalty * there) @ move) + model.by_intercept * shift
            return LineValue(self._objective(there, model), rise), (there, constant, model)

        height = LineValue(state["objective"], state["descent"])
        found = line_search(line, height, objective_rounding(height.value))
        if found is None:
            return state | {"stalled": True}
        return self._state(*found[1])

    def progress(self, state: State) -> Progress:
        """The relative norm of the gradient."""
        return Progress(state["objective"], state["criterion"], self.tolerance, stalled=state["stalled"])

    def _objective(self, coef: Array, model: LocalModel) -> float:
        return model.value + float(self.penalty @ coef**2) / 2

    def _state(self, coef: Array, intercept: float, model: LocalModel) -> State:
        gradient = model.gradient + self.penalty * coef
        system = PositiveSystem(model.hessian + np.diag(self.penalty))
        move = system.solve(model.right - self.penalty * coef)
        shift = model.mean_y - float(model.mean_x @ move) if self.centre else 0.0
        sizes = model.sizes + np.abs(self.penalty * coef)
        relative = np.divide(np.abs(gradient), sizes, out=np.zeros_like(sizes), where=sizes > 0)
        by_intercept = abs(model.by_intercept) / model.size if model.size > 0 else 0.0
        return {
            "coef": coef,
            "intercept": intercept,
            "objective": self._objective(coef, model),
            "move": move,
            "shift": shift,
            "descent": float(gradient @ move) + model.by_intercept * shift,
            "criterion": float(max(relative.max(initial=0.0), by_intercept)),
            "gradient": gradient,
            "value": model.value,
            "stalled": False,
        }


@dataclass(frozen=True)
class WithConstant:
    """Rows with a further column, which is the same `value` everywhere: its coefficient is a penalised intercept."""

    rows: TrainingRows
    value: float

    @property
    def first(self) -> RowBlock:
        """The first block."""
        return with_constant(self.rows.first, self.value)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.rows.n

    def total(self, summarise: Callable[..., Any], *state: Any) -> Any:
        """One pass over the rows with the constant column."""
        return self.rows.total(partial(_summarised, summarise=summarise, value=self.value), *state)


def with_constant(block: RowBlock, value: float) -> RowBlock:
    """A block with a constant column, the last."""
    X = np.concatenate([as_dense(block.X), np.full((block.n, 1), value, dtype=block.X.dtype)], axis=1)
    return replace(block, X=X)


def _summarised(block: RowBlock, *state: Any, summarise: Callable[..., Any], value: float) -> Any:
    return summarise(with_constant(block, value), *state)


@dataclass(frozen=True)
class LinearMinimum:
    """Coefficients and intercept in the units of the data, the last state of the search, and its columns."""

    coef: Array
    intercept: float
    state: State
    columns: StandardisedColumns


def minimise_on_blocks(
    rows: TrainingRows,
    loss: Loss,
    targets: Targets,
    alpha: float,
    fit_intercept: bool,
    max_iter: int,
    tol: float,
    trace: Trace,
    start: Callable[[], tuple[Array, float]],
) -> LinearMinimum:
    """The minimum, from the coefficients and the intercept that `start` gives in the units of the data."""
    columns = StandardisedColumns.of(rows, fit_intercept)
    summarise = partial(loss_sums, loss=loss, targets=targets, columns=columns, centre=fit_intercept)
    tolerance = gradient_tolerance(tol)

    def at(coef: Array, intercept: float) -> LocalModel:
        return local_model(rows.total(summarise, coef, intercept), fit_intercept, tolerance)

    first = columns.scaled(*start())
    method = BlockNewton(at, alpha / columns.scale**2, fit_intercept, tolerance, first)
    state = iterate(method, max_iter, trace)
    certify_gradient(state["criterion"], tol, rows.first.X.dtype, trace)
    coef, intercept = columns.original(state["coef"], state["intercept"])
    return LinearMinimum(coef, float(intercept) if fit_intercept else 0.0, state, columns)
