"""t-distributed stochastic neighbour embedding."""

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
from ..core.runtime.native import kernels
from ..decomposition import PCA
from ..engines.graph.edges import Graph
from ..engines.graph.spectral import smallest_eigenpairs
from ..engines.iterate import iterate
from ..engines.layout.repulsion import GridRepulsion, Repulsion, exact_repulsion, tree_repulsion
from ..engines.layout.tsne import StudentLayout
from ..neighbors import NearestNeighbors
from ..neighbors._metrics import SAYS, is_metric
from ._embedding_base import Embedding, own_coordinates
from ._initial_maps import is_init
from ._student_affinities import affinity_graph, new_affinities

PER_ITERATION = 1e-3  # decrease of the divergence per iteration, in nats, at which a map counts as settled
MANY_ROWS = 10_000  # from which the grid is faster than the tree
PLACING_STEPS = 100  # of a new row


@estimator
class TSNE(Embedding):
    """T-distributed stochastic neighbour embedding (t-SNE): a map in which near rows stay near.

    minimise over Y    KL(P || Q) = sum_ij p_ij log(p_ij / q_ij),    q_ij ~ (1 + d_ij^2 / dof)^-((dof + 1) / 2)

    p_ij are Gaussian affinities of the rows whose width gives each row `perplexity` neighbours. Clusters are kept,
    distances between them are not. Repulsion is exact, by a tree (barnes_hut), or on a grid (fft, for two dimensions,
    about linear in the rows). A new row is placed where the divergence of its own affinities to the fixed map is
    least. [van der Maaten and Hinton, 2008; van der Maaten, 2014; Linderman et al., 2019]

    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [9.0, 9.0], [9.1, 9.0], [9.0, 9.1]]
    >>> Y = TSNE(perplexity=1.5, random_state=0).fit_transform(X)
    >>> bool(np.linalg.norm(Y[0] - Y[1]) < np.linalg.norm(Y[0] - Y[3]))
    True
    """

    n_components: int = param(2, "number of dimensions", at_least=1, kw_only=False)
    perplexity: float = param(30.0, "effective number of neighbours of each row", above=0, tune=(10.0, 30.0, 50.0))
    early_exaggeration: float = param(12.0, "factor of the affinities in the first 250 iterations", at_least=1)
    learning_rate: float | Literal["auto"] = param(
        "auto", "learning rate; auto: n / early_exaggeration / 4, at least 50", above=0
    )
    max_iter: int = param(1000, "maximum number of iterations", at_least=250)
    n_iter_without_progress: int = param(300, "iterations without a decrease after which the fit ends", at_least=-1)
    min_grad_norm: float = param(1e-7, "norm of the gradient at which the fit ends", at_least=0)
    metric: Any = param("euclidean", "distance metric, or precomputed", accepts=is_metric, says=SAYS)
    metric_params: dict[str, Any] | None = param(None, "options of the metric")
    init: Any = param(
        "pca",
        "initialisation of the positions",
        accepts=is_init,
        says="pca, random, spectral, or an array of coordinates",
    )
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    random_state: RandomState = param(None, "seed of random positions")
    method: Literal["barnes_hut", "exact", "fft", "auto"] = param(
        "barnes_hut", "repulsion by a tree, exactly, on a grid, or by what suits the number of rows"
    )
    angle: float = param(0.5, "accuracy of the tree: 0 is exact, larger is faster", at_least=0, at_most=1)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    dof: float | None = param(None, "degrees of freedom of the kernel; None: n_components - 1, at least 1", above=0)

    kl_divergence_: float = learned("divergence of the map")
    learning_rate_: float = learned("learning rate used")
    n_iter_: int = learned("number of iterations")
    nbrs_: Any = learned("fitted search for neighbours")

    traits = Traits(compares_by="metric", sparse=True, storage="csr", stochastic=True)
    title = "t-distributed stochastic neighbour embedding"
    reference = "van der Maaten and Hinton, Visualizing data using t-SNE, 2008"

    def _fit(self, data: Data, trace: Trace) -> None:
        if data.n < 2 or self.perplexity >= data.n:
            raise ParameterError(
                f"TSNE: perplexity={self.perplexity:g} must be less than n_samples = {data.n}, of which two at least "
                "are needed; a third of it at most is sensible"
            )
        k = data.n - 1 if self.method == "exact" else min(data.n - 1, int(3 * self.perplexity + 1))
        self.nbrs_ = NearestNeighbors(n_neighbors=k, metric=self.metric, metric_params=self.metric_params).fit(data.X)
        graph = affinity_graph(self.nbrs_._nearest(None, k), self.perplexity)
        rate = max(data.n / self.early_exaggeration / 4, 50.0) if self.learning_rate == "auto" else self.learning_rate
        self.learning_rate_ = float(rate)
        layout = StudentLayout(
            graph, self._start(data.X, graph), self._repulsion(data.n), self._dof, self.early_exaggeration,
            self.learning_rate_, self.max_iter, self.min_grad_norm, max(self.n_iter_without_progress, 0) or 10**9,
        )  # fmt: skip
        state = iterate(layout, layout.steps, trace)
        self.embedding_ = state["Y"].astype(data.X.dtype)
        self.kl_divergence_, self.n_iter_ = float(state["divergence"]), int(state["done"])
        trace.certify(
            "decrease", 0.0 if trace.stopped == "converged" else layout.decrease(state), PER_ITERATION,
            "at the end the divergence fell by at most this per iteration: the map has settled in a local minimum",
        )  # fmt: skip

    @property
    def _dof(self) -> float:
        return float(max(self.n_components - 1, 1)) if self.dof is None else self.dof

    def _repulsion(self, rows: int) -> Repulsion:
        method = (
            ("fft" if rows > MANY_ROWS and self.n_components == 2 else "barnes_hut")
            if self.method == "auto"
            else self.method
        )
        if method == "fft" and self.n_components != 2:
            raise ParameterError("TSNE: method='fft' supports two dimensions only; use barnes_hut or exact")
        if method == "barnes_hut" and self.n_components > 3:
            raise ParameterError(
                "TSNE: 'n_components' should be less than 4 for the barnes_hut algorithm as it relies on quad-tree or "
                "oct-tree; use method='exact'"
            )
        if method == "fft":
            return GridRepulsion(self._dof)
        return (
            exact_repulsion(self._dof)
            if method == "exact" or self.angle == 0
            else tree_repulsion(self._dof, self.angle)
        )

    def _start(self, X: Matrix, graph: Graph) -> Array:
        n, seed = X.shape[0], seed_of(self.random_state)
        if not isinstance(self.init, str):
            if self.init.shape != (n, self.n_components):
                raise ParameterError(
                    f"TSNE: init must have the shape {(n, self.n_components)}; its shape is {self.init.shape}"
                )
            return np.asarray(self.init, dtype=np.float64)
        draws = 1e-4 * generator(seed, 0).standard_normal((n, self.n_components))
        if self.init == "random":
            return np.asarray(draws)
        if self.init == "spectral":
            found = smallest_eigenpairs(graph.matrix(), min(self.n_components + 1, n), seed, 1e-4)
            return _scaled_start(found.vectors[:, 1:], draws)
        if self.pairwise:
            raise ParameterError(
                'TSNE: The parameter init="pca" cannot be used with metric="precomputed"; use "random"'
            )
        count = min(self.n_components, *X.shape)
        return _scaled_start(np.asarray(PCA(count, random_state=0).fit_transform(X), dtype=np.float64), draws)

    def _place(self, X: Matrix) -> Array:
        distances, rows = self.nbrs_._nearest(X, self.nbrs_.n_neighbors)
        p = new_affinities(distances, self.perplexity)
        fixed = np.ascontiguousarray(self.embedding_, dtype=np.float64)
        placed = np.einsum("ij,ijc->ic", p, fixed[rows])
        if self.n_components <= 3:
            angle = 0.0 if self.method == "exact" else self.angle
            reach = 1e-6 * float(np.abs(fixed).max(initial=0.0))
            kernels.student_place(fixed, rows, p, self._dof, angle, PLACING_STEPS, reach, placed)
        return own_coordinates(placed, distances[:, 0], rows[:, 0], fixed)

    def _training_rows(self) -> Matrix:
        return self.nbrs_.rows_


def _scaled_start(vectors: Array, draws: Array) -> Array:
    """Coordinates with the standard deviation 1e-4 along the first axis; random ones where there are none."""
    spread = float(vectors[:, 0].std()) if vectors.shape[1] else 0.0
    start = draws.copy()
    if spread > 0:
        start[:, : vectors.shape[1]] = vectors * (1e-4 / spread)
    return start
