"""Every class against every other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from ..core import Array, DataError, estimator, learned
from ..core.roles.traits import traits_of
from ..core.sklearn_api.estimator_type import is_pairwise
from ..core.validate.features import FeatureValidator, Matrix
from ..core.validate.rows import row_count, take_rows
from ..engines.parallel import each
from ._multiclass_base import InParts, fitted_to, learns_in_parts, middle_of, score_of


@estimator
class OneVsOneClassifier(InParts):
    """One-vs-one classification: one classifier per pair of classes; the class with most votes wins.

    f(x) = argmax_k sum_{l != k} [class k wins against l],    ties by the sum of the scores

    Many small problems instead of few large ones: for methods whose cost grows faster than the number of rows.
    [Friedman, 1996]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]], [0, 0, 1, 1, 2, 2]
    >>> OneVsOneClassifier(Ridge()).fit(X, y).predict([[1.0], [5.0], [12.0]])
    array([0, 1, 2])
    """

    pairwise_indices_: Any = learned("the rows of each pair, if the estimator takes a kernel matrix")

    title = "one-vs-one classification"
    reference = "Friedman, Another approach to polychotomous classification, 1996"

    def _fit_parts(self, X: Any, codes: Array, weight: Array | None, arguments: dict[str, Any]) -> None:
        if len(self.classes_) == 1:
            raise DataError(f"OneVsOneClassifier: y holds one class, {self.classes_.tolist()[0]!r}, and pairs need two")
        _refuse_missing(self.estimator, X)
        chosen = [np.flatnonzero((codes == i) | (codes == j)) for i, j in self._pairs()]
        pairwise = is_pairwise(self.estimator)
        cases = [
            (_part(X, rows, rows if pairwise else None), (codes[rows] == j).astype(np.int64),
             None if weight is None else weight[rows], "")
            for rows, (_, j) in zip(chosen, self._pairs(), strict=True)
        ]  # fmt: skip
        found = dict(each(fitted_to, (self.estimator, arguments), cases, self.n_jobs))
        self.estimators_ = [found[place] for place in range(len(cases))]
        self.pairwise_indices_ = chosen if pairwise else None

    @learns_in_parts
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Update with a batch of rows; the first batch needs all `classes`."""
        if not self.__sklearn_is_fitted__():
            self.pairwise_indices_ = None
        return self._go_on(X, y, classes, sample_weight, arguments)

    def _count(self) -> int:
        return len(self._pairs())

    def _shares(self, X: Any, codes: Array, weight: Array | None) -> Iterator[tuple[Any, Any, Array, Array | None]]:
        for part, (i, j) in zip(self.estimators_, self._pairs(), strict=True):
            rows = np.flatnonzero((codes == i) | (codes == j))
            share = None if weight is None else weight[rows]
            yield part, take_rows(X, rows), (codes[rows] == j).astype(np.int64), share

    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.classes_)), 2))

    def _classify(self, X: Any) -> Array:
        found = self.decision_function(X)
        if len(self.classes_) == 2:
            return (found > 0).astype(np.int64)
        return np.asarray(np.argmax(found, axis=1))

    def decision_function(self, X: Any) -> Array:
        """Votes for each class, ties broken by scores; a single column for two classes.

        Probabilities count as scores from one half on, so that the sign of a single column is the decision.
        """
        self._require_fit()
        votes, sums = np.zeros((2, len(self.classes_), row_count(X)))
        inside = self.pairwise_indices_ or [None] * len(self.estimators_)
        for (i, j), part, rows in zip(self._pairs(), self.estimators_, inside, strict=True):
            there = X if rows is None else _part(X, None, rows)
            score = score_of(part, there) - middle_of(part)
            won = np.asarray(part.predict(there)).ravel() == 1 if hasattr(part, "classes_") else score > 0
            votes[i] += ~won
            votes[j] += won
            sums[i] -= score
            sums[j] += score
        found = (votes + sums / (3 * (np.abs(sums) + 1))).T  # a score never outweighs a vote
        return np.asarray(found[:, 1] if len(self.classes_) == 2 else found)


def _refuse_missing(estimator: Any, X: Any) -> None:
    """Report missing values of X with their row numbers, for an estimator that does not take any."""
    traits = traits_of(estimator, takes="table")
    if traits.takes == "numbers" and traits.missing == "refuse":
        FeatureValidator("OneVsOneClassifier", sparse=True, storage="csr").matrix(X)


def _part(X: Any, rows: Array | None, columns: Array | None) -> Matrix:
    """Some rows, and columns, of a table; None is all of them."""
    if columns is not None:
        X = np.asarray(X)[:, columns] if not hasattr(X, "tocsr") else X[:, columns]
    return X if rows is None else take_rows(X, rows)
