"""Affinity propagation: clusters around exemplars that exchange of messages finds."""

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
    Traits,
    estimator,
    learned,
    param,
)
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import ConvergenceWarning, warn
from ..core.runtime.random import stream
from ..core.scaling import unit_of
from ..engines.iterate import iterate
from ..metrics.distances import pairwise_distances
from ._affinity_messages import Messages
from ._assign_new import label_of_nearest


@estimator
class AffinityPropagation(Clusterer):
    """Affinity propagation: clusters around exemplars chosen by exchanging messages between samples.

    maximise over exemplars e_i    sum_i s(i, e_i),    s(i, k) = -|x_i - x_k|^2,  s(k, k) = the preference of k

    Messages are damped, and the fit ends when the exemplars have not changed for `convergence_iter` iterations. The
    preference controls the number of exemplars; its default is the median similarity. Training and new rows belong to
    the nearest exemplar, or to the most similar one if similarities are given. Memory and time per iteration: n^2.
    [Frey and Dueck, 2007]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [4.0, 2.0], [4.0, 4.0], [4.0, 0.0]]
    >>> AffinityPropagation(random_state=5).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    damping: float = param(0.5, "damping factor: weight of the previous message in the new one", at_least=0.5, below=1)
    max_iter: int = param(200, "maximum number of iterations", at_least=1)
    convergence_iter: int = param(
        15, "number of iterations without a change of the exemplars that ends the fit", at_least=1
    )
    copy: bool = param(True, "accepted for compatibility; the data are never changed")
    preference: float | Array | None = param(None, "preference of rows to be exemplars; None: median similarity")
    affinity: Literal["euclidean", "precomputed"] = param(
        "euclidean", "negative squared Euclidean distances, or precomputed similarities"
    )
    verbose: bool = param(False, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the noise that breaks ties")

    cluster_centers_indices_: Array = learned("indices of the exemplars", shape="clusters", index="rows")
    cluster_centers_: Matrix = learned("cluster exemplars", shape="clusters features", optional=True, matrix=True)
    affinity_matrix_: Array = learned("similarity matrix of the training rows", shape="rows rows")
    n_iter_: int = learned("number of iterations")

    traits = Traits(compares_by="affinity", sparse=True, storage="csr", stochastic=True, parametric=False)
    title = "affinity propagation"
    reference = "Frey and Dueck, Clustering by passing messages between data points, 2007"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(
                f"AffinityPropagation: a square similarity matrix of the rows is needed; X has the shape {data.X.shape}"
            )
        shape = np.asarray(self.preference).shape
        if shape not in ((), (data.n,)):
            raise ParameterError(
                f"AffinityPropagation: preference must be a number, or an array with one for each of the "
                f"{data.n} rows; its shape is {shape}"
            )
        self.affinity_matrix_ = self._similarities(data.X)
        S = self.affinity_matrix_.astype(np.float64)
        size = float(np.abs(S).max(initial=0.0)) or 1.0
        S /= size  # messages are scaled by the largest similarity
        requested = np.median(S) if self.preference is None else np.asarray(self.preference, dtype=np.float64) / size
        alone = self._exemplars_if_all_equal(S, requested)
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

    def _exemplars_if_all_equal(self, S: Array, requested: Any) -> Array | None:
        """The exemplars if all similarities and preferences are equal: every row, or the first one; None otherwise."""
        n = len(S)
        others = S[~np.eye(n, dtype=bool)]
        if n > 1 and not ((others == others[0]).all() and (np.ravel(requested) == np.ravel(requested)[0]).all()):
            return None
        if n > 1:
            warn("all rows are equally similar to each other: clusters are arbitrary", UserWarning)
        every_row = n == 1 or np.ravel(requested)[0] > others[0]
        return np.arange(n) if every_row else np.zeros(1, dtype=np.int64)

    def _exchange(self, S: Array, requested: Any, trace: Trace) -> Array:
        n = len(S)
        S[np.diag_indices(n)] = requested
        info = np.finfo(np.float64)
        S += (info.eps * S + info.tiny * 100) * stream(self.random_state).standard_normal((n, n))
        method = Messages(S, self.damping, min(self.convergence_iter, self.max_iter + 1))  # no iteration is later
        state = iterate(method, self.max_iter, trace)
        self.n_iter_ = trace.iterations
        chosen = method.exemplars(state)
        unstable = method.progress(state).criterion
        trace.certify("undecided", unstable, 0.0, "the exemplars have not changed for a while")
        if not chosen.size:
            warn(
                "no exemplars were found: all labels are -1; increase max_iter or damping",
                ConvergenceWarning,
            )
            return chosen
        return method.refine(chosen)

    def _keep(self, X: Array, chosen: Array) -> None:
        self.cluster_centers_indices_ = chosen
        if not self.pairwise:
            self.cluster_centers_ = X[chosen]
        self.labels_ = self._assign(X)

    def _assign(self, X: Matrix) -> Array:
        chosen = self.cluster_centers_indices_
        if not chosen.size:
            if "labels_" in self.__dict__:
                warn(
                    "AffinityPropagation: This model does not have any cluster centers because affinity propagation "
                    "did not converge. Labeling every sample as '-1'.",
                    ConvergenceWarning,
                )
            return np.full(X.shape[0], -1)
        if self.pairwise:
            given = X.toarray() if hasattr(X, "toarray") else X
            labels = given[:, chosen].argmax(axis=1)
            if np.array_equal(given, self.affinity_matrix_):
                labels[chosen] = np.arange(len(chosen))
            return np.asarray(labels)
        labels = np.arange(len(chosen))
        return label_of_nearest(X, self.cluster_centers_, labels, "euclidean", "AffinityPropagation")


@checked()
def affinity_propagation(
    S: Rows,
    *,
    preference: float | Rows | None = None,
    convergence_iter: int = 15,
    max_iter: int = 200,
    damping: float = 0.5,
    copy: bool = True,
    verbose: bool = False,
    return_n_iter: bool = False,
    random_state: RandomState = None,
) -> tuple[Any, ...]:
    """Affinity propagation by a similarity matrix: indices of the exemplars and label of each row.

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
