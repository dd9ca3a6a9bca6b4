"""Kernel k-means: k-means in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, Traits, estimator, generator, learned, param, seed_of
from ..core.runtime.native import kernels
from ..engines.alternate import Alternation
from ..engines.iterate import State, best_run
from ..engines.kernel_machines.kernel_estimator import WORDS, KernelEstimator
from ..engines.kernel_machines.kernel_matrix import ComparesObjects
from ..engines.sampling.weighted_sampling import Population
from ..parts.kernels import Kernel
from ._kmeans.base_centroid import PrototypeClusterer, rows_with_weight


@estimator
class KernelKMeans(KernelEstimator, ComparesObjects, PrototypeClusterer):
    """Kernel k-means clustering: k-means in the feature space of a kernel, whose means are implicit.

    |phi(x) - m_k|^2 = K(x, x) - 2/s(k) sum_j s_j K(x, x_j) + 1/s(k)^2 sum_ij s_i s_j K(x_i, x_j) for i, j in cluster k

    Alternates assignment and update as k-means, which it equals with the linear kernel; a nonlinear kernel separates
    concentric rings, and a kernel that is a function compares texts or other objects. Cost n^2 for the kernel matrix
    and for each iteration. [Dhillon, Guan and Kulis, 2004]

    >>> X = [[0.0], [0.1], [3.0], [3.1], [-3.0], [-3.1]]
    >>> model = KernelKMeans(2, kernel=lambda a, b: float(a[0] * b[0]) ** 2, random_state=0).fit(X)
    >>> len(set(model.labels_[2:])), bool(model.labels_[0] != model.labels_[2])
    (1, True)
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    kernel: str | Callable[..., Any] | Kernel = param("rbf", WORDS)
    gamma: float | None = param(None, "kernel coefficient; None: 1 / n_features", at_least=0)
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    max_iter: int = param(300, "maximum number of iterations of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the centroid initialisation")
    inertia_: float = learned("weighted sum of squared distances in feature space to the means of the clusters")
    n_iter_: int = learned("number of iterations of the best run")
    X_fit_: Any = learned("training rows; None for a precomputed kernel", shape="rows features", matrix=True)
    shares_: Array = learned("weight of each training row in the mean of each cluster", shape="rows clusters")
    squares_: Array = learned("squared norm of the mean of each cluster", shape="clusters")

    traits = Traits(sparse=True, storage="csr", parametric=False)
    title = "kernel k-means clustering"
    reference = "Dhillon, Guan and Kulis, Kernel k-means: spectral clustering and normalized cuts, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows_with_weight(self, data)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        self.X_fit_ = None if self.pairwise else data.X
        K = self._gram(self._kernel(), data.X)
        starts = self._initial_labels(K, data, weight)
        best = best_run((_alternation(K, weight, start, self.n_clusters) for start in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.shares_, self.squares_ = _means(K, weight, best.state["labels"], self.n_clusters)
        scores = _scores(K, self.shares_, self.squares_)
        self.labels_ = scores.argmin(axis=1).astype(np.int32)
        self.inertia_ = float((weight * np.maximum(scores.min(axis=1) + np.diag(K), 0.0)).sum())
        trace.certify(
            "labels",
            best.criterion,
            0.0,
            "every row is assigned to its nearest mean; number of labels changed in the last iteration",
        )

    def _initial_labels(self, K: Array, data: Data, weight: Array) -> Iterator[Array]:
        """Initial labels for each run: the nearest of rows drawn by k-means++."""
        population = None if self.pairwise or data.X.dtype == object else Population.of(data)
        rows = np.flatnonzero(weight) if population is None else population.rows
        row_weights = weight[rows] if population is None or population.weight is None else population.weight
        seed, length = seed_of(self.random_state), np.diag(K)
        for run in range(self.n_init):
            chosen = _plus_plus_rows(K, rows, row_weights, self.n_clusters, generator(seed, run))
            apart = length[:, None] - 2 * K[:, chosen] + length[chosen]
            yield apart.argmin(axis=1)

    def _kernel(self) -> Kernel:
        return self._kernel_with(self.X_fit_, self.gamma)

    def _scores_of(self, X: Matrix) -> Array:
        """Squared distances in feature space to the means, less the squared norm of each image."""
        similar = self._similar(self._kernel(), X, self.X_fit_)
        return np.concatenate([_scores(block.astype(np.float64), self.shares_, self.squares_) for block in similar])

    def _distances(self, X: Matrix) -> Array:
        """Distances in feature space to the means; for a precomputed kernel, images are taken to have norm zero."""
        own = np.zeros(X.shape[0]) if self.pairwise else np.asarray(self._kernel().diagonal(X), dtype=np.float64)
        square = own[:, None] + self._scores_of(X)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self._scores_of(X).argmin(axis=1), dtype=np.int32)


def _alternation(K: Array, weight: Array, labels: Array, count: int) -> Alternation:
    """Nearest means, which are implicit in the labels of the step before; empty clusters get the farthest rows."""

    def assign(state: State) -> State:
        scores = _scores(K, *_means(K, weight, state["labels"], count))
        nearest = scores.argmin(axis=1)
        costs = np.maximum(scores[np.arange(len(nearest)), nearest] + np.diag(K), 0.0)
        return {"labels": nearest, "costs": costs, "objective": float((weight * costs).sum())}

    def update(state: State) -> State:
        filled, costs = state["labels"].copy(), state["costs"]
        mass = np.bincount(filled, weight, count)
        far = np.argsort(-costs * (weight > 0), kind="stable")
        far = far[costs[far] > 0]
        for cluster, row in zip(np.flatnonzero(mass == 0), far, strict=False):  # there may be too few
            filled[row] = cluster
        return {"labels": filled}

    return Alternation({"labels": labels, "objective": 0.0, "changed": len(labels)}, assign, update)


def _means(K: Array, weight: Array, labels: Array, count: int) -> tuple[Array, Array]:
    """The weight of each row in the mean of each cluster, and the squared norm of these means."""
    weights = np.zeros((len(labels), count))
    weights[np.arange(len(labels)), labels] = weight
    mass = weights.sum(axis=0)
    weights /= np.where(mass > 0, mass, 1.0)
    squares = (weights * _products(K, weights)).sum(axis=0)
    return weights, np.where(mass > 0, squares, np.inf)


def _scores(K: Array, weights: Array, squares: Array) -> Array:
    """Squared distances to the means, less the squared norm of each image."""
    return np.asarray(squares - 2 * _products(K, weights))


def _products(K: Array, weights: Array) -> Array:
    found: Array = kernels.matvec(K, weights)
    return found


def _plus_plus_rows(K: Array, rows: Array, weight: Array, count: int, draws: np.random.Generator) -> Array:
    """k-means++ seeding in feature space: rows drawn by squared distance to the previous ones."""
    length, ends = np.diag(K), np.cumsum(weight)
    chosen = [int(rows[min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(rows) - 1)])]
    closest = np.full(len(rows), np.inf)
    while len(chosen) < count:
        last = chosen[-1]
        closest = np.minimum(closest, np.maximum(length[rows] - 2 * K[rows, last] + length[last], 0.0))
        mass = weight * closest
        ends = np.cumsum(mass if mass.any() else weight)
        chosen.append(int(rows[min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(rows) - 1)]))
    return np.array(chosen)
