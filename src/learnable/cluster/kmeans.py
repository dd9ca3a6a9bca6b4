"""k-means: groups of rows about their means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, ConvergenceWarning, Data, RandomState, Trace, estimator, param
from ..core.errors import warn
from ..engines.kmeans import Bounds, Cloud, Empty, Lloyd, Stop
from ..engines.multi_start import Run, best_run
from ._kmeans.base_centroid import Centred, counted_rows, inertia
from ._kmeans.init import Beginning, beginnings

BOUNDS: dict[str, Bounds] = {"lloyd": "groups", "hamerly": "one", "elkan": "each", "plain": "none"}


@estimator
class KMeans(Centred):
    """Groups of rows about their means, by nearest means and means of the nearest in turn.

    minimise over centres c and labels    sum_i s_i |x_i - c_label(i)|^2

    Neither half of a step can raise the objective. Bounds on distances that moves of the centres leave standing skip
    most rows in later steps: one for all other centres up to 255 of them (Hamerly's), for groups of about 128 of them
    from there on (Ding's), or one for each (Elkan's), as `algorithm` says; labels are those of all distances in double
    precision, the first of equals, whatever was skipped. A step costs at most rows times groups times columns. Seeds do
    not depend on the order of the rows, nor on copies instead of weights.
    [Lloyd, 1982; Elkan, 2003; Hamerly, 2010; Ding et al., 2015]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist()), model.inertia_
    ([[1.0, 2.0], [10.0, 2.0]], 16.0)
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    init: Beginning | Callable[..., Any] | Array = param(
        "k-means++", "where runs begin: a way to draw rows, the centres, or a function (X, n_clusters, random_state)"
    )
    n_init: int | Literal["auto"] = param(
        "auto", 'number of runs, of which the best is kept; "auto" is 10 from random rows or a function, 1 otherwise',
        at_least=1,
    )  # fmt: skip
    max_iter: int = param(300, "most steps of a run", at_least=1)
    tol: float = param(
        1e-4, "squared move of all centres in units of the mean variance, or fall, that ends", at_least=0
    )
    verbose: int = param(0, "accepted for compatibility; use learnable.progress", at_least=0)
    random_state: RandomState = param(None, "seed of the beginnings")
    copy_x: bool = param(True, "accepted for compatibility; X is never changed")
    algorithm: Literal["lloyd", "hamerly", "elkan", "plain"] = param(
        "lloyd",
        "all give the same result; of dense rows, lloyd keeps bounds for groups of about 128 centres, hamerly one for "
        "all centres, elkan one for each, plain none",
    )
    trials: int | None = param(None, "draws for each seed of k-means++; None is 2 + log n_clusters", at_least=1)
    stop: Stop = param("centres", "what must not change more than tol: centres, labels (at all), the objective")
    empty_cluster: Empty = param("relocate", "what becomes of a group without rows")

    reference = "Lloyd, Least squares quantization in PCM, 1982"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = counted_rows(self, data)
        cloud = Cloud(rows.X, rows.weight, BOUNDS[self.algorithm])
        tolerance = {"centres": self.tol * cloud.spread, "labels": 0.0, "objective": self.tol}[self.stop]
        starts = beginnings(self, cloud, rows)
        found = best_run(
            (Lloyd(cloud, begin, tolerance, self.stop, self.empty_cluster) for begin in starts), self.max_iter, trace
        )
        self._keep(found, data, cloud)
        unit = cloud.spread if self.stop == "centres" and cloud.spread > 0 else 1.0
        moved = {
            "centres": "moved the centres by this squared distance in sum, the mean variance being one",
            "labels": "changed so many labels",
            "objective": "lowered the objective by this share",
        }[self.stop]
        trace.certify(
            self.stop, found.criterion / unit, tolerance / unit,
            f"no row is nearer to another centre than to its own, and the last step {moved}",
        )  # fmt: skip

    def _keep(self, found: Run, data: Data, cloud: Cloud) -> None:
        """Round the centres to the precision of the data, and take labels and inertia from what is stored."""
        self.cluster_centers_ = (found.state["centres"] / cloud.unit).astype(data.X.dtype)
        self.n_iter_ = found.steps
        if cloud.X.shape[0] == data.n:
            self.labels_ = np.full(data.n, -1, dtype=np.int32)
            cloud.assign(self.cluster_centers_.astype(np.float64) * cloud.unit, self.labels_)
        else:
            self.labels_ = self._assign(data.X)
        self.inertia_ = inertia(data.X, data.weight, self.cluster_centers_, self.labels_)
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances leave the range of floats")
        different = len(np.unique(self.labels_))
        if different < self.n_clusters and self.empty_cluster == "relocate":
            warn(
                f"KMeans: only {different} of n_clusters={self.n_clusters} groups have rows; X may have fewer rows "
                "that differ",
                ConvergenceWarning,
            )
