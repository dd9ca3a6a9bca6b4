"""Groups of dense rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, WeightedClusterer, estimator, learned, param
from ..engines.neighbours import Comparison
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import labels_of_known, settled
from ._density.dbscan_core import Dense, Density, lowest_near, near_in_graph


@estimator
class DBSCAN(ByMetric, WeightedClusterer):
    """Dense places, connected where they touch; rows in thin places are noise, and have the label -1.

    choose as dense the rows with min_samples rows within eps, themselves with them; groups: chains of dense rows

    A row that is near a dense one is in its group, too, but leads no further: chains pass through dense rows alone. Who
    is near several groups is in the first; new rows are assigned by the same rule. By a grid in the plane unless rows
    crowd there, by a tree of boxes or balls, where no list of neighbours is kept, or by distances, block by block.
    Exact. [Ester, Kriegel, Sander and Xu, 1996]

    >>> DBSCAN(eps=1.0, min_samples=2).fit_predict([[0.0], [0.9], [1.8], [8.0], [8.5], [20.0]])
    array([ 0,  0,  0,  1,  1, -1])
    """

    eps: float = param(0.5, "how far a row reaches", above=0, kw_only=False)
    min_samples: int = param(5, "rows within reach that make a row dense, its own with them", at_least=1)
    metric: Any = param("euclidean", "how far rows are apart", accepts=is_metric, says=SAYS)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis")
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = param(
        "auto", "accepted as in scikit-learn: the answer is exact by all"
    )
    leaf_size: int = param(30, "accepted as in scikit-learn", at_least=1)
    p: float | None = param(None, "power of the Minkowski metric, also inf", above=0, infinite=True)
    n_jobs: int | None = param(None, "accepted as in scikit-learn; learnable.threads says how many threads work")

    core_sample_indices_: Array = learned("the dense rows, by their place", shape="dense", index="rows")
    components_: Matrix = learned(
        "the dense rows themselves, categories by their places in categories_", shape="dense features"
    )
    effective_metric_: tuple[Any, dict[str, Any]] = learned("the metric, and its options as the training rows set them")
    labels_: Array = learned("group of each training row, from 0; -1 if it is noise", shape="rows")

    sparse = True
    storage = "csr"
    parametric = False
    reference = "Ester, Kriegel, Sander and Xu, A density-based algorithm for discovering clusters, 1996"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"DBSCAN: distances of all rows to all are needed; X has the shape {data.X.shape}")
        metric, options = effective(self.metric, 2.0 if self.p is None else self.p, self.metric_params)
        X = self._learn_categories(data.X, options)
        self.effective_metric_ = settled(metric, options, X, "DBSCAN")
        found = self._groups(X, data.weight)
        self.core_sample_indices_, self.labels_ = np.flatnonzero(found.core), found.labels
        self.components_ = X[self.core_sample_indices_]
        trace.exact("groups are exactly the chains of dense rows, and who is near them", float(found.core.sum()))

    def _groups(self, X: Matrix, weight: Array | None) -> Dense:
        density = Density(self.eps, self.min_samples, weight)
        if self.pairwise and hasattr(X, "indptr"):
            return density.among_near(lambda: near_in_graph(X, self.eps), X.shape[0])
        return density.among(X, self._comparison(X))

    def _comparison(self, X: Matrix) -> Comparison:
        return comparison(*self.effective_metric_, X, "DBSCAN")

    def _assign(self, X: Matrix) -> Array:
        labels = self.labels_[self.core_sample_indices_]
        if len(labels) == 0:
            return np.full(X.shape[0], -1)
        rows = X[:, self.core_sample_indices_] if self.pairwise else X
        found = lowest_near(rows, self.components_, labels, self._comparison(self.components_), self.eps)
        return labels_of_known(X, self.components_, labels, found) if self.pairwise else found


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """The dense rows of `X` by their place, and the group of each row, -1 for noise: what `DBSCAN` learns.

    dense: at least min_samples rows within eps; groups: chains of dense rows, and who is near them

    >>> [part.tolist() for part in dbscan([[0.0], [0.9], [1.8], [9.0]], eps=1.0, min_samples=3)]
    [[1], [0, 0, 0, -1]]
    """
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
