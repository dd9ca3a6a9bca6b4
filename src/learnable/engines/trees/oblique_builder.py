"""Builder of oblique trees: a discriminant direction for the classes of a node, and the best threshold along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...core.runtime import context
from ...core.validate.features import Array
from .growth_limits import NO_LIMITS, TreeLimits
from .multiway_builder import Criterion, weighted_impurity
from .oblique_tree import PlaneTree

TIE = 1e-10  # projections closer than this fraction of their range are equal
Direction = Callable[[Array, Array, Array, int], Array]


@dataclass(frozen=True)
class ObliqueSplit:
    """A hyperplane in the original columns, and the weighted impurity of its two sides."""

    weights: Array
    threshold: float
    left: Array
    after: float


@dataclass
class ObliqueBuilder:
    """Grows an oblique tree from rows, classes and weights."""

    X: Array
    y: Array
    weight: Array
    classes: int
    direction: Direction
    criterion: Criterion
    axis_parallel: bool = True
    limits: TreeLimits = NO_LIMITS
    _nodes: list[list[object]] = field(default_factory=list)

    def grow(self) -> PlaneTree:
        """Grow the tree; nodes are numbered in depth-first order."""
        rows = np.flatnonzero(self.weight > 0)
        waiting: list[tuple[Array, int, int, bool]] = [(rows, 0, -1, False)]
        while waiting:
            context.give_way()
            here, depth, parent, is_right = waiting.pop()
            node, counts = len(self._nodes), self._counts(here)
            if parent >= 0:
                self._nodes[parent][1 if is_right else 0] = node
            may_split = self.limits.max_depth is None or depth < self.limits.max_depth
            split = self._find_split(here, counts) if may_split else None
            plane = (np.zeros(self.X.shape[1]), 0.0) if split is None else (split.weights, split.threshold)
            self._nodes.append([-1, -1, *plane, len(here), counts])
            if split is not None:
                waiting.append((here[~split.left], depth + 1, node, True))
                waiting.append((here[split.left], depth + 1, node, False))
        return self._tree()

    def _counts(self, rows: Array) -> Array:
        return np.bincount(self.y[rows], self.weight[rows], self.classes)

    def _find_split(self, rows: Array, counts: Array) -> ObliqueSplit | None:
        """The best hyperplane for some rows: along the discriminant direction, or along a column."""
        own, total = float(weighted_impurity(counts, self.criterion)), float(counts.sum())
        if own <= 1e-12 * total or total < max(self.limits.min_samples_split, 2 * self.limits.min_samples_leaf):
            return None
        X, y, weight = self.X[rows], self.y[rows], self.weight[rows]
        mean = weight @ X / weight.sum()
        scale = np.abs(X - mean).max(axis=0)
        varies = scale > 1e-12 * np.abs(X).max(axis=0)
        if not varies.any():
            return None
        scaled = (X - mean)[:, varies] / scale[varies]
        directions = [self.direction(scaled, y, weight, self.classes)]
        directions += list(np.eye(scaled.shape[1])) if self.axis_parallel else []
        found = [self._best_threshold(scaled, direction, y, weight) for direction in directions]
        best = min((split for split in found if split is not None), key=lambda split: split.after, default=None)
        if best is None:
            return None
        weights = np.zeros(X.shape[1])
        weights[varies] = best.weights / scale[varies]
        return ObliqueSplit(weights, best.threshold + float(weights @ mean), best.left, best.after)

    def _best_threshold(self, X: Array, direction: Array, y: Array, weight: Array) -> ObliqueSplit | None:
        """The best threshold of a projection; ties within rounding go to the first."""
        context.give_way()
        projection = np.einsum("ij,j->i", X, direction)
        order = np.argsort(projection, kind="stable")
        ordered = projection[order]
        candidates = np.flatnonzero(np.diff(ordered) > TIE * max(float(np.ptp(projection)), 1e-300))
        if len(candidates) == 0:
            return None
        one_hot = np.zeros((len(y), self.classes))
        one_hot[np.arange(len(y)), y[order]] = weight[order]
        counts = np.cumsum(one_hot, axis=0)
        left, right = counts[candidates], np.maximum(counts[-1] - counts[candidates], 0.0)
        after = weighted_impurity(left, self.criterion) + weighted_impurity(right, self.criterion)
        enough = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= self.limits.min_samples_leaf - 1e-9
        after = np.where(enough, after, np.inf)
        best = int(np.argmax(after <= after.min() + 1e-10 * weight.sum()))
        if not np.isfinite(after[best]):
            return None
        threshold = float(ordered[candidates[best]] + ordered[candidates[best] + 1]) / 2
        return ObliqueSplit(direction, threshold, projection <= threshold, float(after[best]))

    def _tree(self) -> PlaneTree:
        left, right, weights, threshold, rows, counts = (list(column) for column in zip(*self._nodes, strict=True))
        table = np.array(counts, dtype=np.float64)
        weight = table.sum(axis=1)
        return PlaneTree(
            np.array(left, dtype=np.int64),
            np.array(right, dtype=np.int64),
            np.array(weights, dtype=np.float64),
            np.array(threshold, dtype=np.float64),
            np.maximum(weighted_impurity(table, self.criterion) / weight, 0.0),
            np.array(rows, dtype=np.int64),
            weight,
            (table / weight[:, None])[:, None, :],
        )


def lda_direction(X: Array, y: Array, weight: Array, classes: int) -> Array:
    """Fisher's linear discriminant: the direction of maximum between-class over within-class variance."""
    means, priors, within = _scatter(X, y, weight, classes)
    mean = priors @ means
    factor = np.linalg.cholesky(within)
    between = np.linalg.solve(factor, ((means - mean) * np.sqrt(priors)[:, None]).T)
    found = np.linalg.solve(factor.T, np.linalg.svd(between, full_matrices=False)[0][:, 0])
    return _normalise(found)


def _scatter(X: Array, y: Array, weight: Array, classes: int) -> tuple[Array, Array, Array]:
    """Class means, class priors, and the within-class covariance with a small ridge."""
    totals = np.bincount(y, weight, classes)
    sums = np.stack([np.bincount(y, weight * column, classes) for column in X.T], axis=1)
    means = sums / np.where(totals > 0, totals, 1.0)[:, None]
    centred = X - means[y]
    within = (centred * weight[:, None]).T @ centred / weight.sum()
    within[np.diag_indices_from(within)] += 1e-6 + 1e-6 * np.trace(within)
    return means, totals / totals.sum(), within


def _normalise(direction: Array) -> Array:
    """A direction of maximum norm one with a positive largest entry, as the sign does not matter to a split."""
    found = direction / max(float(np.abs(direction).max()), 1e-300)
    return np.asarray(found * np.sign(found[int(np.argmax(np.abs(found) > 1 - 1e-6))]))


def _two_superclasses(X: Array, y: Array, weight: Array, classes: int) -> tuple[Array, Array]:
    """The discriminant direction, and 1 or -1 for each row by the side of its class mean: two superclasses."""
    first = lda_direction(X, y, weight, classes)
    totals = np.bincount(y, weight, classes)
    projected = np.bincount(y, weight * (X @ first), classes) / np.where(totals > 0, totals, 1.0)
    present = totals > 0
    middle = (projected[present].min() + projected[present].max()) / 2
    return first, np.where(projected > middle, 1.0, -1.0)[y]


def logistic_direction(X: Array, y: Array, weight: Array, classes: int) -> Array:
    """The direction of an L2-regularised logistic regression between two superclasses, by Newton's method."""
    _, side = _two_superclasses(X, y, weight, classes)
    rows = np.column_stack([X, np.ones(len(X))])
    normalised, w = weight / weight.sum(), np.zeros(rows.shape[1])
    for _ in range(12):
        proba = 1 / (1 + np.exp(np.clip(side * (rows @ w), -500, 500)))
        gradient = -rows.T @ (normalised * side * proba) + 1e-3 * w
        hessian = (rows * (normalised * proba * (1 - proba))[:, None]).T @ rows
        hessian[np.diag_indices_from(hessian)] += 1e-3
        step = np.linalg.solve(hessian, gradient)
        w = w - step
        if np.abs(step).max() < 1e-10:
            break
    return _normalise(w[:-1])


def perceptron_direction(X: Array, y: Array, weight: Array, classes: int) -> Array:
    """Pocket perceptron: the best direction of batch updates that start at the linear discriminant."""
    first, side = _two_superclasses(X, y, weight, classes)
    rows = np.column_stack([X, np.ones(len(X))])
    normalised = weight / weight.sum()
    w = np.append(first, -(normalised @ X) @ first)
    best, fewest = w, np.inf
    for _ in range(60):
        margin = side * (rows @ w)
        wrong = margin <= TIE * np.abs(margin).max()  # rows on the hyperplane count as errors
        errors = float(normalised[wrong].sum())
        if errors < fewest - 1e-12:
            best, fewest = w, errors
        if errors == 0:
            break
        w = w + rows[wrong].T @ (normalised[wrong] * side[wrong]) / errors
    return _normalise(best[:-1])


DIRECTIONS: dict[str, Direction] = {
    "lda": lda_direction,
    "logistic": logistic_direction,
    "perceptron": perceptron_direction,
}
