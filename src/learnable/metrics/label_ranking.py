"""Rankings: do the relevant items come first?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Rows, checked
from ..core.errors import DataError, ParameterError, UndefinedMetricWarning, warn
from ._labels import coded, label_array, label_kind
from ._validate import numbers, same_length, weights
from .ranking_scores import score_columns


@checked()
def dcg_score(
    y_true: Rows,
    y_score: Rows,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Rows | None = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain, sum over the first k items of gain / log(rank + 1); tied items share their positions.

    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    9.4995
    """
    gains, scores, weight = _ranked_tables("dcg_score", y_true, y_score, sample_weight)
    return float(np.average(_gain(gains, scores, k, log_base, ignore_ties), weights=weight))


@checked()
def ndcg_score(
    y_true: Rows, y_score: Rows, *, k: int | None = None, sample_weight: Rows | None = None, ignore_ties: bool = False
) -> float:
    """Normalised discounted cumulative gain (NDCG): relative to the ideal ranking, between 0 and 1.

    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    0.6957
    """
    gains, scores, weight = _ranked_tables("ndcg_score", y_true, y_score, sample_weight)
    if gains.min() < 0:
        raise DataError("ndcg_score: y_true holds negative gains, for which the score has no bounds")
    if gains.shape[1] <= 1:
        raise DataError(f"ndcg_score: a ranking needs at least two documents; each query has {gains.shape[1]}")
    reached, best = _gain(gains, scores, k, 2, ignore_ties), _gain(gains, gains, k, 2, True)
    return float(np.average(np.divide(reached, best, out=np.zeros_like(best), where=best != 0), weights=weight))


@checked()
def label_ranking_average_precision_score(y_true: Rows, y_score: Rows, *, sample_weight: Rows | None = None) -> float:
    """Label ranking average precision.

    For each true label, the fraction of true labels among those ranked at least as high, averaged.

    >>> round(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    truth, scores, weight = _label_tables("label_ranking_average_precision_score", y_true, y_score, sample_weight)
    values = [_row_precision(t, s) for t, s in zip(truth, scores, strict=True)]
    return float(np.average(values, weights=weight))


@checked()
def coverage_error(y_true: Rows, y_score: Rows, *, sample_weight: Rows | None = None) -> float:
    """Coverage error: the mean number of top-ranked labels needed to cover all true labels.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    truth, scores, weight = _label_tables("coverage_error", y_true, y_score, sample_weight)
    lowest = np.where(truth, scores, np.inf).min(axis=1, keepdims=True)
    return float(np.average((scores >= lowest).sum(axis=1), weights=weight))


@checked()
def label_ranking_loss(y_true: Rows, y_score: Rows, *, sample_weight: Rows | None = None) -> float:
    """Label ranking loss: the fraction of pairs of a true and a false label that are in the wrong order or tied.

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    truth, scores, weight = _label_tables("label_ranking_loss", y_true, y_score, sample_weight)
    values = [_row_disorder(t, s) for t, s in zip(truth, scores, strict=True)]
    return float(np.average(values, weights=weight))


@checked()
def top_k_accuracy_score(
    y_true: Rows,
    y_score: Rows,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Rows | None = None,
    labels: Column | None = None,
) -> float:
    """Top-k accuracy: how often the true class is among the k classes with the highest scores.

    >>> top_k_accuracy_score([0, 1, 2, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]])
    0.75
    """
    owner = "top_k_accuracy_score"
    truth, scores = label_array(owner, y_true, "y_true"), numbers(owner, y_score, "y_score")
    same_length(owner, y_true=truth, y_score=scores)
    label_kind(owner, truth, "y_true")
    weight = weights(owner, sample_weight, len(truth))
    if k < 1:
        raise ParameterError(f"{owner}: k must be at least 1; got {k!r}")
    binary = len(coded(owner, truth)[0]) <= 2 and (labels is None or len(labels) <= 2)
    hits = _binary_hits(owner, truth, scores, k, labels) if binary else _hits(owner, truth, scores, k, labels)
    if normalize:
        return float(np.average(hits, weights=weight))
    return float(hits.sum() if weight is None else weight @ hits)


def _binary_hits(owner: str, truth: Array, scores: Array, k: int, labels: Any) -> Array:
    if scores.ndim == 2 and scores.shape[1] != 1:
        raise DataError(
            f"top_k_accuracy_score: y_true holds two classes, y_score has {scores.shape[1]} columns; give all classes "
            "as labels"
        )
    column = scores.reshape(-1)
    _, codes = score_columns(owner, truth, np.column_stack([-column, column]), labels)
    _warn_if_all(k, 2)
    if k >= 2:
        return np.ones(len(truth), dtype=bool)
    threshold = 0.5 if column.min() >= 0 and column.max() <= 1 else 0
    return np.asarray((column > threshold) == (codes == 1))


def _hits(owner: str, truth: Array, scores: Array, k: int, labels: Any) -> Array:
    classes, codes = score_columns(owner, truth, scores, labels)
    _warn_if_all(k, len(classes))
    first = np.argsort(scores, axis=1, kind="stable")[:, ::-1][:, :k]
    return np.asarray((first == codes[:, None]).any(axis=1))


def _warn_if_all(k: int, classes: int) -> None:
    if k >= classes:
        warn(
            f"The {k} best of {classes} classes are all of them: the score is always perfect.",
            UndefinedMetricWarning,
        )


def _ranked_tables(owner: str, y_true: Any, y_score: Any, sample_weight: Any) -> tuple[Array, Array, Array | None]:
    gains, scores = numbers(owner, y_true, "y_true"), numbers(owner, y_score, "y_score")
    if gains.ndim != 2 or gains.shape != scores.shape:
        raise DataError(
            f"{owner}: y_true and y_score must be tables of the same shape, one ranking per row; "
            f"got {gains.shape} and {scores.shape}"
        )
    return gains, scores, weights(owner, sample_weight, len(gains))


def _label_tables(owner: str, y_true: Any, y_score: Any, sample_weight: Any) -> tuple[Array, Array, Array | None]:
    dense = y_true.toarray() if hasattr(y_true, "toarray") else y_true
    truth, scores, weight = _ranked_tables(owner, dense, y_score, sample_weight)
    if not ((truth == 0) | (truth == 1)).all():
        raise DataError(f"{owner}: y_true must be a table of zeros and ones; other formats are not supported")
    return truth == 1, scores, weight


def _gain(gains: Array, scores: Array, k: int | None, log_base: float, ignore_ties: bool) -> Array:
    discount = np.log(log_base) / np.log(np.arange(gains.shape[1]) + 2)
    if k is not None:
        discount[k:] = 0
    if ignore_ties:
        order = np.argsort(scores, axis=1)[:, ::-1]
        return np.asarray(np.take_along_axis(gains, order, axis=1) @ discount)
    reached = np.concatenate([[0.0], np.cumsum(discount)])
    return np.array([_shared_gain(g, s, reached) for g, s in zip(gains, scores, strict=True)])


def _shared_gain(gains: Array, scores: Array, reached: Array) -> float:
    """Items of equal score get their mean gain at each of their positions."""
    _, group, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    mean = np.bincount(group, weights=gains) / sizes
    ends = np.cumsum(sizes)
    return float(mean @ (reached[ends] - reached[ends - sizes]))


def _row_precision(truth: Array, scores: Array) -> float:
    if truth.all() or not truth.any():
        return 1.0
    order = np.sort(-scores), np.sort(-scores[truth])
    rank, own = (np.searchsorted(values, -scores[truth], side="right") for values in order)
    return float((own / rank).mean())


def _row_disorder(truth: Array, scores: Array) -> float:
    if truth.all() or not truth.any():
        return 0.0
    lower_or_equal = np.searchsorted(np.sort(scores[truth]), scores[~truth], side="right")
    return float(lower_or_equal.sum() / (truth.sum() * (~truth).sum()))
