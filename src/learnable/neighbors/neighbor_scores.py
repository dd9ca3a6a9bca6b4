"""How well every number of neighbours does, from one search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.arguments import checked, limits
from ..core.data import Door
from ..engines.folds import folds
from .every_k import Ranked, ranked
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
def score_every_k(X: Any, y: Any, *, estimator: Any = None, most: int = 30, cv: int | None = None) -> NeighborScores:
    """The score of k nearest neighbours for every k up to `most`, each row left out, or each of `cv` folds.

    score_k = share of rows whose class is that of the vote of their k nearest other rows, or R^2 of their mean

    One search for the largest k serves all: votes are added up neighbour by neighbour. `estimator` says how neighbours
    are weighted and compared (None: KNeighborsClassifier(), or KNeighborsRegressor() for a target of fractions).

    >>> X, y = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], [0, 0, 0, 1, 1, 1]
    >>> score_every_k(X, y, most=5).scores.tolist()
    [1.0, 1.0, 1.0, 0.5, 0.0]
    """
    target = np.asarray(y)
    if estimator is None:
        whole = target.dtype.kind != "f" or bool((target == np.round(target)).all())
        estimator = KNeighborsClassifier() if whole else KNeighborsRegressor()
    if not isinstance(estimator, (KNeighborsClassifier, KNeighborsRegressor)):
        raise ParameterError(
            f"score_every_k: estimator must be KNeighborsClassifier() or KNeighborsRegressor(); got {estimator!r:.60}"
        )
    if callable(estimator.weights):
        raise ParameterError(
            "score_every_k: weights of the estimator must be a name; a function may need them all at once"
        )
    rows = Door("score_every_k", True, "csr").matrix(X)[0]
    if target.shape[:1] != rows.shape[:1]:
        raise DataError(f"score_every_k: X has {rows.shape[0]} rows, y {len(target)}")
    counts = np.arange(1, most + 1)
    parts = (
        []
        if cv is None
        else list(folds(cv, len(target), target, "score_every_k", classes=isinstance(estimator, KNeighborsClassifier)))
    )
    left = min((len(train) for train, _ in parts), default=len(target) - 1)
    if most > left:
        raise ParameterError(f"score_every_k: most={most} neighbours are more than the {left} rows left to choose from")
    if cv is None:
        found = ranked(estimator, rows, None, None, most)
        return NeighborScores(counts, _scored(estimator, found, target, target, counts)[None])
    scores = [
        _scored(estimator, ranked(estimator, rows, train, test, most), target[train], target[test], counts)
        for train, test in parts
    ]
    return NeighborScores(counts, np.array(scores))


def _scored(estimator: Any, found: Ranked, known: Array, truth: Array, counts: Array) -> Array:
    """The score of each number of neighbours on the rows that were asked about."""
    if isinstance(estimator, KNeighborsClassifier):
        labels, codes = np.unique(known, return_inverse=True)
        votes = found.class_votes(codes, len(labels), counts.tolist())
        return np.array([(labels[votes[k].argmax(axis=1)] == truth).mean() for k in counts])
    means = found.means(known.reshape(len(known), -1).astype(np.float64), counts.tolist())
    spread = ((truth - truth.mean(axis=0)) ** 2).sum()
    return np.array([1 - ((truth.reshape(len(truth), -1) - means[k]) ** 2).sum() / spread for k in counts])
