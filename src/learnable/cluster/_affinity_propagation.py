"""Groups about rows that stand for others, found by messages."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Clusterer,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    estimator,
    learned,
    param,
)
from ..core.errors import ConvergenceWarning, warn
from ..core.runtime.random import stream
from ..engines.iterate import iterate
from ..engines.matrix_products import unit_of
from ..metrics.distances import pairwise_distances
from ._affinity_messages import Messages
from ._assign_new import group_of_nearest


@estimator
class AffinityPropagation(Clusterer):
    """Rows agree, by messages, which of them stand for the others.

    maximise over exemplars e_i    sum_i s(i, e_i),    s(i, k) = -|x_i - x_k|^2,  s(k, k) = the preference of k

    Each message is damped, and the fit ends when the exemplars have not changed for a while. The preference decides how
    many there are; the median similarity if none is given. Rows and new rows are in the group of the nearest exemplar,
    of the most similar one if similarities are given. Takes n^2 memory and time for a step. [Frey and Dueck, 2007]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [4.0, 2.0], [4.0, 4.0], [4.0, 0.0]]
    >>> AffinityPropagation(random_state=5).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    damping: float = param(0.5, "share of an old message in the new one", at_least=0.5, below=1)
    max_iter: int = param(200, "most steps", at_least=1)
    convergence_iter: int = param(15, "steps without a change of exemplars that end the fit", at_least=1)
    copy: bool = param(True, "accepted as in scikit-learn: data are left as they are")
    preference: float | Array | None = param(None, "how much rows want to be exemplars; the median similarity if None")
    affinity: Literal["euclidean", "precomputed"] = param(
        "euclidean", "negative squared distances, or similarities given"
    )
    verbose: bool = param(False, "accepted for compatibility; use learnable.progress")
    random_state: RandomState = param(None, "seed of the little noise that decides between equals")

    cluster_centers_indices_: Array = learned("the exemplars, by their place", shape="groups", index="rows")
    cluster_centers_: Matrix = learned("the exemplars themselves", shape="groups features", optional=True, matrix=True)
    affinity_matrix_: Array = learned("similarities of all rows", shape="rows rows")
    n_iter_: int = learned("steps done")

    compares_by = "affinity"
    sparse = True
    storage = "csr"
    stochastic = True
    parametric = False
    reference = "Frey and Dueck, Clustering by passing messages between data points, 2007"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"AffinityPropagation: similarities of all rows to all are needed; got {data.X.shape}")
        shape = np.asarray(self.preference).shape
        if shape not in ((), (data.n,)):
            raise ParameterError(
                f"AffinityPropagation: preference must be a number, or one for each of the {data.n} rows; its shape is "
                f"{shape}"
            )
        self.affinity_matrix_ = self._similarities(data.X)
        S = self.affinity_matrix_.astype(np.float64)
        size = float(np.abs(S).max(initial=0.0)) or 1.0
        S /= size  # messages are in units of the largest similarity
        requested = np.median(S) if self.preference is None else np.asarray(self.preference, dtype=np.float64) / size
        alone = self._answer_of_equals(S, requested)
        self.n_iter_ = 0
        if alone is None:
            chosen = self._exchange(S, requested, trace)
        else:
            chosen = alone
            trace.exact("all similarities and preferences are equal")
        self._keep(data.X, chosen)

    def _similarities(self, X: Array) -> Array:
        if self.pairwise:
            return X.toarray() if hasattr(X, "toarray") else X
        unit = unit_of(X)
        return np.asarray(-pairwise_distances(X * unit, metric="sqeuclidean") / unit**2)

    def _answer_of_equals(self, S: Array, requested: Any) -> Array | None:
        """The exemplars where no row differs from another: everybody, or the first; None where some do."""
        n = len(S)
        others = S[~np.eye(n, dtype=bool)]
        if n > 1 and not ((others == others[0]).all() and (np.ravel(requested) == np.ravel(requested)[0]).all()):
            return None
        if n > 1:
            warn("all rows are equally similar to each other: groups are arbitrary", UserWarning)
        everybody = n == 1 or np.ravel(requested)[0] > others[0]
        return np.arange(n) if everybody else np.zeros(1, dtype=np.int64)

    def _exchange(self, S: Array, requested: Any, trace: Trace) -> Array:
        n = len(S)
        S[np.diag_indices(n)] = requested
        info = np.finfo(np.float64)
        S += (info.eps * S + info.tiny * 100) * stream(self.random_state).standard_normal((n, n))
        method = Messages(S, self.damping, min(self.convergence_iter, self.max_iter + 1))  # no step is later
        state = iterate(method, self.max_iter, trace)
        self.n_iter_ = trace.iterations
        chosen = method.exemplars(state)
        open_share = method.progress(state).criterion
        trace.certify("undecided", open_share, 0.0, "the exemplars have not changed for a while")
        if not chosen.size:
            warn("no row stands for others yet: all labels are -1; more steps or damping help", ConvergenceWarning)
            return chosen
        return method.refined(chosen)

    def _keep(self, X: Array, chosen: Array) -> None:
        self.cluster_centers_indices_ = chosen
        if not self.pairwise:
            self.cluster_centers_ = X[chosen]
        self.labels_ = self._assign(X)

    def _assign(self, X: Matrix) -> Array:
        chosen = self.cluster_centers_indices_
        if not chosen.size:
            return np.full(X.shape[0], -1)
        if self.pairwise:
            given = X.toarray() if hasattr(X, "toarray") else X
            labels = given[:, chosen].argmax(axis=1)
            if np.array_equal(given, self.affinity_matrix_):
                labels[chosen] = np.arange(len(chosen))
            return np.asarray(labels)
        numbers = np.arange(len(chosen))
        return group_of_nearest(X, self.cluster_centers_, numbers, "euclidean", "AffinityPropagation")


def affinity_propagation(
    S: Any,
    *,
    preference: Any = None,
    convergence_iter: int = 15,
    max_iter: int = 200,
    damping: float = 0.5,
    copy: bool = True,
    verbose: bool = False,
    return_n_iter: bool = False,
    random_state: RandomState = None,
) -> tuple[Any, ...]:
    """The exemplars that `AffinityPropagation` finds by similarities of all rows, and the group of each row.

    maximise over exemplars e_i    sum_i s(i, e_i)

    >>> chosen, labels = affinity_propagation([[0, -1, -9], [-1, 0, -8], [-9, -8, 0]], preference=-3, random_state=0)
    >>> labels.tolist()
    [0, 0, 1]
    """
    model = AffinityPropagation(
        damping=damping,
        max_iter=max_iter,
        convergence_iter=convergence_iter,
        copy=copy,
        preference=preference,
        affinity="precomputed",
        verbose=verbose,
        random_state=random_state,
    ).fit(S)
    found = model.cluster_centers_indices_, model.labels_
    return (*found, model.n_iter_) if return_n_iter else found
