"""The fit of a nonnegative factorisation: from checked data and parameters to factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError, Matrix, ParameterError, RandomState, Trace, scaling
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.runtime.random import stream
from ...core.runtime.trace import EARLY
from ...engines import matrix_products
from ...engines.iterate import iterate
from .divergence import Observed, beta_of, divergence
from .init import given_factor, initial_factors
from .solvers import (
    CHECKED,
    REPEATED,
    ROUNDING,
    CoordinateDescent,
    FactorPenalty,
    LeastSquaresFactorisation,
    MultiplicativeUpdates,
    ProjectedGradient,
    projected_derivatives,
    update_ratio,
)

Solver = LeastSquaresFactorisation | MultiplicativeUpdates

EXACT_PASSES = 2000  # of coordinate descent for one row with H fixed
PASSES_IN_HASTE = 20  # the same, after a fit that a budget or a watcher has ended


@dataclass(frozen=True)
class Settings:
    """What a factorisation is to be like."""

    owner: str
    solver: str
    beta_loss: Any
    tol: float
    max_iter: int
    alpha_W: float
    alpha_H: float | str
    l1_ratio: float
    shuffle: bool = False

    @property
    def beta(self) -> float:
        """The beta of the divergence."""
        return beta_of(self.beta_loss)

    def check(self) -> None:
        """Refuse a divergence that a solver does not minimise."""
        if self.solver != "mu" and self.beta != 2:
            raise ParameterError(
                f"{self.owner}: Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = "
                f"{self.beta_loss!r}; use solver='mu'"
            )

    def penalty(self, rows: int, columns: int) -> FactorPenalty:
        """The penalties, which grow with the number of entries that a factor explains."""
        alpha_H = self.alpha_W if isinstance(self.alpha_H, str) else self.alpha_H
        of_W, of_H = columns * self.alpha_W, rows * alpha_H
        ratio = self.l1_ratio
        return FactorPenalty(of_W * ratio, of_W * (1 - ratio), of_H * ratio, of_H * (1 - ratio))

    def method(self, table: Observed, W: Array, H: Array, draws: Any, moves_H: bool = True) -> Solver:
        """The iterative method that starts with these factors."""
        penalty, shuffled = self.penalty(*table.shape), draws if self.shuffle else None
        common = (table, penalty, W, H, self.tol, shuffled, moves_H)
        if self.solver == "mu":
            return MultiplicativeUpdates(*common, beta=self.beta, limit=self.max_iter)
        if self.solver == "pg":
            return ProjectedGradient(*common)
        return CoordinateDescent(*common, passes=1 if self.solver == "cd" else REPEATED)


def nonnegative(owner: str, X: Matrix, names: list[str] | None, beta: float) -> Observed:
    """The table, refused if an entry is negative, or zero where the divergence would be infinite."""
    values = X.data if matrix_products.is_sparse(X) else X
    least = float(np.nanmin(values)) if values.size and not np.isnan(values).all() else 0.0
    if least < 0:
        where = _first(X, least, names)
        raise DataError(
            f"{owner}: Negative values in data passed to X: {least:g} in {where}; all entries must be at least 0"
        )
    sparse_zeros = matrix_products.is_sparse(X) and X.nnz < X.shape[0] * X.shape[1]
    if beta <= 0 and (least == 0 or sparse_zeros):
        raise DataError(
            f"{owner}: When beta_loss <= 0 and X contains zeros, the solver may diverge; add small values to X, or use "
            "a positive beta_loss"
        )
    return Observed.of(X)


def _first(X: Matrix, value: float, names: list[str] | None) -> str:
    if matrix_products.is_sparse(X):
        entries = X.tocoo()
        at = int(np.flatnonzero(entries.data == value)[0])
        row, column = int(entries.row[at]), int(entries.col[at])
    else:
        row, column = (int(i) for i in np.argwhere(value == X)[0])
    return f"{f'column {names[column]!r}' if names else f'column {column}'}, row {row}"


def component_count(n_components: int | str | None, columns: int, H: Any) -> int:
    """The number of components: as given, that of a given H, or that of the columns."""
    if n_components is not None and not isinstance(n_components, str):
        return int(n_components)
    return columns if H is None else max(len(np.asarray(H)), 1)


@dataclass(frozen=True)
class NonnegativeFactors:
    """What a factorisation ends with: X ~ W H, with H as columns by components, and the iterations."""

    W: Array
    H: Array
    updates: int
    error: float


def factorise(
    settings: Settings,
    table: Observed,
    count: int,
    init: str | None,
    random_state: RandomState,
    given: tuple[Any, Any],
    trace: Trace,
) -> NonnegativeFactors:
    """Both factors of a table."""
    settings.check()
    n, p = table.shape
    unit = scaling.power_of_two_scale(table.X)
    scaled = Observed(table.X * unit, table.mask) if unit != 1 and _is_extreme(table) else table
    unit = unit if scaled is not table else 1.0
    if init == "custom":
        W = given_factor(settings.owner, "W", given[0], (n, count)) * np.sqrt(unit)
        H = np.ascontiguousarray(given_factor(settings.owner, "H", given[1], (count, p)).T) * np.sqrt(unit)
    else:
        W, H = initial_factors(settings.owner, scaled, count, init, random_state)
    W, H = np.ascontiguousarray(W), np.ascontiguousarray(H)
    method = settings.method(scaled, W, H, stream(random_state) if settings.shuffle else None)
    limit = settings.max_iter if settings.solver != "mu" else max(-(-settings.max_iter // CHECKED), 1)
    state = iterate(method, limit, trace)
    W, H = state["W"], state["H"]
    if settings.beta == 2:  # the problem of W alone is convex: its solution is what transform gives
        W = coefficients(settings, scaled, H, in_haste=trace.stopped in EARLY)
    certify(settings, method, state["first"], W, H, trace)
    W, H = W / np.sqrt(unit), H / np.sqrt(unit)
    updates = int(state["done"]) if settings.solver == "mu" else len(trace.rows)
    error = np.sqrt(2 * max(divergence(table, W, H, settings.beta), 0.0))
    return NonnegativeFactors(W, H, updates, float(error))


def _is_extreme(table: Observed) -> bool:
    largest = scaling.largest_entry(table.X)
    return bool(largest > 1e50 or 0 < largest < 1e-50)


def certify(settings: Settings, method: Solver, first: float, W: Array, H: Array, trace: Trace) -> None:
    """State how near the factors are to a stationary point; multiplicative updates say how little they still change."""
    if isinstance(method, MultiplicativeUpdates):
        sentence = f"the last {CHECKED} updates lowered the root of the divergence by this fraction of where it began"
        trace.certify("decrease", trace.rows[-1]["criterion"], settings.tol, sentence)
        return
    met = projected_derivatives(method.table, W, H, method.penalty)
    met = met if met > ROUNDING * method.scale else 0.0
    trace.certify(
        "projected gradient", met / first if first > 0 else 0.0, settings.tol,
        "the projected derivatives of W and H sum to this fraction of those that the first pass met",
    )  # fmt: skip


def coefficients(settings: Settings, table: Observed, H: Array, in_haste: bool = False) -> Array:
    """W for fixed H, each row by itself; H has a row for each column."""
    settings.check()
    penalty = settings.penalty(1, len(H))
    count = H.shape[1]
    if settings.beta != 2:
        return _coefficients_by_updates(settings, table, H, penalty)
    W = np.zeros((table.shape[0], count))
    passes = PASSES_IN_HASTE if in_haste else max(settings.max_iter, EXACT_PASSES)
    method = CoordinateDescent(table, penalty, W, H, settings.tol, None, False, passes=passes)
    return _exact_update(method, table, W, H, penalty)


def _exact_update(method: CoordinateDescent, table: Observed, W: Array, H: Array, penalty: FactorPenalty) -> Array:
    """Rows of W that solve their nonnegative least-squares problems."""
    if table.mask is not None:
        return method._update(table, W, H, penalty.l1_W, penalty.l2_W).factor
    gram = H.T @ H + penalty.l2_W * np.eye(H.shape[1])
    products = table.times(H) - penalty.l1_W
    order = np.arange(H.shape[1], dtype=np.int32)
    kernels.nonnegative_sweep(gram, products, order, method.passes, 1e-10, True, W)
    return W


def _coefficients_by_updates(settings: Settings, table: Observed, H: Array, penalty: FactorPenalty) -> Array:
    """Multiplicative updates of each row until they change it by less than the tolerance."""
    n, count = table.shape[0], H.shape[1]
    W: Array = np.ones((n, count)) * np.sqrt(np.maximum(_row_means(table), np.finfo(float).tiny) / count)[:, None]
    active, left = np.arange(n), table
    power = MultiplicativeUpdates(table, penalty, W, H, settings.tol, beta=settings.beta).exponent
    for _ in range(max(-(-settings.max_iter // CHECKED), 1)):
        before = W[active]
        for _ in range(CHECKED):
            give_way()
            ratio = update_ratio(left, W[active], H, settings.beta, penalty.l1_W, penalty.l2_W)
            W[active] = W[active] * ratio**power
        change = np.linalg.norm(W[active] - before, axis=1)
        moving = change > settings.tol * np.linalg.norm(W[active], axis=1)
        if not moving.any():
            break
        active = active[moving]
        left = Observed(table.X[active], None if table.mask is None else table.mask[active])
    return W


def _row_means(table: Observed) -> Array:
    sums = np.asarray(table.X.sum(axis=1)).ravel()
    return np.asarray(sums / (table.shape[1] if table.mask is None else np.maximum(table.mask.sum(axis=1), 1)))
