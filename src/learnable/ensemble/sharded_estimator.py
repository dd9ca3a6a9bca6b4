"""Models that forget rows exactly."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, cloned, fitted_estimator, generator, seed_of
from ..core.errors import not_fitted
from ..core.sklearn_api.estimator_type import is_classifier, is_estimator
from ..core.validate.sparse_input import ChecksSparse


class ShardedEstimator(ChecksSparse):
    """SISA training: an estimator for each shard of the rows, so that rows can be forgotten exactly.

    prediction = majority vote of the shards (classes), or their mean (numbers)

    `forget(rows)` fits only the shards again that hold one of these rows, without them. The result has the same bits as
    a fit without the rows from the start: shards and their order are decided by the seed and the index of a row alone.
    More shards forget faster, and each of them learns from fewer rows. [Bourtoule et al., Machine unlearning, 2021]

    >>> from learnable import DecisionTreeClassifier
    >>> X, y = np.arange(40.0)[:, None], np.arange(40) // 20
    >>> model = ShardedEstimator(DecisionTreeClassifier(), n_shards=4, random_state=0).fit(X, y)
    >>> model.forget([3]).n_refitted_, model.predict([[2.0], [35.0]]).tolist()
    (1, [0, 1])
    """

    def __init__(self, estimator: Any, *, n_shards: int = 5, random_state: RandomState = 0) -> None:
        if not is_estimator(estimator):
            raise ParameterError(f"ShardedEstimator: estimator must be an estimator; got {estimator!r:.60}")
        if isinstance(n_shards, bool) or not isinstance(n_shards, (int, np.integer)) or n_shards < 1:
            raise ParameterError(f"ShardedEstimator: n_shards must be a whole number above 0; got {n_shards!r:.40}")
        self.estimator, self.n_shards, self.random_state = estimator, int(n_shards), random_state

    def fit(self, X: Any, y: Any, *, without: Any = ()) -> Self:
        """Fit every shard; rows `without` are left out, as if they had been forgotten."""
        rows, target = np.asarray(X), np.asarray(y)
        if rows.ndim != 2 or target.shape != (len(rows),) or len(rows) < self.n_shards:
            raise DataError(
                f"ShardedEstimator: X must be a matrix of at least n_shards={self.n_shards} rows and y have an entry "
                f"for each; got {rows.shape} and {target.shape}"
            )
        shard = generator(seed_of(self.random_state)).permutation(len(rows)) % self.n_shards
        forgotten = np.zeros(len(rows), dtype=bool)
        forgotten[self._indices(without, len(rows))] = True
        none, every = [None] * self.n_shards, list(range(self.n_shards))
        self._learn(rows[~forgotten], target[~forgotten], shard, forgotten, none, every)
        return self

    def forget(self, indices: Any) -> Self:
        """Forget rows by their index in the training set."""
        self._require_fit()
        forgotten = self.forgotten_.copy()
        forgotten[self._indices(indices, len(forgotten))] = True
        new = forgotten & ~self.forgotten_
        left = ~new[~self.forgotten_]
        touched = np.unique(self.shard_[new]).tolist()
        self._learn(self._X[left], self._y[left], self.shard_, forgotten, self.estimators_, touched)
        return self

    def predict(self, X: Any) -> Array:
        """The majority vote of the shards, of equals the first class, or the mean of their predictions."""
        self._require_fit()
        given = np.array([model.predict(X) for model in self.estimators_ if model is not None])
        if not is_classifier(self.estimator):
            return np.asarray(given.mean(axis=0))
        classes = np.unique(given)
        votes = (given[:, :, None] == classes).sum(axis=0)
        return np.asarray(classes[votes.argmax(axis=1)])

    def score(self, X: Any, y: Any) -> float:
        """Accuracy of classes, R^2 of numbers."""
        from ..metrics import accuracy_score, r2_score

        return float((accuracy_score if is_classifier(self.estimator) else r2_score)(y, self.predict(X)))

    def _require_fit(self) -> None:
        if "estimators_" not in self.__dict__:
            raise not_fitted(self)

    def _learn(
        self, rows: Array, target: Array, shard: Array, forgotten: Array, estimators: list[Any], touched: list[int]
    ) -> None:
        """Fit the shards that are touched; nothing changes if one cannot be fitted, and forgotten rows are not kept."""
        if forgotten.all():
            raise DataError("ShardedEstimator: no row is left to learn from; keep at least one")
        place, fitted = shard[~forgotten], list(estimators)
        for one in touched:  # a shard that has forgotten everything has no estimator
            own = place == one
            fitted[one] = fitted_estimator(cloned(self.estimator), rows[own], target[own]) if own.any() else None
        self._X, self._y, self.shard_, self.forgotten_ = rows, target, shard, forgotten
        self.estimators_, self.n_refitted_ = fitted, len(touched)

    @staticmethod
    def _indices(indices: Any, count: int) -> Array:
        found = np.atleast_1d(np.asarray(indices))
        if not len(found):
            return np.empty(0, dtype=np.int64)
        if found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= count:
            raise DataError(f"ShardedEstimator: rows are named by indices 0..{count - 1}; got {indices!r:.60}")
        return found.astype(np.int64)
