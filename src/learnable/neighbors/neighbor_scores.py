"""How well every number of neighbours does, from one search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked, limits
from ..engines.folds import folds
from ..engines.time_budget import within_budget
from ..metrics import r2_score
from ._all_k_scores import RankedNeighbours, ranked
from .k_neighbors_classifier import KNeighborsClassifier
from .k_neighbors_regressor import KNeighborsRegressor


@dataclass(frozen=True)
class NeighborScores:
    """The score of each number of neighbours from 1 on, in each fold."""

    n_neighbors: Array
    fold_scores: Array

    @property
    def scores(self) -> Array:
        """The mean score of each number of neighbours."""
        return np.asarray(self.fold_scores.mean(axis=0))

    @property
    def best(self) -> int:
        """The number of neighbours with the highest mean score, the largest of equals: it has the least variance."""
        return int(self.n_neighbors[len(self.scores) - 1 - np.argmax(self.scores[::-1])])


@checked(most=limits(at_least=1), cv=limits(at_least=2))
def score_every_k(
    X: Rows, y: Rows | None, *, estimator: Any = None, most: int = 30, cv: int | None = None
) -> NeighborScores:
    """The score of k nearest neighbours for every k up to `most`, each row left out, or each of `cv` folds.

    score_k = proportion of rows whose class is that of the vote of their k nearest other rows, or R^2 of their average

    One search for the largest k serves all: votes are added up neighbour by neighbour. `estimator` says how neighbours
    are weighted and compared (None: KNeighborsClassifier(), or KNeighborsRegressor() for a target of fractions).

    >>> X, y = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], [0, 0, 0, 1, 1, 1]
    >>> score_every_k(X, y, most=5).scores.tolist()
    [1.0, 1.0, 1.0, 0.5, 0.0]
    """
    model = _chosen(estimator, y).clone()
    classes = isinstance(model, KNeighborsClassifier)
    data, _ = model._training_data(X, y, None)
    if model.pairwise and data.X.shape[0] != data.X.shape[1]:
        raise DataError(f"score_every_k: a precomputed X holds the distances of all rows to all; it is {data.X.shape}")
    parts = [] if cv is None else folds(cv, data.n, data.y, "score_every_k", classes=classes)
    left = min((len(train) for train, _ in parts), default=data.n - 1)
    if most > left:
        raise ParameterError(f"score_every_k: most={most} neighbours are more than the {left} rows left to choose from")
    counts = np.arange(1, most + 1)
    with within_budget():
        if cv is None:
            scores = [_scored(model, ranked(model, data.X, None, None, most), data.y, data.y, counts)]
        else:
            scores = [
                _scored(model, ranked(model, data.X, train, test, most), data.y[train], data.y[test], counts)
                for train, test in parts
            ]
    return NeighborScores(counts, np.array(scores))


def _chosen(estimator: Any, y: Any) -> Any:
    """The estimator whose numbers of neighbours are compared, if they can be in one search."""
    if estimator is None:
        target = np.asarray(y)
        whole = target.dtype.kind != "f" or bool((target == np.round(target)).all())
        return KNeighborsClassifier() if whole else KNeighborsRegressor()
    if not isinstance(estimator, (KNeighborsClassifier, KNeighborsRegressor)):
        raise ParameterError(
            f"score_every_k: estimator must be KNeighborsClassifier() or KNeighborsRegressor(); got {estimator!r:.60}"
        )
    if callable(estimator.weights):
        raise ParameterError(
            "score_every_k: weights of the estimator must be a name; a function may need them all at once"
        )
    if isinstance(estimator.feature_weights, str):
        raise ParameterError(
            'score_every_k: feature_weights="learn" depends on n_neighbors; give the factors as numbers, such as the '
            "feature_weights_ of a fitted estimator, or search n_neighbors with GridSearchCV"
        )
    return estimator


def _scored(model: Any, found: RankedNeighbours, known: Array, truth: Array, counts: Array) -> Array:
    """The score of each number of neighbours on the query rows."""
    if isinstance(model, KNeighborsClassifier):
        labels, codes = np.unique(known, return_inverse=True)
        votes = found.class_votes(codes, len(labels), counts.tolist())
        return np.array([(labels[votes[k].argmax(axis=1)] == truth).mean() for k in counts])
    averages = found.averages(known.reshape(len(known), -1).astype(np.float64), counts.tolist(), model.average)
    return np.array([r2_score(truth, averages[k].reshape(truth.shape)) for k in counts])
