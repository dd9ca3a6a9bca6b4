"""One class against all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core import Array, estimator, learned, param
from ..core.validate.targets import as_sparse_labels, is_sparse
from ..engines.parallel import each
from ..preprocessing import LabelBinarizer
from ._multiclass_base import (
    InParts,
    fitted_to,
    has_decisions,
    has_probabilities,
    is_constant,
    learns_in_parts,
    middle_of,
    score_of,
)


@estimator
class OneVsRestClassifier(InParts):
    """One-vs-rest classification: one classifier per class against all others; the most confident wins.

    f(x) = argmax_k s_k(x),    s_k the score of the classifier for class k

    With a target of zeros and ones in several columns, every label is decided on its own. [Rifkin and Klautau, 2004]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [10.0], [11.0]], ["low", "low", "low", "high", "high"]
    >>> OneVsRestClassifier(Ridge()).fit(X, y).predict([[1.0], [12.0]]).tolist()
    ['low', 'high']
    """

    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    multilabel_: bool = learned("whether rows have any number of labels")
    sparse_output_: bool = learned("whether predictions are a sparse matrix, as the labels were", optional=True)

    title = "one-vs-rest classification"
    reference = "Rifkin and Klautau, In defense of one-vs-all classification, JMLR 5, 2004"

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        classes, codes = self._validator.labels(y.toarray() if is_sparse(y) else y, rows)
        return {"classes_": classes, "multilabel_": codes.ndim == 2, "sparse_output_": is_sparse(y)}, codes

    def _fit_parts(self, X: Any, codes: Array, weight: Array | None, arguments: dict[str, Any]) -> None:
        if self.multilabel_:
            columns = list(codes.T)
        elif len(self.classes_) <= 2:
            columns = [(codes == 1).astype(np.int64)]
        else:
            columns = [(codes == code).astype(np.int64) for code in range(len(self.classes_))]
        cases = [(X, column, weight, str(k) if self.multilabel_ else "") for k, column in enumerate(columns)]
        found = dict(each(fitted_to, (self.estimator, arguments), cases, self.n_jobs))
        self.estimators_ = [found[place] for place in range(len(cases))]

    @learns_in_parts
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Update with a batch of rows; the first batch needs all `classes`."""
        if not self.__sklearn_is_fitted__():
            self.multilabel_ = self.sparse_output_ = False
        return self._go_on(X, y, classes, sample_weight, arguments)

    def _count(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _shares(self, X: Any, codes: Array, weight: Array | None) -> Iterator[tuple[Any, Any, Array, Array | None]]:
        first = 1 if len(self.estimators_) == 1 else 0
        for code, part in enumerate(self.estimators_, start=first):
            yield part, X, (codes == code).astype(np.int64), weight

    def _classify(self, X: Any) -> Array:
        scores = [self._score(part, X) for part in self.estimators_]
        if len(scores) > 1:
            return np.asarray(np.argmax(np.column_stack(scores), axis=1))
        if len(self.classes_) == 1:
            return np.zeros(len(scores[0]), dtype=np.int64)
        return (scores[0] > middle_of(self.estimators_[0])).astype(np.int64)

    def predict(self, X: Any) -> Any:
        """The predicted class of each row of `X`, or a mark for each of its labels; sparse if the labels were."""
        self._require_fit()
        if not self.multilabel_:
            return super().predict(X)
        found = np.column_stack([score_of(part, X) > middle_of(part) for part in self.estimators_]).astype(np.int64)
        return as_sparse_labels(found) if self.sparse_output_ else found

    @has_probabilities
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class; of each label on its own where rows have several."""
        self._require_fit()
        found = np.column_stack([_second(part.predict_proba(X), part) for part in self.estimators_])
        if self.multilabel_:
            return found
        if len(self.estimators_) == 1:
            return np.hstack([1 - found, found])[:, -len(self.classes_) :]
        total = found.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(found, total, out=found, where=total != 0))

    @has_decisions
    def decision_function(self, X: Any) -> Array:
        """The score of each class; a single column for two classes."""
        self._require_fit()
        found = [self._score(part, X) for part in self.estimators_]
        return found[0] if len(found) == 1 else np.column_stack(found)

    def _score(self, part: Any, X: Any) -> Array:
        """The confidence of a binary classifier in its class; a constant one outvotes all, or none."""
        found = score_of(part, X)
        sure = is_constant(part) and len(self.classes_) > 2 and not self.multilabel_
        return np.where(found > 0, np.inf, -np.inf) if sure else found

    @property
    def label_binarizer_(self) -> LabelBinarizer:
        """The binarizer of the labels."""
        binarizer = LabelBinarizer(sparse_output=True)
        return binarizer.fit(np.eye(len(self.classes_), dtype=np.int64) if self.multilabel_ else self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True  # as labels, zeros and ones
        return tags


def _second(probabilities: Array, part: Any) -> Array:
    """The column of the second class; all or nothing where the part knows one only."""
    if probabilities.shape[1] > 1:
        return probabilities[:, 1]
    return np.full(len(probabilities), float(part.classes_[0] > 0))
