"""k-means with pairs of rows that must, or must not, be in one group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, RandomState, Trace, estimator, learned, param
from ..core.runtime.context import give_way
from ..engines.iterate import Progress, State
from ..engines.kmeans import Cloud, means_of_groups, nearest_centres, squared_distances, squares_to_all
from ..engines.multi_start import best_run
from ._assign_new import labels_of_known
from ._kmeans.base_centroid import counted_rows
from ._kmeans.constraints import PATIENCE, Allotment, checked_pairs, components, conflicts
from ._kmeans.init import Beginning, beginnings


@estimator
class ConstrainedKMeans(Clusterer):
    """Groups of rows about their means, in which linked rows are in one group, or are not, as was said.

    minimise over centres c and labels that keep the links    sum_i |x_i - c_label(i)|^2

    Rows that must be together are one weighted point, links of links included; then each set, the most entangled first,
    goes to the nearest centre that none of its opponents has; where no centre is left, earlier sets give way. If no
    choice keeps all links, or none was found, the links in the way are named. Without links it is k-means. New rows go
    to the nearest centre, training rows that have links to their group. Equal rows may be in different groups, if links
    ask for it; a new row equal to them is then in one of these.
    [Wagstaff, Cardie, Rogers and Schroedl, 2001]

    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> ConstrainedKMeans(2, cannot_link=[(0, 1)], must_link=[(1, 2)], random_state=0).fit(X).labels_.tolist() in (
    ...     [0, 1, 1, 1], [1, 0, 0, 0])
    True
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    must_link: Array | None = param(None, "pairs of rows that are in one group")
    cannot_link: Array | None = param(None, "pairs of rows that are in different groups")
    init: Beginning | Callable[..., Any] | Array = param("k-means++", "where runs begin, as in KMeans")
    n_init: int = param(1, "number of runs, of which the best is kept", at_least=1)
    max_iter: int = param(300, "most steps of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the beginnings")
    cluster_centers_: Array = learned("centre of each group", shape="groups features")
    inertia_: float = learned("sum of squared distances of the training rows to the centres of their groups")
    n_iter_: int = learned("steps of the best run")
    linked_rows_: Array = learned("training rows that have links", shape="linked features")
    linked_labels_: Array = learned("their groups", shape="linked", index="groups")

    stochastic = True
    reference = "Wagstaff, Cardie, Rogers and Schroedl, Constrained k-means clustering with background knowledge, 2001"

    def _fit(self, data: Data, trace: Trace) -> None:
        counted_rows(self, data)
        must, cannot = (checked_pairs(name, getattr(self, name), data.n) for name in ("must_link", "cannot_link"))
        sets = components(must, data.n)
        opponents = conflicts(sets, must, cannot)
        cloud = Cloud(data.X, None, bounds="none")
        starts = beginnings(self, cloud, data)
        best = best_run((_Turns(cloud, begin, sets, opponents) for begin in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.cluster_centers_ = (best.state["centres"] / cloud.unit).astype(data.X.dtype)
        linked = np.unique(np.concatenate([must.ravel(), cannot.ravel()]))
        self.linked_rows_, self.linked_labels_ = data.X[linked], best.state["labels"][linked].astype(np.int32)
        self.labels_ = self._assign(data.X)
        self.labels_[linked] = self.linked_labels_  # rows that are alike may have to be apart
        self.inertia_ = float(squared_distances(data.X, self.cluster_centers_, self.labels_).sum())
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances leave the range of floats")
        trace.certify("labels", best.criterion, 0.0, "all links are kept; so many labels changed in the last step")

    def _assign(self, X: Matrix) -> Array:
        labels = nearest_centres(X, self.cluster_centers_)
        if not len(self.linked_rows_):
            return labels
        return labels_of_known(X.astype(self.linked_rows_.dtype), self.linked_rows_, self.linked_labels_, labels)


@dataclass(frozen=True)
class _Turns:
    """Nearest centres that the links allow, and means of the rows of each, in turn."""

    cloud: Cloud
    begin: Array
    sets: Array
    opponents: list[set[int]]

    def start(self) -> State:
        return {
            "centres": self.begin,
            "labels": np.full(len(self.sets), -1),
            "objective": 0.0,
            "changed": len(self.sets),
        }

    def step(self, state: State) -> State:
        give_way()
        X, centres = self.cloud.X, state["centres"]
        square = squares_to_all(X, centres)
        costs = np.stack([np.bincount(self.sets, column) for column in square.T], axis=1)
        rows, before = np.arange(len(X)), state["labels"]
        labels = self._allowed(costs)[self.sets]
        cost = float(square[rows, labels].sum())
        if before[0] >= 0 and square[rows, before].sum() <= cost:  # as links may make it: then this is where it ends
            labels, cost = before, float(square[rows, before].sum())
        means = means_of_groups(X, labels, centres)
        changed = int((labels != before).sum())
        return {"centres": means, "labels": labels, "objective": cost, "changed": changed}

    def _allowed(self, costs: Array) -> Array:
        """The cheapest centre of each set that none of its opponents has; those with most opponents choose first."""
        chosen = costs.argmin(axis=1)
        torn = sorted((k for k, others in enumerate(self.opponents) if others), key=lambda k: -len(self.opponents[k]))
        taken: dict[int, int] = {}
        for one in torn:
            barred = {taken[other] for other in self.opponents[one] if other in taken}
            free = [k for k in np.argsort(costs[one], kind="stable") if k not in barred]
            if not free:
                search = Allotment(costs, self.opponents)
                taken = search.found(torn) or self._explain(one, taken, search.gave_up)
                break
            taken[one] = int(free[0])
        chosen[list(taken)] = list(taken.values())
        return np.asarray(chosen)

    def _explain(self, one: int, taken: dict[int, int], gave_up: bool) -> dict[int, int]:
        rows = {k: int(np.flatnonzero(self.sets == k)[0]) for k in (one, *self.opponents[one])}
        others = sorted({taken[k]: rows[k] for k in self.opponents[one] if k in taken}.values())
        if gave_up:
            raise DataError(
                f"ConstrainedKMeans: no way was found to keep all links with {len(self.begin)} groups, though there "
                f"may be one: the search was given up after {PATIENCE} choices. Where it began, the cannot_link "
                f"partners {others} of row {rows[one]} were in all groups; allow more groups, or drop links"
            )
        raise DataError(
            f"ConstrainedKMeans: no group is left for row {rows[one]} and those tied to it: its cannot_link partners "
            f"{others} are in all of the {len(self.begin)} groups, and no other choice keeps all links; allow more "
            "groups, or drop one of these links"
        )

    def progress(self, state: State) -> Progress:
        unit = self.cloud.unit
        return Progress(state["objective"] / unit / unit, float(state["changed"]), 0.0)
