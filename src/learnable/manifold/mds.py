"""Multidimensional scaling by stress majorisation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
    seed_of,
)
from ..core.declare import params
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.runtime.random import stream
from ..core.scaling import unit_of
from ..core.validate.features import FeatureValidator
from ..engines.algebra.eigen import CentredSquares, leading_eigenpairs
from ..engines.iterate import Run, best_run
from ..engines.layout.smacof import Disparities, Smacof, pair_distances, place_by_stress
from ..neighbors._metrics import SAYS, is_metric
from ..parts.isotonic import RisingMap
from ._embedding_base import Embedding, check_square, distances_between, own_coordinates

NormalizedStress = bool | Literal["auto"]


def is_metric_or_flag(value: Any) -> bool:
    """Whether it names a metric, or is the flag that `metric_mds` used to be."""
    return isinstance(value, bool) or is_metric(value)


@estimator
class MDS(Embedding):
    """Multidimensional scaling (MDS), metric and non-metric, by SMACOF: distances that fit the given ones.

    minimise over Y    stress = sum over i < j of w_ij (f(d_ij) - |y_i - y_j|)^2

    Metric: f(d) = d. Non-metric: f is the best rising function, so that only the order of the dissimilarities counts;
    pairs with dissimilarity 0 are then missing. No step raises the stress; it ends in a local minimum. The first run
    starts from classical scaling, or all at random. A new row is placed where its own stress to the fixed map is
    least. [Kruskal, 1964; de Leeuw, 1977; Borg and Groenen, 2005]

    >>> model = MDS(1, random_state=0).fit([[0.0], [3.0], [9.0]])
    >>> model.embedding_.round(3).tolist(), round(model.stress_, 6)
    ([[-4.0], [-1.0], [5.0]], 0.0)
    """

    n_components: int = param(2, "number of dimensions", at_least=1, kw_only=False, tune=(2, 3, 5))
    metric_mds: bool = param(True, "whether distances are kept; False: only their order (non-metric)")
    n_init: int = param(1, "number of runs, the best is kept", at_least=1)
    init: Literal["warn", "classical_mds", "random"] = param(
        "warn", "start of the first run, the others are random; warn, scikit-learn's default, is classical_mds"
    )
    max_iter: int = param(300, "maximum number of iterations of a run", at_least=1)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    eps: float = param(
        1e-6, "tolerance: decrease of the stress beside the sum of squared distances in the map", at_least=0
    )
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of random starts")
    dissimilarity: Literal["deprecated", "euclidean", "precomputed"] = param(
        "deprecated", "older name of metric, accepted as in scikit-learn"
    )
    metric: Any = param(
        "euclidean",
        "distance metric, or precomputed; True or False as metric_mds",
        accepts=is_metric_or_flag,
        says=SAYS,
    )
    metric_params: dict[str, Any] | None = param(None, "options of the metric")
    normalized_stress: NormalizedStress = param("auto", "whether stress_ is Kruskal's stress-1; auto: if non-metric")
    pair_weight: Array | None = param(None, "weights w of the pairs of rows, symmetric; 0: missing", at_least=0)

    stress_: float = learned("stress of the map")
    n_iter_: int = learned("number of iterations of the best run")
    disparity_map_: RisingMap | None = learned("f of non-metric scaling", optional=True)
    X_fit_: Array = learned("training rows, or their dissimilarities", shape="rows features")
    unit_: float = learned("power of two that dissimilarities are multiplied with")

    traits = Traits(compares_by="metric", stochastic=True)
    title = "multidimensional scaling"
    reference = "Borg and Groenen, Modern Multidimensional Scaling, 2005"

    @property
    def pairwise(self) -> bool:
        """Whether X holds dissimilarities."""
        return self._metric == "precomputed" if isinstance(self._metric, str) else False

    @property
    def _metric(self) -> Any:
        if self.dissimilarity != "deprecated":
            return self.dissimilarity
        return "euclidean" if isinstance(self.metric, bool) else self.metric

    @property
    def _ordinal(self) -> bool:
        return not (self.metric if isinstance(self.metric, bool) else self.metric_mds)

    @property
    def dissimilarity_matrix_(self) -> Array:
        """The dissimilarities of the training rows, computed when they are read."""
        return self._between(self.X_fit_)

    def _between(self, X: Matrix) -> Array:
        if self.pairwise:
            return np.asarray(X, dtype=np.float64)
        return distances_between(X, self.X_fit_, self._metric, self.metric_params)

    def fit(self, X: Any, y: Any = None, init: Any = None) -> Self:
        """Find coordinates of the rows of `X`, the first run from the coordinates `init` if they are given."""
        if init is None:
            return super().fit(X, y)
        params.check(self)
        data = self._training_data(X, y, None)
        start = np.asarray(FeatureValidator("MDS").matrix(init)[0], dtype=np.float64)
        if start.shape != (data.n, self.n_components):
            raise DataError(f"MDS: init must have the shape {(data.n, self.n_components)}; its shape is {start.shape}")
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, data.names)
            self._embed(data, trace, start)
        return self

    def fit_transform(self, X: Any, y: Any = None, init: Any = None) -> Any:
        """`fit(X, y, init)`, and the coordinates of the rows."""
        from ..core.sklearn_api.output_containers import wrapped

        return wrapped(self.fit(X, y, init).embedding_, X, self)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._embed(data, trace, None)

    def _embed(self, data: Data, trace: Trace, start: Array | None) -> None:
        self.X_fit_ = check_square("MDS", data.X) if self.pairwise else data.X
        distances = self._between(self.X_fit_)
        self.unit_ = unit_of(distances)
        target = distances * self.unit_
        weight = check_pair_weight("MDS", self.pair_weight, data.n)
        found = self._run(target, weight, start, trace)
        X = found.state["X"]
        normalised = self._ordinal if self.normalized_stress == "auto" else self.normalized_stress
        self.stress_ = reported_stress(found, normalised)
        self.n_iter_ = found.steps
        if self._ordinal:
            self.disparity_map_ = Disparities.of(target, weight).map(pair_distances(X))
            self.embedding_ = X.astype(data.X.dtype)
        else:
            self.disparity_map_ = None
            self.embedding_ = (X / self.unit_).astype(data.X.dtype)

    def _run(self, target: Array, weight: Array | None, start: Array | None, trace: Trace) -> Run:
        """The best of the runs."""
        ordinal = Disparities.of(target, weight) if self._ordinal else None
        if ordinal and (weight is not None or (target[~np.eye(len(target), dtype=bool)] == 0).any()):
            weight = np.where(target > 0, 1.0 if weight is None else weight, 0.0)
        if weight is not None:
            check_linked("MDS", weight)
        factor = 1.0 if ordinal else self.unit_**-2
        given = start if ordinal or start is None else start * self.unit_
        methods = (Smacof(target, weight, begin, self.eps, ordinal, factor) for begin in self._starts(target, given))
        found = best_run(methods, self.max_iter, trace, lambda state: float(state["stress"]))
        trace.certify(
            "decrease", found.criterion, self.eps,
            "the last iteration lowered the stress by this, beside the sum of squared distances in the map",
        )  # fmt: skip
        return found

    def _starts(self, target: Array, given: Array | None) -> Iterator[Array]:
        """Initial positions of each run."""
        state = self.random_state
        draws = stream(seed_of(None) % 2**32 if state is None else state)
        for run in range(self.n_init):
            if run == 0 and given is not None:
                yield given
            elif run == 0 and self.init != "random":
                yield classical_start(target, self.n_components)
            else:
                yield draws.uniform(size=(len(target), self.n_components))

    def _place(self, X: Matrix) -> Array:
        distances = self._between(X)
        fixed = self.embedding_.astype(np.float64)
        if self.disparity_map_ is not None:
            placed = place_by_stress(self.disparity_map_(distances * self.unit_), fixed, self.max_iter)
        else:
            placed = place_by_stress(distances * self.unit_, fixed * self.unit_, self.max_iter) / self.unit_
        nearest = distances.argmin(axis=1)
        return own_coordinates(placed, distances[np.arange(len(distances)), nearest], nearest, fixed)

    def _training_rows(self) -> Matrix:
        return self.X_fit_

    def _compared_rows(self) -> tuple[Matrix, Array, Any]:
        return self.dissimilarity_matrix_, self.embedding_, "precomputed"


def check_pair_weight(owner: str, weight: Any, rows: int) -> Array | None:
    """Weights of pairs, checked: of all pairs of rows, symmetric, and linking all rows."""
    if weight is None:
        return None
    table = np.array(weight, dtype=np.float64)
    if table.shape != (rows, rows) or not np.array_equal(table, table.T):
        raise ParameterError(f"{owner}: pair_weight must be symmetric, of the shape {(rows, rows)}; got {table.shape}")
    np.fill_diagonal(table, 0.0)
    return table


def check_linked(owner: str, weight: Array) -> None:
    """Refuse pairs that leave rows without a path of pairs between them: their positions would be arbitrary."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(csr_array(weight > 0), directed=False)
    if count > 1:
        raise DataError(
            f"{owner}: pairs that are missing leave {count} sets of rows without a dissimilarity between them (rows 0 "
            f"and {int(np.argmax(label != label[0]))}, for instance); give more pairs"
        )


def classical_start(target: Array, count: int) -> Array:
    """The coordinates of classical scaling; those without a positive eigenvalue are zero."""
    n = len(target)
    found = leading_eigenpairs(CentredSquares(target**2), min(count, n), np.random.default_rng(0), 1e-6 * n)
    start = np.zeros((n, count))
    start[:, : found.vectors.shape[1]] = found.vectors * np.sqrt(np.maximum(found.values, 0.0))
    return start


def reported_stress(found: Run, normalised: bool) -> float:
    """The raw stress, or Kruskal's stress-1: the root of it over the sum of squared distances."""
    if not normalised:
        return float(found.history[-1]["objective"])
    size = found.state["size"]
    return float(np.sqrt(max(found.state["stress"], 0.0) / size)) if size > 0 else 0.0


@checked(
    n_components=limits(at_least=1), n_init=limits(at_least=1), max_iter=limits(at_least=1), eps=limits(at_least=0)
)
def smacof(
    dissimilarities: Rows,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: Rows | None = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: RandomState = None,
    return_n_iter: bool = False,
    normalized_stress: bool | Literal["auto"] = "auto",
    pair_weight: Rows | None = None,
) -> tuple[Array, float] | tuple[Array, float, int]:
    """SMACOF: coordinates that minimise the stress, the squared errors of their distances, for given dissimilarities.

    minimise over Y    sum over i < j of w_ij (f(d_ij) - |y_i - y_j|)^2

    f(d) = d if `metric`, otherwise the best rising function. Runs start at random, the first from `init` if it is
    given. Returns the coordinates, the stress (stress-1 if `normalized_stress`, by default if not `metric`), and the
    number of iterations if `return_n_iter`. [de Leeuw, 1977]

    >>> Y, stress = smacof([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]], random_state=0)
    >>> stress < 1e-3
    True
    """
    start = None if init is None else FeatureValidator("smacof").matrix(init)[0]
    model = MDS(
        n_components if start is None else start.shape[1],
        metric_mds=metric,
        n_init=n_init,
        init="random",
        max_iter=max_iter,
        eps=eps,
        random_state=random_state,
        metric="precomputed",
        normalized_stress=normalized_stress,
        pair_weight=None if pair_weight is None else FeatureValidator("smacof").matrix(pair_weight)[0],
    ).fit(dissimilarities, init=start)
    return (model.embedding_, model.stress_, model.n_iter_) if return_n_iter else (model.embedding_, model.stress_)
