"""One classifier for each target."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Traits, available_if, estimator, learned
from ..core.roles.classifier import accuracy_of
from ..multiclass._multiclass_base import all_have
from ._multioutput_base import OfSeveralTargets


@estimator
class MultiOutputClassifier(OfSeveralTargets):
    """Multi-output classification: one copy of a classifier per target.

    f(x) = (f_1(x), ..., f_t(x)),    f_k fitted to target k alone

    For classifiers that know one target only; what targets have in common is not used: see ClassifierChain.
    [Tsoumakas and Katakis, 2007]

    >>> from learnable import DummyClassifier
    >>> model = MultiOutputClassifier(DummyClassifier()).fit([[0.0], [1.0], [2.0]], [[0, 1], [0, 1], [1, 0]])
    >>> model.predict([[3.0]])
    array([[0, 1]])
    """

    flat_: bool = learned("whether the target has one dimension")

    traits = Traits(single_target=True, task="classification")
    title = "multi-output classification"
    reference = "Tsoumakas and Katakis, Multi-label classification: an overview, 2007"

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        labels = self._validator.any_target(y, rows, several=True)
        for column in labels.reshape(rows, -1).T:
            self._validator.classes(column, rows)  # says what is not a class
        return {"flat_": labels.ndim == 1}, labels.reshape(rows, -1)

    @property
    def classes_(self) -> Any:
        """The classes of each target; of the only one, if it has one dimension."""
        found = [part.classes_ for part in self.__dict__["estimators_"]]
        return found[0] if self.flat_ else found

    def predict(self, X: Any) -> Array:
        """The predicted class of each target."""
        found = super().predict(X)
        return np.asarray(found[:, 0]) if self.flat_ else found

    @available_if(all_have("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, an array for every target."""
        self._require_fit()
        found = [part.predict_proba(X) for part in self.estimators_]
        return found[0] if self.flat_ else found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Subset accuracy: the fraction of rows of `X` whose targets are all predicted correctly."""
        return accuracy_of(self, self.predict(X), y, sample_weight)
