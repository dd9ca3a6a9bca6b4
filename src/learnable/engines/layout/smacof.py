"""SMACOF: stress majorisation for metric and non-metric multidimensional scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ...parts.isotonic import RisingMap, fit_isotonic, rising_sequence
from ..algebra.cholesky import cholesky, solve_factored
from ..iterate import Progress, State

PLACED_AT_ONCE = 2**22  # distances in the table of new rows
PLACING_TOLERANCE = 1e-9  # relative move of a new row at which it is placed


@dataclass(frozen=True)
class Disparities:
    """The distances that rise with the dissimilarities of pairs and are nearest to those of an embedding.

    Pairs i < j of dissimilarity zero are missing. The weighted squares of disparities sum to those of unit distances.
    """

    dissimilarity: Array  # of all pairs i < j
    weight: Array
    order: Array  # of the pairs that are not missing, by dissimilarity
    first: Array  # the first of each run of equal ones in that order

    @staticmethod
    def of(target: Array, weight: Array | None) -> Disparities:
        """Those of a matrix of dissimilarities."""
        upper = np.triu_indices(len(target), 1)
        values = target[upper]
        weights = (values > 0).astype(np.float64) if weight is None else np.where(values > 0, weight[upper], 0.0)
        order = np.argsort(values, kind="stable")
        order = order[weights[order] > 0]
        ranked = values[order]
        first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if len(order) else np.zeros(0, dtype=np.int64)
        return Disparities(values, weights, order, first)

    def initial(self) -> Array:
        """The dissimilarities themselves, scaled."""
        return self._scaled(np.where(self.weight > 0, self.dissimilarity, 0.0))

    def nearest(self, distance: Array) -> Array:
        """Disparities of all pairs, zero for missing ones."""
        w = self.weight[self.order]
        total = np.add.reduceat(w, self.first)
        means = np.add.reduceat(w * distance[self.order], self.first) / total
        found = np.zeros(len(distance))
        found[self.order] = np.repeat(rising_sequence(means, total), np.diff(np.r_[self.first, len(w)]))
        return self._scaled(found)

    def map(self, distance: Array) -> RisingMap:
        """Disparity as a function of dissimilarity."""
        fitted = self.nearest(distance)
        return fit_isotonic(self.dissimilarity[self.order], fitted[self.order], self.weight[self.order])

    def _scaled(self, disparity: Array) -> Array:
        square = float(self.weight @ disparity**2)
        count = len(disparity) if (self.weight[self.dissimilarity > 0] == 1).all() else self.weight.sum()
        return np.asarray(disparity * np.sqrt(count / square)) if square > 0 else disparity


def square(pairs: Array) -> Array:
    """The symmetric matrix of values of the pairs i < j."""
    from scipy.spatial.distance import squareform

    return np.asarray(squareform(pairs, checks=False))


def pair_distances(X: Array) -> Array:
    """Euclidean distances of the pairs i < j."""
    from scipy.spatial.distance import pdist

    return np.asarray(pdist(X))


@dataclass
class Smacof:
    """Minimises the stress  sum over i < j of w_ij (t_ij - |x_i - x_j|)^2  by its majorisation at the last X.

    X <- V^+ B(X) X,    b_ij = -w_ij t_ij / |x_i - x_j|,    v_ij = -w_ij,  rows of both with sum 0

    No step raises the stress. If `ordinal`, targets t are disparities, recomputed before every step.
    """

    target: Array
    weight: Array | None
    start_positions: Array
    eps: float
    ordinal: Disparities | None = None
    factor: float = 1.0

    def __post_init__(self) -> None:
        self.target = np.ascontiguousarray(self.target, dtype=np.float64)
        self.factored = None
        if self.weight is not None:
            V = np.diag(self.weight.sum(axis=1)) - self.weight
            self.shift = float(np.diag(V).mean())
            self.factored = V + self.shift / len(V)
            cholesky(self.factored)

    def start(self) -> State:
        """The state before the first step."""
        X = np.ascontiguousarray(self.start_positions, dtype=np.float64)
        target = self.target
        if self.ordinal is not None:
            target = square(self.ordinal.initial())
        stress, product = self._product(target, X)
        return {"X": X, "target": target, "product": product, "stress": stress, "before": np.inf, "size": 1.0}

    def step(self, state: State) -> State:
        """The majorisation step, the stress after it, and the next targets."""
        X = self.moved(state["product"])
        target = state["target"]
        stress, product = self._product(target, X)
        size = self._size(X, target, stress, product)
        if self.ordinal is not None:
            target = square(self.ordinal.nearest(pair_distances(X)))
            product = self._product(target, X)[1]
        return {
            "X": X, "target": target, "product": product, "stress": stress, "before": state["stress"], "size": size,
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The stress, and its last decrease beside the sum of squared distances."""
        decrease = max(state["before"] - state["stress"], 0.0) / state["size"] if state["size"] > 0 else 0.0
        return Progress(state["stress"] * self.factor, decrease, self.eps)

    def moved(self, product: Array) -> Array:
        """V^+ times the product."""
        if self.factored is None:
            return np.asarray(product / len(product))
        return np.ascontiguousarray(solve_factored(self.factored, product - product.mean(axis=0)))

    def _product(self, target: Array, X: Array) -> tuple[float, Array]:
        product = np.empty_like(X)
        return float(kernels.smacof_product(target, self.weight, X, product)), product

    def _size(self, X: Array, target: Array, stress: float, product: Array) -> float:
        """sum over i < j of w_ij |x_i - x_j|^2."""
        if self.weight is None:
            return float(len(X) * ((X - X.mean(axis=0)) ** 2).sum())
        inner = float((self.weight * target**2).sum()) / 2
        return max(stress - inner + 2 * float((X * product).sum()), 0.0)


def place_by_stress(target: Array, fixed: Array, limit: int) -> Array:
    """Positions of new rows with the distances `target` (new rows, fixed rows) to fixed ones.

    minimise over y    sum_j (t_j - |y - x_j|)^2,    y <- mean over j of x_j + t_j (y - x_j) / |y - x_j|

    Each row for itself, from the mean of the fixed rows weighted by 1 / t^2.
    """
    found = np.empty((len(target), fixed.shape[1]))
    step = max(1, PLACED_AT_ONCE // max(len(fixed), 1))
    for begin in range(0, len(target), step):
        found[begin : begin + step] = _placed(target[begin : begin + step], fixed, limit)
    return found


def _placed(target: Array, fixed: Array, limit: int) -> Array:
    from scipy.spatial.distance import cdist

    least = 1e-6 * target.max(axis=1, initial=0.0, keepdims=True) + 1e-300
    near = (least / np.maximum(target, least)) ** 2
    Y = (near @ fixed) / near.sum(axis=1, keepdims=True)
    centre, reach = fixed.mean(axis=0), float(np.abs(fixed).max(initial=0.0))
    moving = np.arange(len(Y))
    for _ in range(limit):
        give_way()
        y = Y[moving]
        distance = cdist(y, fixed)
        ratio = np.divide(target[moving], distance, where=distance > 0, out=np.zeros_like(distance))
        after = centre + (y * ratio.sum(axis=1, keepdims=True) - ratio @ fixed) / len(fixed)
        Y[moving] = after
        moving = moving[np.abs(after - y).max(axis=1) > PLACING_TOLERANCE * reach]
        if not len(moving):
            break
    return np.asarray(Y)
