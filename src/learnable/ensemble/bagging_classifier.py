"""Bagging of classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ProbabilisticClassifier,
    Trace,
    Traits,
    available_if,
    estimator,
    learned,
)
from ..core.files.learned_limits import flaw_of_members
from ..core.sklearn_api.metadata import requested_metadata
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from ._bagging_base import NOTHING, BaggingBase, Metadata


@estimator
class BaggingClassifier(BaggingBase, ProbabilisticClassifier):
    """Bagging classifier: the mean of the class probabilities of estimators, each fitted to a bootstrap sample.

    p_k(x) = mean over estimators of p_k(x),    or the fraction of their votes if they have no predict_proba

    Averaging reduces the variance of the base estimator and leaves its bias. Sampling columns too (`max_features`)
    makes estimators differ more: random subspaces, or random patches. Samples do not depend on the order of the rows,
    and integer weights count copies. [Breiman, 1996]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> BaggingClassifier(random_state=0).fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    classes_: Array = learned("the classes, sorted", shape="classes")
    n_classes_: int = learned("number of classes", counts="classes")
    oob_decision_function_: Array = learned("out-of-bag class probabilities of each training row", optional=True)

    traits = Traits(warm_start_keeps_classes=True)
    title = "bagging classifier"
    reference = "Breiman, Bagging predictors, Machine Learning 24, 1996"

    def _fit(self, data: Data, trace: Trace, metadata: Metadata = NOTHING) -> None:
        self.n_classes_ = len(self.classes_)
        super()._fit(data, trace, metadata)

    def _unsound(self) -> str:
        columns = [len(chosen) for chosen in self.estimators_features_]
        members = zip(self.estimators_, columns, strict=True)
        flaws = (flaw_of_members([model], width, len(self.classes_)) for model, width in members)
        return super()._unsound() or next(filter(None, flaws), "")

    def _base(self) -> Any:
        tree = DecisionTreeClassifier().set_fit_request(sample_weight=True)
        return tree if self.estimator is None else self.estimator

    def _probabilities(self, X: Matrix) -> Array:
        return self._mean(X)

    def predict(self, X: Any, **arguments: Any) -> Array:
        """The predicted class of each row of `X`; `arguments` are metadata, where routing is enabled."""
        if not arguments:
            return super().predict(X)
        found = self._mean(self._read(X), "predict", self._checked("predict", arguments))
        return np.asarray(self.classes_[found.argmax(axis=1)])

    def predict_proba(self, X: Any, **arguments: Any) -> Any:
        """The probability of each class, a column per entry of `classes_`; `arguments` are metadata."""
        if not arguments:
            return super().predict_proba(X)
        return self._mean(self._read(X), "predict_proba", self._checked("predict_proba", arguments))

    def predict_log_proba(self, X: Any, **arguments: Any) -> Any:
        """The logarithms of the probabilities; `arguments` are metadata, where routing is enabled."""
        if not arguments:
            return super().predict_log_proba(X)
        with np.errstate(divide="ignore"):
            metadata = self._checked("predict_log_proba", arguments)
            return np.log(self._mean(self._read(X), "predict_log_proba", metadata))

    @available_if(lambda bag: hasattr(bag._base(), "decision_function"))
    def decision_function(self, X: Any, **arguments: Any) -> Array:
        """Mean decision function of the estimators; `arguments` are metadata, where routing is enabled."""
        metadata = self._checked("decision_function", arguments)
        pairs = list(self._with_columns(self._read(X)))
        if any(len(model.classes_) < self.n_classes_ for model, _ in pairs):
            raise DataError(
                "BaggingClassifier: an estimator was fitted without some classes, and has no scores for them"
            )
        found = [
            model.decision_function(table, **requested_metadata(model, "decision_function", metadata))
            for model, table in pairs
        ]
        return np.asarray(np.mean(found, axis=0))

    def _predict_one(self, model: Any, X: Matrix, method: str = "predict", metadata: Metadata = NOTHING) -> Array:
        """Probabilities of all classes by one estimator, zero for classes that its sample did not have."""
        called = self._calls(method, model)
        result = getattr(model, called)(X, **requested_metadata(model, called, metadata))
        found = np.zeros((X.shape[0], self.n_classes_))
        if called == "predict":
            found[np.arange(X.shape[0]), np.asarray(result, dtype=np.int64)] = 1.0
        else:
            found[:, np.asarray(model.classes_, dtype=np.int64)] = np.exp(result) if "log" in called else result
        return found

    def _score_out_of_bag(self, data: Data) -> None:
        self.oob_decision_function_ = self._out_of_bag_mean(data, (self.n_classes_,))
        correct = self.oob_decision_function_.argmax(axis=1) == data.y
        self.oob_score_ = float(np.average(correct, weights=data.weight))
