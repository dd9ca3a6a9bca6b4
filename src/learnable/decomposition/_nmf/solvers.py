"""Solvers of nonnegative factorisation: coordinate descent, HALS, projected gradients, multiplicative updates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...core import Array
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...engines import matrix_products
from ...engines.iterate import Progress, State
from .divergence import MIN_DENOMINATOR, Observed, divergence

NONE = np.empty(0)
REPEATED = 8  # passes of HALS over one factor while the products with the other stay
INSIDE = 0.1  # change of a pass, relative to the first, that ends them
ROUNDING = 1e-13  # of the projected derivatives, relative to the terms that cancel in them
CANCELLED = 1e-4  # squared error, relative to the squares of the table, below which it is computed entry by entry
CHECKED = 10  # multiplicative updates between two evaluations of the objective


class Updated(NamedTuple):
    """A factor after an update, the sum of the projected derivatives before it, and the products of the table with the
    other factor if they were needed."""

    factor: Array
    violation: float
    products: Array | None = None


@dataclass(frozen=True)
class FactorPenalty:
    """Penalties l1 sum(w) + l2 |w|^2 / 2 of the two factors."""

    l1_W: float = 0.0
    l2_W: float = 0.0
    l1_H: float = 0.0
    l2_H: float = 0.0

    def value(self, W: Array, H: Array) -> float:
        """The penalty of a pair of factors."""
        of_W = self.l1_W * float(W.sum()) + self.l2_W / 2 * float((W**2).sum())
        return of_W + self.l1_H * float(H.sum()) + self.l2_H / 2 * float((H**2).sum())


@dataclass(frozen=True)
class Factorisation:
    """Factorisation of a table into W (rows, components) and H (columns, components), both at least zero."""

    table: Observed
    penalty: FactorPenalty
    W: Array
    H: Array
    tolerance: float
    draws: np.random.RandomState | None = None
    moves_H: bool = True


@dataclass(frozen=True)
class LeastSquaresFactorisation(Factorisation, ABC):
    """Alternating updates of W and H that do not increase the squared error: a solver writes `_update`."""

    @cached_property
    def scale(self) -> float:
        """The size of the terms that cancel in the gradient."""
        return float(self.table.times(self.H).sum()) + float(self.table.flipped.times(self.W).sum())

    def start(self) -> State:
        """The initial factors."""
        return {"W": self.W, "H": self.H, "first": 0.0, "violation": np.inf, "objective": np.inf}

    def objective(self, W: Array, H: Array, products: Array | None) -> float:
        """Half the squared error, and the penalties; from X'W where that is known, unless too many digits cancel."""
        square = self.table.square
        if products is not None:
            model = float(((W.T @ W) * (H.T @ H)).sum())
            error = 0.5 * (square + model) - float(np.vdot(products, H))
            if error > CANCELLED * square:
                return error + self.penalty.value(W, H)
        return divergence(self.table, W, H, 2.0) + self.penalty.value(W, H)

    def step(self, state: State) -> State:
        """One update of W, and one of H."""
        give_way()
        penalty = self.penalty
        W, before, _ = self._update(self.table, state["W"], state["H"], penalty.l1_W, penalty.l2_W)
        H, more, products = self._update(self.table.flipped, state["H"], W, penalty.l1_H, penalty.l2_H)
        violation = before + more
        first = state["first"] or violation
        return {"W": W, "H": H, "first": first, "violation": violation, "objective": self.objective(W, H, products)}

    def progress(self, state: State) -> Progress:
        """The projected derivatives met in the last pass, relative to those of the first."""
        met = state["violation"] if state["violation"] > ROUNDING * self.scale else 0.0
        ratio = met / state["first"] if state["first"] > 0 else 0.0
        return Progress(state["objective"], ratio, self.tolerance)

    def _order(self, count: int) -> Array:
        order = np.arange(count) if self.draws is None else self.draws.permutation(count)
        return order.astype(np.int32)

    @abstractmethod
    def _update(self, table: Observed, W: Array, H: Array, l1: float, l2: float) -> Updated:
        """W after an update with H fixed."""


@dataclass(frozen=True)
class CoordinateDescent(LeastSquaresFactorisation):
    """Coordinate descent: one pass over each factor, or with `passes` several while the other factor's products stay.

    Several passes are hierarchical alternating least squares (HALS), accelerated as by Gillis and Glineur.
    """

    passes: int = 1

    def _update(self, table: Observed, W: Array, H: Array, l1: float, l2: float) -> Updated:
        W = W.copy()
        if table.mask is not None:
            return _masked_update(table, W, H, l1, l2, self.passes)
        gram = H.T @ H + l2 * np.eye(H.shape[1])
        products = table.times(H)
        target = products - l1 if l1 else products
        order = self._order(H.shape[1])
        violation: float = kernels.nonnegative_sweep(gram, target, order, self.passes, INSIDE, False, W)
        return Updated(W, violation, products)


def _masked_update(table: Observed, W: Array, H: Array, l1: float, l2: float, passes: int) -> Updated:
    """The same where entries are missing: each row has the Gram matrix of its observed columns."""
    assert table.mask is not None
    violation = float(np.abs(_projected(_gradient(table, W, H, l1, l2), W)).sum())
    if l1:
        return Updated(_masked_with_l1(table, W, H, l1, l2, passes), violation)
    rows, columns = np.nonzero(table.mask)
    start = np.concatenate([[0], np.cumsum(table.mask.sum(axis=1).astype(np.int64))])
    values = np.ascontiguousarray(table.X[rows, columns])
    base = l2 * np.eye(H.shape[1])
    columns = np.ascontiguousarray(columns, dtype=np.int32)
    repeated = max(passes, REPEATED)  # the Gram matrix of the row costs more than a pass
    kernels.solve_rows(start, columns, values, NONE, base, 0.0, H, "nonnegative", repeated, W)
    return Updated(W, violation)


def _masked_with_l1(table: Observed, W: Array, H: Array, l1: float, l2: float, passes: int) -> Array:
    """One pass, or several, component by component."""
    assert table.mask is not None
    for _ in range(passes):
        residual = table.X - (W @ H.T) * table.mask
        for k in range(H.shape[1]):
            curvature = table.mask @ H[:, k] ** 2 + l2
            descent = residual @ H[:, k] - l1 - l2 * W[:, k]
            after = np.where(curvature > 0, np.maximum(W[:, k] + descent / np.where(curvature > 0, curvature, 1), 0), 0)
            residual -= np.outer(after - W[:, k], H[:, k]) * table.mask
            W[:, k] = after
    return W


def _projected(gradient: Array, W: Array) -> Array:
    """The projected gradient over W >= 0."""
    return np.where(W > 0, gradient, np.minimum(gradient, 0.0))


def _gradient(table: Observed, W: Array, H: Array, l1: float, l2: float) -> Array:
    """The gradient of half the squared error and the penalties with respect to W."""
    if table.mask is None:
        return np.asarray(W @ (H.T @ H) - table.times(H) + l1 + l2 * W)
    return np.asarray(((W @ H.T) * table.mask - table.X) @ H + l1 + l2 * W)


def projected_derivatives(table: Observed, W: Array, H: Array, penalty: FactorPenalty) -> float:
    """The sum of the sizes of the projected derivatives of the squared error and the penalties in both factors."""
    of_W = _projected(_gradient(table, W, H, penalty.l1_W, penalty.l2_W), W)
    of_H = _projected(_gradient(table.flipped, H, W, penalty.l1_H, penalty.l2_H), H)
    return float(np.abs(of_W).sum() + np.abs(of_H).sum())


@dataclass(frozen=True)
class ProjectedGradient(LeastSquaresFactorisation):
    """Alternating projected gradients: W <- max(W - gradient / L, 0), with the Lipschitz constant L of the gradient."""

    def _update(self, table: Observed, W: Array, H: Array, l1: float, l2: float) -> Updated:
        curvature = float(np.linalg.norm(H.T @ H, 2)) + l2
        gradient = _gradient(table, W, H, l1, l2)
        violation = float(np.abs(_projected(gradient, W)).sum())
        return Updated(np.maximum(W - gradient / (curvature if curvature > 0 else 1.0), 0.0), violation)


@dataclass(frozen=True)
class MultiplicativeUpdates(Factorisation):
    """Multiplicative updates for the beta divergence, which never increases for 1 <= beta <= 2."""

    beta: float = 2.0
    limit: int = 2**62  # of updates

    @cached_property
    def exponent(self) -> float:
        """The power of the ratio with which the objective cannot increase."""
        return 1 / (2 - self.beta) if self.beta < 1 else 1 / (self.beta - 1) if self.beta > 2 else 1.0

    def objective(self, W: Array, H: Array) -> float:
        """The divergence, and the penalties."""
        return divergence(self.table, W, H, self.beta) + self.penalty.value(W, H)

    def start(self) -> State:
        """The initial factors and their objective."""
        first = self.objective(self.W, self.H)
        return {"W": self.W, "H": self.H, "first": first, "objective": first, "before": np.inf, "done": 0}

    def step(self, state: State) -> State:
        """CHECKED updates of both factors, or as many as are left."""
        W, H, penalty = state["W"], state["H"], self.penalty
        updates = min(CHECKED, self.limit - state["done"])
        for _ in range(updates):
            give_way()
            W = W * update_ratio(self.table, W, H, self.beta, penalty.l1_W, penalty.l2_W) ** self.exponent
            if self.beta < 1:
                W[np.finfo(np.float64).eps > W] = 0.0
            if self.moves_H:
                flipped = self.table.flipped
                H = H * update_ratio(flipped, H, W, self.beta, penalty.l1_H, penalty.l2_H) ** self.exponent
                if self.beta <= 1:
                    H[np.finfo(np.float64).eps > H] = 0.0
        here = self.objective(W, H)
        done = state["done"] + updates
        return state | {"W": W, "H": H, "before": state["objective"], "objective": here, "done": done}

    def progress(self, state: State) -> Progress:
        """The decrease of the root of the divergence over the last updates, relative to where it began."""
        roots = [np.sqrt(2 * max(state[name], 0.0)) for name in ("before", "objective", "first")]
        decrease = (roots[0] - roots[1]) / roots[2] if roots[2] > 0 and np.isfinite(roots[0]) else 0.0
        return Progress(state["objective"], max(decrease, 0.0), self.tolerance, {"updates": state["done"]})


def update_ratio(table: Observed, W: Array, H: Array, beta: float, l1: float, l2: float) -> Array:
    """Numerator over denominator of the multiplicative update of W with H fixed."""
    numerator, denominator = update_terms(table, W, H, beta)
    if l1 > 0:
        denominator = denominator + l1
    if l2 > 0:
        denominator = denominator + l2 * W
    denominator[denominator == 0] = MIN_DENOMINATOR
    return np.asarray(numerator / denominator)


def update_terms(table: Observed, W: Array, H: Array, beta: float) -> tuple[Array, Array]:
    """(X * Z^(beta - 2)) H and Z^(beta - 1) H for Z = W H'."""
    if beta == 2:
        if table.mask is None:
            return table.times(H), W @ (H.T @ H)
        return table.X @ H, ((W @ H.T) * table.mask) @ H
    Z = table.model(W, H)
    if beta - 1 < 0 or not matrix_products.is_sparse(table.X):
        Z = np.maximum(Z, MIN_DENOMINATOR)
    entries = table.entries()
    ratio = (
        entries / np.maximum(Z, MIN_DENOMINATOR)
        if beta == 1
        else entries * np.maximum(Z, MIN_DENOMINATOR) ** (beta - 2)
    )
    numerator = table.with_entries(np.ascontiguousarray(ratio)).times(H)
    if beta == 1 and table.mask is None:
        return numerator, np.repeat(H.sum(axis=0)[None], len(W), axis=0)
    if matrix_products.is_sparse(table.X):
        rows = [np.maximum(row @ H.T, MIN_DENOMINATOR) ** (beta - 1) @ H for row in W]
        return numerator, np.array(rows)
    powers = Z ** (beta - 1)
    return numerator, (powers if table.mask is None else powers * table.mask) @ H
