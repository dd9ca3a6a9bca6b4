"""Agreement of two clusterings of the same rows, by pairs of rows or by information; labels may be permuted."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import DataType, Rows, checked, limits
from ..core.errors import DataError, ParameterError
from ..information import entropy, mutual_information
from ._counts import cross_counts
from ._labels import coded, label_array
from ._validate import same_length

AverageMethod = Literal["arithmetic", "geometric", "min", "max"]
EPSILON = float(np.finfo(np.float64).eps)


@checked()
def contingency_matrix(
    labels_true: Rows, labels_pred: Rows, *, eps: float | None = None, sparse: bool = False, dtype: DataType = np.int64
) -> Any:
    """Contingency matrix: the number of rows of each class (row) in each cluster (column).

    >>> contingency_matrix([0, 0, 1], ["a", "b", "b"]).tolist()
    [[1, 1], [0, 1]]
    """
    table = _table("contingency_matrix", labels_true, labels_pred).astype(dtype)
    if sparse:
        if eps is not None:
            raise ParameterError("contingency_matrix: eps would make a sparse table dense; use eps=None")
        from scipy.sparse import csr_array

        return csr_array(table)
    return table if eps is None else table + eps


@checked()
def pair_confusion_matrix(labels_true: Rows, labels_pred: Rows) -> Array:
    """Pair confusion matrix.

    Ordered pairs of rows that are apart or together in the truth (rows) and in the clusters (columns).

    >>> pair_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 2]).tolist()
    [[8, 0], [2, 2]]
    """
    return _pairs(_table("pair_confusion_matrix", labels_true, labels_pred))


@checked()
def rand_score(labels_true: Rows, labels_pred: Rows) -> float:
    """Rand index: the fraction of pairs of rows on which both clusterings agree, together in both or apart in both.

    [Rand, 1971]

    >>> round(rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """
    pairs = _pairs(_table("rand_score", labels_true, labels_pred))
    total = pairs.sum()
    return float(np.trace(pairs) / total) if total else 1.0


@checked()
def adjusted_rand_score(labels_true: Rows, labels_pred: Rows) -> float:
    """Adjusted Rand index: the Rand index corrected for chance, 1 for equal clusterings, 0 on average for random ones.

    2 (TP TN - FN FP) / ((TP + FN) (FN + TN) + (TP + FP) (FP + TN)) in pairs. [Hubert and Arabie, 1985]

    >>> round(adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    (tn, fp), (fn, tp) = _pairs(_table("adjusted_rand_score", labels_true, labels_pred)).tolist()
    if fn == 0 and fp == 0:
        return 1.0
    return float(2.0 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)))


@checked()
def fowlkes_mallows_score(labels_true: Rows, labels_pred: Rows, *, sparse: Any = "deprecated") -> float:
    """Fowlkes-Mallows score: the geometric mean of pairwise precision and recall, TP / sqrt((TP + FP) (TP + FN)).

    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.7071
    """
    (_, fp), (fn, tp) = _pairs(_table("fowlkes_mallows_score", labels_true, labels_pred)).tolist()
    return float(np.sqrt(tp / (tp + fp)) * np.sqrt(tp / (tp + fn))) if tp else 0.0


@checked()
def mutual_info_score(
    labels_true: Rows | None = None, labels_pred: Rows | None = None, *, contingency: Rows | None = None
) -> float:
    """Mutual information of classes and clusters, in nats.

    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 1]), 4)
    0.6931
    """
    if contingency is None:
        table = _table("mutual_info_score", labels_true, labels_pred)
    else:
        table = contingency.toarray() if hasattr(contingency, "toarray") else np.asarray(contingency)
    return _shared(table)


@checked()
def normalized_mutual_info_score(
    labels_true: Rows, labels_pred: Rows, *, average_method: AverageMethod = "arithmetic"
) -> float:
    """Mutual information relative to a mean of the two entropies, between 0 and 1.

    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    table = _table("normalized_mutual_info_score", labels_true, labels_pred)
    if table.shape == (1, 1):
        return 1.0
    shared = _shared(table)
    return 0.0 if shared <= EPSILON else shared / _mean_entropy(table, average_method)


@checked()
def adjusted_mutual_info_score(
    labels_true: Rows, labels_pred: Rows, *, average_method: AverageMethod = "arithmetic"
) -> float:
    """Mutual information corrected for chance: (I - E[I]) / (mean entropy - E[I]).

    [Vinh et al., 2010]

    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    table = _table("adjusted_mutual_info_score", labels_true, labels_pred)
    if table.shape == (1, 1):
        return 1.0
    if 1 in table.shape:
        return 0.0
    expected = _expected_information(table.sum(axis=1), table.sum(axis=0))
    found, possible = _shared(table) - expected, _mean_entropy(table, average_method) - expected
    return float(_away_from_zero(found) / _away_from_zero(possible))


@checked(beta=limits(at_least=0))
def homogeneity_completeness_v_measure(
    labels_true: Rows, labels_pred: Rows, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Homogeneity, completeness and their weighted harmonic mean V.

    h = 1 - H(classes | clusters) / H(classes),  c = 1 - H(clusters | classes) / H(clusters),
    V = (1 + beta) h c / (beta h + c). [Rosenberg and Hirschberg, 2007]

    >>> [round(value, 4) for value in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.6667, 0.8]
    """
    table = _table("homogeneity_completeness_v_measure", labels_true, labels_pred, allow_empty=True)
    if table.size == 0:
        return 1.0, 1.0, 1.0
    of_classes, of_clusters, shared = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0)), _shared(table)
    homogeneity = shared / of_classes if of_classes else 1.0
    completeness = shared / of_clusters if of_clusters else 1.0
    if homogeneity + completeness == 0:
        return homogeneity, completeness, 0.0
    v = (1 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)
    return float(homogeneity), float(completeness), float(v)


@checked()
def homogeneity_score(labels_true: Rows, labels_pred: Rows) -> float:
    """Homogeneity: whether each cluster contains rows of one class only, 1 - H(classes | clusters) / H(classes).

    >>> round(homogeneity_score([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    1.0
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[0]


@checked()
def completeness_score(labels_true: Rows, labels_pred: Rows) -> float:
    """Completeness: whether the rows of each class are in one cluster, 1 - H(clusters | classes) / H(clusters).

    >>> completeness_score([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[1]


@checked(beta=limits(at_least=0))
def v_measure_score(labels_true: Rows, labels_pred: Rows, *, beta: float = 1.0) -> float:
    """V-measure: the harmonic mean of homogeneity and completeness.

    It equals the normalised mutual information for beta 1.

    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta)[2]


def _table(owner: str, labels_true: Any, labels_pred: Any, allow_empty: bool = False) -> Array:
    truth, found = label_array(owner, labels_true, "labels_true"), label_array(owner, labels_pred, "labels_pred")
    for name, labels in (("labels_true", truth), ("labels_pred", found)):
        if labels.ndim != 1:
            raise DataError(f"{owner}: {name} must be 1D: shape is {labels.shape}")
    if allow_empty and len(truth) == len(found) == 0:
        return np.zeros((0, 0), dtype=np.int64)
    same_length(owner, labels_true=truth, labels_pred=found)
    classes, (rows,) = coded(owner, truth)
    clusters, (columns,) = coded(owner, found)
    return cross_counts(rows, columns, None, (len(classes), len(clusters)))


def _pairs(table: Array) -> Array:
    """Of ordered pairs: [[apart in both, together only in clusters], [together only in truth, together in both]]."""
    classes, clusters = table.sum(axis=1), table.sum(axis=0)
    total, both = int(table.sum()), int((table.astype(np.int64) ** 2).sum())
    only_clusters = int((clusters.astype(np.int64) ** 2).sum()) - both
    only_truth = int((classes.astype(np.int64) ** 2).sum()) - both
    apart = total**2 - only_clusters - only_truth - both
    return np.array([[apart, only_clusters], [only_truth, both - total]], dtype=np.int64)


def _shared(table: Array) -> float:
    return max(0.0, mutual_information(table, kind="counts", base=math.e))


@checked()
def expected_mutual_information(contingency: Any, n_samples: Any) -> float:
    """Expected mutual information of two random clusterings with the cluster sizes of a contingency table.

    >>> round(float(expected_mutual_information([[2, 0], [0, 2]], 4)), 3)
    0.231
    """
    table = np.asarray(contingency.toarray() if hasattr(contingency, "toarray") else contingency)
    if int(table.sum()) != int(n_samples):
        raise ParameterError(
            f"expected_mutual_information: n_samples must be the sum of the table, {int(table.sum())}; got {n_samples}"
        )
    return _expected_information(table.sum(axis=1), table.sum(axis=0))


def _entropy(counts: Array) -> float:
    return entropy(counts, kind="counts", base=math.e) if len(counts) > 1 else 0.0


def _mean_entropy(table: Array, method: AverageMethod) -> float:
    a, b = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0))
    means = {"arithmetic": (a + b) / 2, "geometric": float(np.sqrt(a * b)), "min": min(a, b), "max": max(a, b)}
    if method not in means:
        raise ParameterError(f"average_method is one of 'min', 'geometric', 'arithmetic' and 'max'; got {method!r}")
    return means[method]


def _away_from_zero(value: float) -> float:
    return min(value, -EPSILON) if value < 0 else max(value, EPSILON)


def _expected_information(classes: Array, clusters: Array) -> float:
    """The mean mutual information of two groupings of these sizes, drawn at random.

    sum over sizes a, b and overlaps k of  k / n log(n k / (a b)) P(k),  P hypergeometric
    """
    from scipy.special import gammaln

    n, expected = int(classes.sum()), 0.0
    log_factorial = gammaln(np.arange(n + 2) + 0.0)  # entry m is log (m - 1)!
    sizes_a, sizes_b = (np.unique(sizes, return_counts=True) for sizes in (classes, clusters))
    for a, times_a in zip(*sizes_a, strict=True):
        for b, times_b in zip(*sizes_b, strict=True):
            k = np.arange(max(1, a + b - n), min(a, b) + 1)
            fixed = log_factorial[[a + 1, b + 1, n - a + 1, n - b + 1]].sum() - log_factorial[n + 1]
            varying = log_factorial[k + 1] + log_factorial[a - k + 1] + log_factorial[b - k + 1]
            probability = np.exp(fixed - varying - log_factorial[n - a - b + k + 1])
            expected += times_a * times_b * float(np.sum(k / n * np.log(n * k / (a * b)) * probability))
    return expected
