"""Uniform manifold approximation and projection."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..decomposition import PCA
from ..engines.graph.edges import Graph
from ..engines.iterate import iterate
from ..engines.layout.umap import SampledLayout
from ..engines.neighbours import FEW_COLUMNS, Found
from ..engines.nn_descent import search_by_descent
from ..neighbors import NearestNeighbors
from ..neighbors._metrics import SAYS, is_metric
from ._embedding_base import Embedding, own_coordinates
from ._fuzzy_sets import fuzzy_graph, memberships
from ._initial_maps import is_init, spectral_start, spread
from ._target_graph import with_given_target

FEW_ROWS = 10_000  # up to which a layout takes more epochs
MANY_ROWS = 100_000  # from which neighbours are found by descent
EPOCHS = {True: 500, False: 200}
PLACING_EPOCHS = {True: 100, False: 30}


def is_metric_of_target(value: Any) -> bool:
    """Whether it names a metric of a target."""
    return (isinstance(value, str) and value == "categorical") or is_metric(value)


@estimator
class UMAP(Embedding):
    """Uniform manifold approximation and projection (UMAP): a map whose fuzzy neighbour graph is like that of the rows.

    minimise over Y    sum_ij -w_ij log q_ij - (1 - w_ij) log(1 - q_ij),    q_ij = 1 / (1 + a |y_i - y_j|^(2b))

    w_ij is the membership of a pair in the union of the fuzzy sets exp(-max(0, d - rho_i) / sigma_i) of the nearest
    rows of each row, exact up to 100000 rows and then found by descent. Edges and random pairs are sampled; all points
    move at once, by Adam with a falling step, so that the map does not depend on threads. With y the sets of neighbours
    are intersected with those of the target. A new row starts at the mean of its neighbours weighted by membership,
    and moves while the map is fixed.
    [McInnes, Healy and Melville, 2018]

    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [9.0, 9.0], [9.1, 9.0], [9.0, 9.1]]
    >>> Y = UMAP(n_neighbors=3, random_state=0).fit_transform(X)
    >>> bool(np.linalg.norm(Y[0] - Y[1]) < np.linalg.norm(Y[0] - Y[3]))
    True
    """

    n_neighbors: int = param(
        15, "number of neighbours, the row included, or all rows if there are fewer", at_least=2, kw_only=False
    )
    n_components: int = param(2, "number of dimensions", at_least=1, kw_only=False)
    metric: Any = param("euclidean", "distance metric, or precomputed", accepts=is_metric, says=SAYS)
    metric_kwds: dict[str, Any] | None = param(None, "options of the metric")
    output_metric: Literal["euclidean"] = param("euclidean", "distance metric of the map")
    n_epochs: int | None = param(None, "number of epochs; None: 500 up to 10000 rows, otherwise 200", at_least=0)
    learning_rate: float = param(1.0, "step of the first epoch", above=0)
    init: Any = param(
        "spectral", "initialisation of the positions", accepts=is_init,
        says="spectral, random, pca, or an array of coordinates",
    )  # fmt: skip
    min_dist: float = param(0.1, "distance below which points of the map count as equal", at_least=0)
    spread: float = param(1.0, "scale of the map, at least min_dist", above=0)
    low_memory: bool = param(True, "accepted as in umap-learn")
    n_jobs: int | None = param(-1, "accepted as in umap-learn; learnable.threads says how many threads work")
    set_op_mix_ratio: float = param(1.0, "1: union of the fuzzy sets, 0: intersection", at_least=0, at_most=1)
    local_connectivity: float = param(1.0, "number of neighbours that are members for certain", at_least=0)
    repulsion_strength: float = param(1.0, "weight of the second term of the objective", at_least=0)
    negative_sample_rate: int = param(5, "number of random points for each edge", at_least=0)
    transform_queue_size: float = param(4.0, "accepted as in umap-learn: the search for neighbours is exact", above=0)
    a: float | None = param(None, "a of the similarity q; None: by min_dist and spread", above=0)
    b: float | None = param(None, "b of the similarity q; None: by min_dist and spread", above=0)
    random_state: RandomState = param(None, "seed of initial positions and of random points")
    angular_rp_forest: bool = param(False, "accepted as in umap-learn")
    target_n_neighbors: int = param(-1, "number of neighbours by a numeric target; -1: n_neighbors", at_least=-1)
    target_metric: Any = param(
        "categorical", "categorical, or the distance metric of a numeric target", accepts=is_metric_of_target,
        says=f"categorical, or {SAYS}",
    )  # fmt: skip
    target_metric_kwds: dict[str, Any] | None = param(None, "options of the metric of the target")
    target_weight: float = param(0.5, "0: the target is ignored, 1: it alone counts", at_least=0, at_most=1)
    transform_seed: int = param(42, "seed of random points for new rows", at_least=0)
    force_approximation_algorithm: bool = param(
        False, "whether neighbours are found by descent, nearly all of them, also for few Euclidean rows"
    )
    verbose: bool = param(False, "accepted for compatibility; use learnable.progress")
    tqdm_kwds: dict[str, Any] | None = param(None, "accepted for compatibility; use learnable.progress")
    disconnection_distance: float | None = param(None, "distance from which rows are not neighbours", above=0)
    precomputed_knn: tuple[Any, ...] | None = param(
        None, "rows and distances of the neighbours of each row, itself first"
    )

    graph_: Matrix = learned("memberships w of pairs of rows", shape="rows rows", matrix=True)
    a_: float = learned("a of the similarity q")
    b_: float = learned("b of the similarity q")
    n_epochs_: int = learned("number of epochs")
    n_neighbors_: int = learned("number of neighbours, the row included")
    nbrs_: Any = learned("fitted search for neighbours")

    traits = Traits(compares_by="metric", sparse=True, storage="csr", stochastic=True, uses_target="if given")
    title = "uniform manifold approximation and projection"
    reference = "McInnes, Healy and Melville, UMAP: uniform manifold approximation and projection, 2018"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.min_dist > self.spread:
            raise ParameterError(f"UMAP: min_dist={self.min_dist:g} must be at most spread={self.spread:g}")
        self.a_, self.b_ = self._curve()
        self.n_neighbors_ = min(self.n_neighbors, data.n)
        self.nbrs_ = NearestNeighbors(
            n_neighbors=max(self.n_neighbors_ - 1, 1), metric=self.metric, metric_params=self.metric_kwds
        ).fit(data.X)
        limit = np.inf if self.disconnection_distance is None else self.disconnection_distance
        self.graph_ = fuzzy_graph(
            self._neighbours(data.n), self.n_neighbors_, self.local_connectivity, self.set_op_mix_ratio, limit
        )
        if len(data.y):
            self.graph_ = with_given_target(self, self.graph_, data.y)
        self.n_epochs_ = EPOCHS[data.n <= FEW_ROWS] if self.n_epochs is None else self.n_epochs
        seed = seed_of(self.random_state)
        layout = self._layout(Graph.of_matrix(self.graph_), self._start(data.X, seed), self.n_epochs_, seed)
        state = iterate(layout, layout.steps, trace)
        self.embedding_ = (state["Y"] - state["Y"].mean(axis=0)).astype(data.X.dtype)
        left = float(self.n_epochs_ - state["epoch"])
        trace.certify("epochs left", left, 0.0, "number of epochs not done; the objective is known by samples alone")

    def _neighbours(self, rows: int) -> Found:
        """The nearest other rows of every row."""
        if self.precomputed_knn is not None and self.precomputed_knn[0] is not None:
            near, far = (np.asarray(part) for part in self.precomputed_knn[:2])
            if near.shape != far.shape or near.ndim != 2 or len(near) != rows or near.shape[1] < self.n_neighbors_:
                raise ParameterError(
                    f"UMAP: precomputed_knn must hold rows and distances of the shape ({rows}, n_neighbors = "
                    f"{self.n_neighbors_}) at least; their shapes are {near.shape} and {far.shape}"
                )
            return far[:, 1 : self.n_neighbors_].astype(np.float64), near[:, 1 : self.n_neighbors_].astype(np.int64)
        if rows == 1:
            return np.zeros((1, 0)), np.zeros((1, 0), dtype=np.int64)
        X = self.nbrs_.rows_
        dense = isinstance(X, np.ndarray) and X.shape[1] > FEW_COLUMNS and self.metric == "euclidean"
        if dense and (self.force_approximation_algorithm or rows > MANY_ROWS):
            return search_by_descent(X, self.n_neighbors_ - 1, seed_of(self.random_state))
        found: Found = self.nbrs_._nearest(None, self.n_neighbors_ - 1)
        return found

    def _layout(
        self, graph: Graph, start: Array, epochs: int, seed: int, tail: Array | None = None, slower: float = 1.0
    ) -> SampledLayout:
        return SampledLayout(
            graph.scaled_to_one(by_row=tail is not None), start, self.a_, self.b_, self.repulsion_strength,
            self.negative_sample_rate, self.learning_rate / slower, epochs, seed, tail,
        )  # fmt: skip

    def _curve(self) -> tuple[float, float]:
        """a and b of the similarity that is nearest to 1 up to min_dist and exp(-(d - min_dist) / spread) beyond."""
        from scipy.optimize import curve_fit

        if self.a is not None and self.b is not None:
            return float(self.a), float(self.b)
        d = np.linspace(0, 3 * self.spread, 300)
        target = np.where(d < self.min_dist, 1.0, np.exp(-(d - self.min_dist) / self.spread))
        (a, b), _ = curve_fit(lambda d, a, b: 1 / (1 + a * d ** (2 * b)), d, target)
        return float(a if self.a is None else self.a), float(b if self.b is None else self.b)

    def _start(self, X: Matrix, seed: int) -> Array:
        n, count = X.shape[0], self.n_components
        if not isinstance(self.init, str):
            if self.init.shape != (n, count):
                raise ParameterError(f"UMAP: init must have the shape {(n, count)}; its shape is {self.init.shape}")
            return np.asarray(self.init, dtype=np.float64)
        if self.init == "random":
            return np.asarray(generator(seed, 0).uniform(-10, 10, (n, count)))
        if self.init == "spectral":
            return spectral_start(self.graph_, count, X, self.pairwise, seed)
        if self.pairwise:
            raise ParameterError("UMAP: init='pca' needs rows, not precomputed distances; use spectral or random")
        start = np.zeros((n, count))
        few = min(count, *X.shape)
        start[:, :few] = PCA(few, random_state=0).fit_transform(X)
        return spread(start, seed)

    def _place(self, X: Matrix) -> Array:
        k = min(self.n_neighbors_, self.nbrs_.n_samples_fit_)
        distances, rows = self.nbrs_._nearest(X, k)
        limit = np.inf if self.disconnection_distance is None else self.disconnection_distance
        member = memberships((distances, rows), k, max(self.local_connectivity - 1.0, 0.0), limit)
        total = np.maximum(member.sum(axis=1, keepdims=True), 1e-300)
        fixed = np.ascontiguousarray(self.embedding_, dtype=np.float64)
        placed = np.einsum("ij,ijc->ic", member / total, fixed[rows])
        epochs = PLACING_EPOCHS[len(fixed) <= FEW_ROWS] if self.n_epochs is None else self.n_epochs // 3
        graph = Graph(np.arange(len(rows) + 1, dtype=np.int64) * k, rows.ravel(), member.ravel())
        layout = self._layout(graph, placed, epochs, self.transform_seed, fixed, slower=4.0)
        return own_coordinates(layout.run(), distances[:, 0], rows[:, 0], fixed)

    def _training_rows(self) -> Matrix:
        return self.nbrs_.rows_
