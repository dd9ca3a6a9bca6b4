"""Growth of trees of planes: a direction that tells the classes of a node apart, and the best cut along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...core.numeric import MOST
from ...core.runtime import context
from ...core.validate.features import Array
from .multiway_builder import Criterion, disorder
from .oblique_tree import PlaneTree

SAME = 1e-10  # of the reach of a projection: rows closer than this are not divided
Direction = Callable[[Array, Array, Array, int], Array]


@dataclass(frozen=True)
class Cut:
    """A plane in the columns as they came, and the disorder that it leaves."""

    weights: Array
    threshold: float
    left: Array
    after: float


@dataclass
class ObliqueGrowth:
    """Rows, classes and weights from which a tree of planes grows."""

    X: Array
    y: Array
    weight: Array
    classes: int
    direction: Direction
    criterion: Criterion
    axis_parallel: bool = True
    most_depth: int = MOST
    least_weight_to_split: float = 2.0
    least_weight: float = 1.0
    _nodes: list[list[object]] = field(default_factory=list)

    def grow(self) -> PlaneTree:
        """The tree, nodes in the order in which they are met."""
        rows = np.flatnonzero(self.weight > 0)
        waiting: list[tuple[Array, int, int, bool]] = [(rows, 0, -1, False)]
        while waiting:
            context.give_way()
            here, depth, parent, is_right = waiting.pop()
            node, counts = len(self._nodes), self._counts(here)
            if parent >= 0:
                self._nodes[parent][1 if is_right else 0] = node
            cut = self._cut(here, counts) if depth < self.most_depth else None
            plane = (np.zeros(self.X.shape[1]), 0.0) if cut is None else (cut.weights, cut.threshold)
            self._nodes.append([-1, -1, *plane, len(here), counts])
            if cut is not None:
                waiting.append((here[~cut.left], depth + 1, node, True))
                waiting.append((here[cut.left], depth + 1, node, False))
        return self._tree()

    def _counts(self, rows: Array) -> Array:
        return np.bincount(self.y[rows], self.weight[rows], self.classes)

    def _cut(self, rows: Array, counts: Array) -> Cut | None:
        """The best plane for some rows: along the direction of the method, or a column."""
        own, total = float(disorder(counts, self.criterion)), float(counts.sum())
        if own <= 1e-12 * total or total < max(self.least_weight_to_split, 2 * self.least_weight):
            return None
        X, y, weight = self.X[rows], self.y[rows], self.weight[rows]
        middle = weight @ X / weight.sum()
        reach = np.abs(X - middle).max(axis=0)
        varies = reach > 1e-12 * np.abs(X).max(axis=0)
        if not varies.any():
            return None
        scaled = (X - middle)[:, varies] / reach[varies]
        directions = [self.direction(scaled, y, weight, self.classes)]
        directions += list(np.eye(scaled.shape[1])) if self.axis_parallel else []
        found = [self._along(scaled, direction, y, weight) for direction in directions]
        best = min((cut for cut in found if cut is not None), key=lambda cut: cut.after, default=None)
        if best is None:
            return None
        weights = np.zeros(X.shape[1])
        weights[varies] = best.weights / reach[varies]
        return Cut(weights, best.threshold + float(weights @ middle), best.left, best.after)

    def _along(self, X: Array, direction: Array, y: Array, weight: Array) -> Cut | None:
        """The best threshold of a projection; a later one must be better by more than rounding."""
        context.give_way()
        place = np.einsum("ij,j->i", X, direction)
        order = np.argsort(place, kind="stable")
        sorted_place = place[order]
        apart = np.flatnonzero(np.diff(sorted_place) > SAME * max(float(np.ptp(place)), 1e-300))
        if len(apart) == 0:
            return None
        marks = np.zeros((len(y), self.classes))
        marks[np.arange(len(y)), y[order]] = weight[order]
        running = np.cumsum(marks, axis=0)
        left, right = running[apart], np.maximum(running[-1] - running[apart], 0.0)
        after = disorder(left, self.criterion) + disorder(right, self.criterion)
        enough = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= self.least_weight - 1e-9
        after = np.where(enough, after, np.inf)
        best = int(np.argmax(after <= after.min() + 1e-10 * weight.sum()))
        if not np.isfinite(after[best]):
            return None
        threshold = float(sorted_place[apart[best]] + sorted_place[apart[best] + 1]) / 2
        return Cut(direction, threshold, place <= threshold, float(after[best]))

    def _tree(self) -> PlaneTree:
        left, right, weights, threshold, rows, counts = (list(column) for column in zip(*self._nodes, strict=True))
        table = np.array(counts, dtype=np.float64)
        weight = table.sum(axis=1)
        return PlaneTree(
            np.array(left, dtype=np.int64),
            np.array(right, dtype=np.int64),
            np.array(weights, dtype=np.float64),
            np.array(threshold, dtype=np.float64),
            np.maximum(disorder(table, self.criterion) / weight, 0.0),
            np.array(rows, dtype=np.int64),
            weight,
            (table / weight[:, None])[:, None, :],
        )


def discriminant(X: Array, y: Array, weight: Array, classes: int) -> Array:
    """The direction along which the means of the classes lie furthest apart, measured by the spread within them."""
    means, shares, within = _scatter(X, y, weight, classes)
    middle = shares @ means
    factor = np.linalg.cholesky(within)
    apart = np.linalg.solve(factor, ((means - middle) * np.sqrt(shares)[:, None]).T)
    found = np.linalg.solve(factor.T, np.linalg.svd(apart, full_matrices=False)[0][:, 0])
    return _signed(found)


def _scatter(X: Array, y: Array, weight: Array, classes: int) -> tuple[Array, Array, Array]:
    """Means and shares of the classes, and the covariance within them, a little rounder than it is."""
    totals = np.bincount(y, weight, classes)
    sums = np.stack([np.bincount(y, weight * column, classes) for column in X.T], axis=1)
    means = sums / np.where(totals > 0, totals, 1.0)[:, None]
    centred = X - means[y]
    within = (centred * weight[:, None]).T @ centred / weight.sum()
    within[np.diag_indices_from(within)] += 1e-6 + 1e-6 * np.trace(within)
    return means, totals / totals.sum(), within


def _signed(direction: Array) -> Array:
    """A direction of length one whose largest entry is positive: which side is left does not matter to a cut."""
    found = direction / max(float(np.abs(direction).max()), 1e-300)
    return np.asarray(found * np.sign(found[int(np.argmax(np.abs(found) > 1 - 1e-6))]))


def _two_groups(X: Array, y: Array, weight: Array, classes: int) -> tuple[Array, Array]:
    """The direction of the discriminant, and 1 or -1 for each row by the side on which the mean of its class lies."""
    first = discriminant(X, y, weight, classes)
    totals = np.bincount(y, weight, classes)
    place = np.bincount(y, weight * (X @ first), classes) / np.where(totals > 0, totals, 1.0)
    there = totals > 0
    middle = (place[there].min() + place[there].max()) / 2
    return first, np.where(place > middle, 1.0, -1.0)[y]


def logistic(X: Array, y: Array, weight: Array, classes: int) -> Array:
    """The direction of a logistic regression, a little shrunken, between two groups of classes; Newton's method."""
    _, side = _two_groups(X, y, weight, classes)
    rows = np.column_stack([X, np.ones(len(X))])
    share, w = weight / weight.sum(), np.zeros(rows.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(np.clip(side * (rows @ w), -500, 500)))
        slope = -rows.T @ (share * side * chance) + 1e-3 * w
        bend = (rows * (share * chance * (1 - chance))[:, None]).T @ rows
        bend[np.diag_indices_from(bend)] += 1e-3
        step = np.linalg.solve(bend, slope)
        w = w - step
        if np.abs(step).max() < 1e-10:
            break
    return _signed(w[:-1])


def perceptron(X: Array, y: Array, weight: Array, classes: int) -> Array:
    """The best direction that a perceptron meets; it begins at the discriminant and learns from all errors at once."""
    first, side = _two_groups(X, y, weight, classes)
    rows = np.column_stack([X, np.ones(len(X))])
    share = weight / weight.sum()
    w = np.append(first, -(share @ X) @ first)
    best, least = w, np.inf
    for _ in range(60):
        place = side * (rows @ w)
        wrong = place <= SAME * np.abs(place).max()  # rounding does not decide for rows on the plane
        errors = float(share[wrong].sum())
        if errors < least - 1e-12:
            best, least = w, errors
        if errors == 0:
            break
        w = w + rows[wrong].T @ (share[wrong] * side[wrong]) / errors
    return _signed(best[:-1])


DIRECTIONS: dict[str, Direction] = {"lda": discriminant, "logistic": logistic, "perceptron": perceptron}
