"""k-means in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, generator, learned, param, seed_of
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State
from ..engines.kernel_machines.kernel_estimator import WORDS, KernelEstimator
from ..engines.multi_start import best_run
from ..engines.sampling.weighted_sampling import Population
from ..parts.kernels import Kernel
from ._kmeans.base_centroid import AboutCentres, counted_rows


@estimator
class KernelKMeans(KernelEstimator, AboutCentres):
    """Groups about the means of the images of their rows under a kernel, which are never computed.

    |phi(x) - m_k|^2 = K(x, x) - 2 / s(k) sum_j s_j K(x, x_j) + 1 / s(k)^2 sum_ij s_i s_j K(x_i, x_j),   i, j in group k

    Nearest means and means of the nearest in turn, as in k-means, which it is with the linear kernel; a bent kernel
    finds rings in rings. Cost n^2 for the kernel matrix and for each step. [Dhillon, Guan and Kulis, 2004]

    >>> X = [[0.0], [0.1], [3.0], [3.1], [-3.0], [-3.1]]
    >>> model = KernelKMeans(2, kernel=lambda a, b: float(a[0] * b[0]) ** 2, random_state=0).fit(X)
    >>> len(set(model.labels_[2:])), bool(model.labels_[0] != model.labels_[2])
    (1, True)
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    kernel: str | Callable[..., Any] | Kernel = param("rbf", WORDS)
    gamma: float | None = param(None, "rate of the kernel; None is 1 / columns", at_least=0)
    n_init: int = param(1, "number of runs, of which the best is kept", at_least=1)
    max_iter: int = param(300, "most steps of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the beginnings")
    inertia_: float = learned("weighted sum of squared distances of the images to the means of their groups")
    n_iter_: int = learned("steps of the best run")
    X_fit_: Any = learned("the training rows; None if their kernel was given", shape="rows features", matrix=True)
    shares_: Array = learned("share of each training row in the mean of each group", shape="rows groups")
    squares_: Array = learned("squared length of the mean of each group", shape="groups")

    sparse = True
    storage = "csr"
    parametric = False
    reference = "Dhillon, Guan and Kulis, Kernel k-means: spectral clustering and normalized cuts, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        counted_rows(self, data)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        self.X_fit_ = None if self.pairwise else data.X
        K = self._gram(self._kernel(), data.X)
        starts = self._beginnings(K, data, weight)
        best = best_run((_Turns(K, weight, begin, self.n_clusters) for begin in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.shares_, self.squares_ = _means(K, weight, best.state["labels"], self.n_clusters)
        scores = _scores(K, self.shares_, self.squares_)
        self.labels_ = scores.argmin(axis=1).astype(np.int32)
        self.inertia_ = float((weight * np.maximum(scores.min(axis=1) + np.diag(K), 0.0)).sum())
        trace.certify(
            "labels", best.criterion, 0.0, "no row is nearer to another mean; so many changed in the last step"
        )

    def _beginnings(self, K: Array, data: Data, weight: Array) -> Iterator[Array]:
        """Labels by the nearest of rows drawn far apart, for each run."""
        population = None if self.pairwise else Population.of(data)
        rows = np.flatnonzero(weight) if population is None else population.rows
        heavy = weight[rows] if population is None or population.weight is None else population.weight
        seed, length = seed_of(self.random_state), np.diag(K)
        for run in range(self.n_init):
            chosen = _far_apart(K, rows, heavy, self.n_clusters, generator(seed, run))
            apart = length[:, None] - 2 * K[:, chosen] + length[chosen]
            yield apart.argmin(axis=1)

    def _kernel(self) -> Kernel:
        return self._kernel_with(self.X_fit_, self.gamma)

    def _scores_of(self, X: Matrix) -> Array:
        """Squared distances of images to the means, but for their own length."""
        similar = self._similar(self._kernel(), X, self.X_fit_)
        return np.concatenate([_scores(part.astype(np.float64), self.shares_, self.squares_) for part in similar])

    def _distances(self, X: Matrix) -> Array:
        """Distances of images to the means; of a given kernel, as if images had no length of their own."""
        own = np.zeros(X.shape[0]) if self.pairwise else np.asarray(self._kernel().diagonal(X), dtype=np.float64)
        square = own[:, None] + self._scores_of(X)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self._scores_of(X).argmin(axis=1), dtype=np.int32)


@dataclass(frozen=True)
class _Turns:
    """Nearest means and means of the nearest in turn, from given labels."""

    K: Array
    weight: Array
    labels: Array
    count: int

    def start(self) -> State:
        return {"labels": self.labels, "objective": 0.0, "changed": len(self.labels)}

    def step(self, state: State) -> State:
        give_way()
        before = state["labels"]
        scores = _scores(self.K, *_means(self.K, self.weight, before, self.count))
        labels = scores.argmin(axis=1)
        cost = np.maximum(scores[np.arange(len(labels)), labels] + np.diag(self.K), 0.0)
        self._fill(labels, cost)
        total = float((self.weight * cost).sum())
        return {"labels": labels, "objective": total, "changed": int((labels != before).sum())}

    def _fill(self, labels: Array, cost: Array) -> None:
        """Begin groups without rows anew with the rows farthest from their means."""
        mass = np.bincount(labels, self.weight, self.count)
        far = np.argsort(-cost * (self.weight > 0), kind="stable")
        far = far[cost[far] > 0]
        for group, row in zip(np.flatnonzero(mass == 0), far, strict=False):  # there may be too few
            labels[row] = group

    def progress(self, state: State) -> Progress:
        return Progress(state["objective"], float(state["changed"]), 0.0)


def _means(K: Array, weight: Array, labels: Array, count: int) -> tuple[Array, Array]:
    """The share of each row in the mean of each group, and the squared length of these means."""
    shares = np.zeros((len(labels), count))
    shares[np.arange(len(labels)), labels] = weight
    mass = shares.sum(axis=0)
    shares /= np.where(mass > 0, mass, 1.0)
    squares = (shares * _products(K, shares)).sum(axis=0)
    return shares, np.where(mass > 0, squares, np.inf)


def _scores(K: Array, shares: Array, squares: Array) -> Array:
    """Squared distances to the means, less the squared length of each image."""
    return np.asarray(squares - 2 * _products(K, shares))


def _products(K: Array, shares: Array) -> Array:
    found: Array = kernels.matvec(K, shares)
    return found


def _far_apart(K: Array, rows: Array, heavy: Array, count: int, draws: np.random.Generator) -> Array:
    """Rows drawn by the squared distances of their images to those before."""
    length, ends = np.diag(K), np.cumsum(heavy)
    chosen = [int(rows[min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(rows) - 1)])]
    closest = np.full(len(rows), np.inf)
    while len(chosen) < count:
        last = chosen[-1]
        closest = np.minimum(closest, np.maximum(length[rows] - 2 * K[rows, last] + length[last], 0.0))
        mass = heavy * closest
        ends = np.cumsum(mass if mass.any() else heavy)
        chosen.append(int(rows[min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(rows) - 1)]))
    return np.array(chosen)
