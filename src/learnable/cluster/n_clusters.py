"""Selection of the number of clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, Table, generator, seed_of
from ..core.declare.checked_functions import Column, Model, Rows, checked, limits
from ..core.scaling import unit_of
from ..core.validate.features import FeatureValidator
from ..core.validate.rows import row_count
from ..metrics import silhouette_score
from ._kmeans.base_centroid import CentroidClusterer

Criterion = Literal["elbow", "silhouette", "gap", "held-out", "bic"]


class ClusterChoice(NamedTuple):
    """Result of choosing the number of clusters.

    A score for each number, standard errors if defined, the selected number, and the fitted model.
    """

    criterion: str
    counts: Array
    scores: Array
    errors: Array | None
    best: int
    model: CentroidClusterer


@checked(cv=limits(at_least=2), references=limits(at_least=2))
def choose_clusters(
    model: Model,
    X: Rows,
    counts: Sequence[int] = range(1, 11),
    *,
    criterion: Criterion = "elbow",
    cv: int = 5,
    references: int = 10,
    random_state: RandomState = None,
) -> ClusterChoice:
    """Selection of the number of clusters by one of five criteria.

    elbow = sum of squares W(k), or the objective of the model, at its `knee`;   held-out = mean squared distance
    of held-out rows of `cv` folds, at its knee;   silhouette = its mean, the maximum;   bic = -2 log L + P log n of
    spherical normal clusters of one variance, P = k (p + 1), the minimum;   gap = mean of log W(k) over `references`
    uniform tables less log W(k), the smallest k within one standard error of the maximum

    `model` has all parameters but the number of clusters; silhouettes use its metric, for tables with categories
    Gower's distance. [Tibshirani, Walther and Hastie, 2001; Pelleg and Moore, 2000]

    >>> from learnable import KMeans, make_blobs
    >>> X, _ = make_blobs(200, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    >>> criteria = ("elbow", "silhouette", "bic")
    >>> [choose_clusters(KMeans(random_state=0), X, range(1, 7), criterion=name).best for name in criteria]
    [3, 3, 3]
    """
    evaluate: dict[str, Callable[..., tuple[Array, Array | None, int]]] = {
        "elbow": _elbow, "silhouette": _silhouette, "gap": _gap, "held-out": _held_out, "bic": _bic
    }  # fmt: skip
    if not hasattr(model, "clone"):
        raise ParameterError(
            f"choose_clusters: model must be a clusterer of learnable, such as KMeans(); got {model!r:.60}"
        )
    rows = _rows(model, X, criterion)
    tried = _valid_counts(counts, row_count(rows), criterion, cv)
    if criterion == "held-out" and not hasattr(model, "score"):
        raise ParameterError(f'choose_clusters: criterion="held-out" needs a model with score; got {model!r:.40}')
    draws = generator(seed_of(random_state))
    scores, errors, index = evaluate[criterion](
        model, rows, tried, draws, cv if criterion == "held-out" else references
    )
    best = int(tried[index])
    return ClusterChoice(criterion, tried, scores, errors, best, _with(model, best).fit(rows))


def _valid_counts(counts: Sequence[int], n: int, criterion: Criterion, cv: int) -> Array:
    """The numbers of clusters in order, restricted to those that a criterion can evaluate."""
    tried = np.array(sorted(set(counts)), dtype=np.int64)
    if not len(tried) or tried.min() < 1 or tried.max() > n:
        raise ParameterError(
            f"choose_clusters: counts must lie between 1 and the number of rows, {n}; got {counts!r:.60}"
        )
    if criterion == "held-out" and cv > n:
        raise ParameterError(f"choose_clusters: cv must be at most {n}, the rows of X; got {cv}")
    low, high = 1, n
    if criterion == "silhouette":  # one cluster, or clusters of one row each, have no silhouette
        low, high = 2, n - 1
    elif criterion == "bic":  # n - k degrees of freedom estimate the variance
        high = max(n - 1, 1)
    elif criterion == "held-out":
        high = n - -(-n // cv)
    found = tried[(tried >= low) & (tried <= high)]
    if not len(found) or (criterion == "held-out" and len(found) < len(tried)):
        raise ParameterError(
            f'choose_clusters: counts must lie between {low} and {high} for criterion="{criterion}"; got {counts!r:.60}'
        )
    return found


@checked()
def knee(x: Column, y: Column) -> int:
    """The knee of a descending curve: the index farthest below the line from its first to its last point.

    >>> knee([1, 2, 3, 4, 5], [100.0, 40.0, 12.0, 10.0, 9.0])
    2
    """
    across, height = (np.asarray(values, dtype=np.float64) for values in (x, y))
    if across.ndim != 1 or across.shape != height.shape or len(across) == 0:
        raise ParameterError(f"knee: x and y must be vectors of the same length; got {across.shape} and {height.shape}")
    if not (np.isfinite(across).all() and np.isfinite(height).all()):
        raise ParameterError("knee: x and y must be finite")
    drop, width = height[0] - height[-1], across[-1] - across[0]
    if drop <= 0 or width <= 0:
        return 0
    below = 1 - (across - across[0]) / width - (height - height[-1]) / drop
    return int(below.argmax())


def _rows(model: Any, X: Any, criterion: Criterion) -> Any:
    """The rows as a numeric matrix, or unchanged if the model reads categories, which not all criteria support."""
    if not isinstance(model._enter(X)[0], Table):
        return np.ascontiguousarray(FeatureValidator("choose_clusters").matrix(X)[0], dtype=np.float64)
    if criterion not in ("elbow", "silhouette"):
        raise ParameterError(
            f'choose_clusters: criterion="{criterion}" needs numeric columns, and X holds categories; use "elbow" '
            'or "silhouette"'
        )
    return X


def _measure(model: Any, rows: Any) -> dict[str, Any]:
    """The distance of the silhouettes: that of the model, Gower's for tables."""
    if isinstance(rows, np.ndarray) and rows.dtype == np.float64:
        return {"metric": getattr(model, "metric", "euclidean"), **(getattr(model, "metric_params", None) or {})}
    options = {"categorical": np.ones(model._enter(rows)[0].shape[1], dtype=bool)} if model.traits.categorical else {}
    return {"metric": "gower", **options}


def _with(model: CentroidClusterer, count: int) -> CentroidClusterer:
    return model.clone().set_params(n_clusters=count)


def _inertias(model: CentroidClusterer, rows: Array, tried: Array) -> Array:
    return np.array([_spread(_with(model, int(count)).fit(rows), rows) for count in tried])


def _spread(found: Any, rows: Array) -> float:
    """The objective of the model, or the within-cluster sum of squares."""
    return float(found.inertia_) if hasattr(found, "inertia_") else _squares(found.labels_, rows)


def _squares(labels: Array, rows: Array) -> float:
    """The within-cluster sum of squares."""
    clusters = (rows[labels == label] for label in np.unique(labels))
    return float(sum(((cluster - cluster.mean(axis=0)) ** 2).sum() for cluster in clusters))


def _elbow(model: CentroidClusterer, rows: Array, tried: Array, draws: Any, _: int) -> tuple[Array, None, int]:
    scores = _inertias(model, rows, tried)
    return scores, None, knee(tried, scores)


def _silhouette(model: CentroidClusterer, rows: Array, tried: Array, draws: Any, _: int) -> tuple[Array, None, int]:
    how = _measure(model, rows)
    scores = np.array([float(silhouette_score(rows, _labels(_with(model, int(k)), rows), **how)) for k in tried])
    return scores, None, int(scores.argmax())


def _labels(model: CentroidClusterer, rows: Array) -> Array:
    """The labels of rows, which must have at least two values."""
    labels = model.fit(rows).labels_
    if (labels == labels[0]).all():
        raise DataError(
            f"choose_clusters: {model!r} found only one cluster, which has no silhouette; all rows may be equal"
        )
    return labels


def _bic(model: CentroidClusterer, rows: Array, tried: Array, draws: Any, _: int) -> tuple[Array, None, int]:
    n, p = rows.shape
    scores = []
    for count in tried:
        found = _with(model, int(count)).fit(rows)
        sizes = np.bincount(found.labels_, minlength=count)
        spread = _squares(found.labels_, rows)  # of normal clusters, whatever the objective of the model
        variance = max(spread / (p * max(n - count, 1)), np.finfo(float).tiny)
        entropy = sizes[sizes > 0] * np.log(sizes[sizes > 0] / n)
        likelihood = entropy.sum() - n * p / 2 * np.log(2 * np.pi * variance) - spread / (2 * variance)
        scores.append(-2 * likelihood + count * (p + 1) * np.log(n))
    return np.array(scores), None, int(np.argmin(scores))


def _held_out(
    model: CentroidClusterer, rows: Array, tried: Array, draws: np.random.Generator, cv: int
) -> tuple[Array, Array, int]:
    folds = np.array_split(draws.permutation(len(rows)), cv)
    distances = np.zeros((len(tried), cv))
    for f, fold in enumerate(folds):
        training = rows[np.setdiff1d(np.arange(len(rows)), fold)]
        for k, count in enumerate(tried):
            distances[k, f] = -_with(model, int(count)).fit(training).score(rows[fold]) / len(fold)
    scores, unit = distances.mean(axis=1), unit_of(distances)
    return scores, (distances * unit).std(axis=1, ddof=1) / (unit * np.sqrt(cv)), knee(tried, scores)


def _gap(
    model: CentroidClusterer, rows: Array, tried: Array, draws: np.random.Generator, references: int
) -> tuple[Array, Array, int]:
    low, high = rows.min(axis=0), rows.max(axis=0)
    logs = np.stack([_logs(_inertias(model, draws.uniform(low, high, rows.shape), tried)) for _ in range(references)])
    gap_statistic = logs.mean(axis=0) - _logs(_inertias(model, rows, tried))
    errors = logs.std(axis=0) * np.sqrt(1 + 1 / references)
    top = int(gap_statistic.argmax())
    return gap_statistic, errors, int(np.flatnonzero(gap_statistic >= gap_statistic[top] - errors[top])[0])


def _logs(inertias: Array) -> Array:
    return np.log(np.maximum(inertias, np.finfo(float).tiny))
