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
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from ._bagging_base import BaggingBase


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

    def _fit(self, data: Data, trace: Trace) -> None:
        self.n_classes_ = len(self.classes_)
        super()._fit(data, trace)

    def _unsound(self) -> str:
        columns = [len(chosen) for chosen in self.estimators_features_]
        members = zip(self.estimators_, columns, strict=True)
        flaws = (flaw_of_members([model], width, len(self.classes_)) for model, width in members)
        return super()._unsound() or next(filter(None, flaws), "")

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _probabilities(self, X: Matrix) -> Array:
        return self._mean(X)

    @available_if(lambda bag: hasattr(bag._base(), "decision_function"))
    def decision_function(self, X: Any) -> Array:
        """Mean decision function of the estimators."""
        pairs = list(self._with_columns(self._read(X)))
        if any(len(model.classes_) < self.n_classes_ for model, _ in pairs):
            raise DataError(
                "BaggingClassifier: an estimator was fitted without some classes, and has no scores for them"
            )
        return np.asarray(np.mean([model.decision_function(table) for model, table in pairs], axis=0))

    def _predict_one(self, model: Any, X: Matrix) -> Array:
        """Probabilities of all classes by one estimator, zero for classes that its sample did not have."""
        found = np.zeros((X.shape[0], self.n_classes_))
        if hasattr(model, "predict_proba"):
            found[:, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(X)
        else:
            found[np.arange(X.shape[0]), np.asarray(model.predict(X), dtype=np.int64)] = 1.0
        return found

    def _score_out_of_bag(self, data: Data) -> None:
        self.oob_decision_function_ = self._out_of_bag_mean(data, (self.n_classes_,))
        correct = self.oob_decision_function_.argmax(axis=1) == data.y
        self.oob_score_ = float(np.average(correct, weights=data.weight))
