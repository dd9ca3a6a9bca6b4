"""Constrained k-means: k-means with must-link and cannot-link pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, RandomState, Trace, Traits, estimator, learned, param
from ..engines.alternate import Alternation, labels_and_centres
from ..engines.iterate import State
from ..engines.kmeans import ScaledData, cluster_means, nearest_centres, squared_distances, squares_to_all
from ..engines.kmeans_init import Init
from ..engines.multi_start import best_run
from ._assign_new import labels_of_known
from ._kmeans.base_centroid import rows_with_weight
from ._kmeans.constraints import PATIENCE, FeasibleAssignment, check_pairs, components, conflicts
from ._kmeans.init import initial_centres


@estimator
class ConstrainedKMeans(Clusterer):
    """Constrained k-means: clustering with must-link and cannot-link pairs.

    minimise over centroids c and labels that satisfy the links    sum_i |x_i - c_label(i)|^2

    The transitive closure of the must-links is assigned as one; each component, those with most cannot-links first, is
    assigned to the nearest centroid that satisfies them; if none is left, the search backtracks. If no feasible
    assignment exists or is found, the error names conflicting links. Without links it is k-means. New rows are assigned
    to the nearest centroid, linked training rows to their cluster. Equal rows may be in different clusters, if links
    require it; a new row equal to them is in one of these. [Wagstaff, Cardie, Rogers and Schroedl, 2001]

    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> ConstrainedKMeans(2, cannot_link=[(0, 1)], must_link=[(1, 2)], random_state=0).fit(X).labels_.tolist() in (
    ...     [0, 1, 1, 1], [1, 0, 0, 0])
    True
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    must_link: Array | None = param(None, "pairs of rows that must be in the same cluster")
    cannot_link: Array | None = param(None, "pairs of rows that must be in different clusters")
    init: Init | Callable[..., Any] | Array = param("k-means++", "initialisation, as in KMeans")
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    max_iter: int = param(300, "maximum number of iterations of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the centroid initialisation")
    cluster_centers_: Array = learned("cluster centroids", shape="clusters features")
    inertia_: float = learned("sum of squared distances of the training rows to the centroids of their clusters")
    n_iter_: int = learned("number of iterations of the best run")
    linked_rows_: Array = learned("training rows with links", shape="linked features")
    linked_labels_: Array = learned("clusters of these rows", shape="linked", index="clusters")

    traits = Traits(stochastic=True)
    title = "constrained k-means"
    reference = "Wagstaff, Cardie, Rogers and Schroedl, Constrained k-means clustering with background knowledge, 2001"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows_with_weight(self, data)
        must, cannot = (check_pairs(name, getattr(self, name), data.n) for name in ("must_link", "cannot_link"))
        sets = components(must, data.n)
        opponents = conflicts(sets, must, cannot)
        scaled = ScaledData(data.X, None, bounds="none")
        starts = initial_centres(self, scaled, data)
        best = best_run(
            (_alternation(scaled, start, _Assignment(scaled, sets, opponents)) for start in starts),
            self.max_iter,
            trace,
        )
        self.n_iter_ = best.steps
        self.cluster_centers_ = (best.state["centres"] / scaled.unit).astype(data.X.dtype)
        linked = np.unique(np.concatenate([must.ravel(), cannot.ravel()]))
        self.linked_rows_, self.linked_labels_ = data.X[linked], best.state["labels"][linked].astype(np.int32)
        self.labels_ = self._assign(data.X)
        self.labels_[linked] = self.linked_labels_  # equal rows may have to be in different clusters
        self.inertia_ = float(squared_distances(data.X, self.cluster_centers_, self.labels_).sum())
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances overflow")
        trace.certify(
            "labels", best.criterion, 0.0, "all links are satisfied; number of labels changed in the last iteration"
        )

    def _assign(self, X: Matrix) -> Array:
        labels = nearest_centres(X, self.cluster_centers_)
        if not len(self.linked_rows_):
            return labels
        return labels_of_known(X.astype(self.linked_rows_.dtype), self.linked_rows_, self.linked_labels_, labels)


@dataclass(frozen=True)
class _Assignment:
    """The assignment step: labels by the nearest centroids that satisfy all links."""

    scaled: ScaledData
    sets: Array
    opponents: list[set[int]]

    def __call__(self, state: State) -> State:
        square = squares_to_all(self.scaled.X, state["centres"])
        costs = np.stack([np.bincount(self.sets, column) for column in square.T], axis=1)
        rows, before = np.arange(len(self.sets)), state["labels"]
        labels = self._feasible(costs)[self.sets]
        cost = float(square[rows, labels].sum())
        if before[0] >= 0 and square[rows, before].sum() <= cost:  # greedy labels may cost more
            labels, cost = before, float(square[rows, before].sum())
        return {"labels": labels, "objective": cost}

    def _feasible(self, costs: Array) -> Array:
        """The nearest feasible centroid of each component; those with most cannot-links choose first."""
        chosen = costs.argmin(axis=1)
        conflicting = sorted(
            (k for k, others in enumerate(self.opponents) if others), key=lambda k: -len(self.opponents[k])
        )
        taken: dict[int, int] = {}
        for one in conflicting:
            barred = {taken[other] for other in self.opponents[one] if other in taken}
            free = [k for k in np.argsort(costs[one], kind="stable") if k not in barred]
            if not free:
                search = FeasibleAssignment(costs, self.opponents)
                taken = search.search(conflicting) or self._explain(one, taken, search.gave_up, costs.shape[1])
                break
            taken[one] = int(free[0])
        chosen[list(taken)] = list(taken.values())
        return np.asarray(chosen)

    def _explain(self, one: int, taken: dict[int, int], gave_up: bool, count: int) -> dict[int, int]:
        rows = {k: int(np.flatnonzero(self.sets == k)[0]) for k in (one, *self.opponents[one])}
        others = sorted({taken[k]: rows[k] for k in self.opponents[one] if k in taken}.values())
        if gave_up:
            raise DataError(
                f"ConstrainedKMeans: no assignment to {count} clusters satisfying all links was found, though there "
                f"may be one: the search stopped after {PATIENCE} choices. At its start, the cannot_link "
                f"partners {others} of row {rows[one]} were in all clusters; increase n_clusters, or drop links"
            )
        raise DataError(
            f"ConstrainedKMeans: no cluster is left for row {rows[one]} and the rows linked to it: its cannot_link "
            f"partners {others} are in all of the {count} clusters, and no other assignment satisfies all "
            "links; increase n_clusters, or drop one of these links"
        )


def _alternation(scaled: ScaledData, centres: Array, assign: _Assignment) -> Alternation:
    """Nearest feasible centroids, and means of the clusters."""

    def update(state: State) -> State:
        return {"centres": cluster_means(scaled.X, state["labels"], state["centres"])}

    return Alternation(labels_and_centres(centres, scaled.X.shape[0]), assign, update, unit=scaled.unit)
