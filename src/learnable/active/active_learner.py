"""Learners that choose the rows to be labelled."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ..core import Array, DataError, ParameterError, cloned, fitted_estimator
from ..core.sklearn_api.estimator_type import is_estimator
from ..core.validate.mixed_table import is_missing
from ..core.validate.sparse_input import ChecksSparse
from .strategies import uncertainty_sampling, vote_entropy_sampling

Strategy = Callable[..., Any]


def chosen_rows(
    learner: ActiveLearner | Committee, X_pool: Any, n_instances: Any, options: dict[str, Any]
) -> tuple[Array, Any]:
    """What the strategy of a learner chooses from a pool: indices that are checked, and their rows."""
    owner, pool = type(learner).__name__, np.asarray(X_pool)
    if pool.ndim != 2 or not len(pool):
        raise DataError(f"{owner}: the pool must be a matrix with at least one row; got {pool.shape}")
    if isinstance(n_instances, bool) or not isinstance(n_instances, (int, np.integer)) or n_instances < 1:
        raise ParameterError(f"{owner}: n_instances must be a whole number above 0; got {n_instances!r:.40}")
    given = learner.query_strategy(learner, pool, min(int(n_instances), len(pool)), **options)
    chosen = np.asarray(given)
    if (
        chosen.ndim != 1 or chosen.dtype.kind not in "iu" or len(np.unique(chosen)) < len(chosen)
        or not ((chosen >= 0) & (chosen < len(pool))).all()
    ):  # fmt: skip
        raise DataError(
            f"{owner}: query_strategy must return different indices 0..{len(pool) - 1} of rows; got {given!r:.60}"
        )
    return chosen.astype(np.int64), pool[chosen]


class ActiveLearner(ChecksSparse):
    """Active learning: an estimator that says which rows should be labelled next, with modAL's interface.

    `query(X, n_instances)` returns the indices of the chosen rows of a pool and these rows; `teach(X, y)` adds labelled
    rows and fits again. `query_strategy(learner, X, n_instances)` is one of this family or of the caller. Rows whose
    label is missing are not learned from. [Settles, Active Learning Literature Survey, 2009]

    >>> from learnable import LogisticRegression
    >>> learner = ActiveLearner(LogisticRegression(), X_training=[[0.0], [10.0]], y_training=[0, 1])
    >>> indices, rows = learner.query([[1.0], [5.1], [9.0]])
    >>> indices.tolist(), learner.teach(rows, [1]).predict([[6.0]]).tolist()
    ([1], [1])
    """

    def __init__(
        self, estimator: Any, query_strategy: Strategy = uncertainty_sampling, X_training: Any = None,
        y_training: Any = None, **fit_kwargs: Any,
    ) -> None:  # fmt: skip
        if not is_estimator(estimator):
            raise ParameterError(f"ActiveLearner: estimator must be an estimator; got {estimator!r:.60}")
        if not callable(query_strategy):
            raise ParameterError(f"ActiveLearner: query_strategy must be a function; got {query_strategy!r:.60}")
        self.estimator, self.query_strategy = cloned(estimator), query_strategy
        self.X_training: Array | None = None
        self.y_training: Array | None = None
        if X_training is not None:
            self.teach(X_training, y_training, **fit_kwargs)

    def query(self, X_pool: Any, n_instances: int = 1, **options: Any) -> tuple[Array, Any]:
        """Indices of the rows that should be labelled, and the rows."""
        return chosen_rows(self, X_pool, n_instances, options)

    def teach(self, X: Any, y: Any, only_new: bool = False, **fit_kwargs: Any) -> Self:
        """Add labelled rows, and fit to all of them, or to the new ones only."""
        rows, labels = np.asarray(X), np.asarray(y)
        if rows.ndim != 2 or labels.shape != (len(rows),):
            raise DataError(f"ActiveLearner: teach takes rows and their labels; got {rows.shape} and {labels.shape}")
        known = ~is_missing(labels)
        rows, labels = rows[known], labels[known]
        every, all_labels = rows, labels
        if self.X_training is not None and self.y_training is not None:
            if rows.shape[1] != self.X_training.shape[1]:
                raise DataError(f"ActiveLearner: rows have {self.X_training.shape[1]} columns; got {rows.shape[1]}")
            every = np.vstack([self.X_training, rows])
            all_labels = np.concatenate([self.y_training, labels])
        X_fit, y_fit = (rows, labels) if only_new else (every, all_labels)
        self.estimator = fitted_estimator(cloned(self.estimator), X_fit, y_fit, **fit_kwargs)
        self.X_training, self.y_training = every, all_labels  # only rows that could be learned from
        return self

    @property
    def classes_(self) -> Array:
        """The classes seen so far."""
        return np.asarray(self.estimator.classes_)

    def predict(self, X: Any) -> Any:
        """Predictions of the estimator."""
        return self.estimator.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities of the estimator."""
        return self.estimator.predict_proba(X)

    def score(self, X: Any, y: Any) -> float:
        """The score of the estimator."""
        return float(self.estimator.score(X, y))


class Committee(ChecksSparse):
    """Query by committee: several active learners that vote, and ask where they disagree, with modAL's interface.

    [Seung, Opper and Sompolinsky, 1992]

    >>> from learnable import DecisionTreeClassifier, LogisticRegression
    >>> X, y = [[0.0], [10.0]], [0, 1]
    >>> committee = Committee([ActiveLearner(DecisionTreeClassifier(), X_training=X, y_training=y),
    ...                        ActiveLearner(LogisticRegression(C=0.01), X_training=X, y_training=y)])
    >>> committee.predict([[9.0]]).tolist()
    [1]
    """

    def __init__(self, learner_list: Sequence[Any], query_strategy: Strategy = vote_entropy_sampling) -> None:
        if not len(learner_list) or not all(isinstance(one, ActiveLearner) for one in learner_list):
            raise ParameterError("Committee: learner_list must hold active learners")
        self.learner_list, self.query_strategy = list(learner_list), query_strategy

    @property
    def classes_(self) -> Array:
        """The classes that some member knows."""
        return np.unique(np.concatenate([one.classes_ for one in self.learner_list]))

    @property
    def X_training(self) -> Array | None:
        """The labelled rows of the first member."""
        found: Array | None = self.learner_list[0].X_training
        return found

    def votes(self, X: Any) -> Array:
        """The fraction of the members that vote for each class, a row for each row."""
        classes = self.classes_
        votes = [np.asarray(one.predict(X))[:, None] == classes for one in self.learner_list]
        found: Array = np.mean(votes, axis=0)
        return found

    def predict_proba(self, X: Any) -> Array:
        """The mean of the class probabilities of the members."""
        classes, total = self.classes_, np.zeros((len(np.asarray(X)), len(self.classes_)))
        for one in self.learner_list:
            total[:, np.searchsorted(classes, one.classes_)] += one.predict_proba(X)
        return total / len(self.learner_list)

    def predict(self, X: Any) -> Array:
        """The class with the most votes; of equals the first."""
        chosen: Array = self.classes_[self.votes(X).argmax(axis=1)]
        return chosen

    def query(self, X_pool: Any, n_instances: int = 1, **options: Any) -> tuple[Array, Any]:
        """Indices of the rows that should be labelled, and the rows."""
        return chosen_rows(self, X_pool, n_instances, options)

    def teach(self, X: Any, y: Any, **fit_kwargs: Any) -> Self:
        """Teach every member; if one of them cannot learn from the rows, all remain as they were."""
        taught = [copy.copy(one).teach(X, y, **fit_kwargs) for one in self.learner_list]
        for one, other in zip(self.learner_list, taught, strict=True):
            one.__dict__.update(other.__dict__)
        return self
