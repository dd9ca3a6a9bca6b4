"""Stacking of classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator, learned, param
from ..core.files.learned_limits import flaw_of_members
from ..core.validate.targets import shape_of
from ._voting.stacking_base import (
    Method,
    StackingBase,
    final_has_decision_function,
    final_has_predict_proba,
    resolve_stack_method,
)
from ._voting.voting_base import VotingClassifierBase


@estimator
class StackingClassifier(StackingBase, VotingClassifierBase):
    """Stacking classifier: a final classifier fitted to the out-of-fold probabilities of others.

    p(y | x) = g(p_1(x), ..., p_m(x)),    g fitted to cross-validated probabilities

    Cross-validation keeps the final classifier from trusting models that overfit their training rows. [Wolpert, 1992]

    >>> from learnable import DecisionTreeClassifier, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 3, ["a", "a", "b", "b"] * 3
    >>> stack = StackingClassifier([("tree", DecisionTreeClassifier()), ("bayes", GaussianNB())], cv=3)
    >>> stack.fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    stack_method: Method = param(
        "auto", "prediction method of the classifiers; auto takes the most informative one of each"
    )

    classes_: Any = learned("the classes, sorted; a list of those of each label if there are several")

    of_one_kind = False  # regressors of the class codes are features as good as others
    title = "stacking classifier"
    reference = "Wolpert, Stacked generalization, Neural Networks 5, 1992"

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        """Labels of several columns, zeros and ones, are a target for estimators that learn all of them."""
        if len(shape_of(y)) < 2 or shape_of(y)[1] < 2:
            return super()._targets(y, rows)
        labels, marks = self._validator.labels(y, rows)
        return {"classes_": [np.array([0, 1])] * len(labels)}, marks

    @property
    def _has_labels(self) -> bool:
        """Whether rows have any number of labels."""
        return isinstance(self.classes_, list)

    def _unsound(self) -> str:
        """The final classifier predicts codes of the classes."""
        final = self.final_estimator_
        if self._has_labels:
            return super()._unsound()
        columns = getattr(final, "n_features_in_", None)
        return super()._unsound() or flaw_of_members([final], columns, len(self.classes_))

    def _method(self, name: str, model: Any) -> str:
        return resolve_stack_method(self.stack_method, name, model, "StackingClassifier")

    def _final(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        import learnable

        maker: Any = learnable.__getattr__("LogisticRegression")
        return maker()

    def predict(self, X: Any, **arguments: Any) -> Any:
        """The predicted class of each row of `X`; `arguments` go to `predict` of the final classifier."""
        self._require_fit()
        more = self._final_arguments(arguments)
        if not more:
            codes = self._classify(X)
            return codes if self._has_labels else self.classes_[codes]
        found = self.final_estimator_.predict(self._features(X), **more)
        codes, *others = found if isinstance(found, tuple) else (found,)
        labels = self.classes_[np.asarray(codes, dtype=np.int64)]
        return (labels, *others) if others else labels

    def _classify(self, X: Any) -> Array:
        return np.asarray(self.final_estimator_.predict(self._features(X)), dtype=np.int64)

    @final_has_predict_proba
    def predict_proba(self, X: Any) -> Any:
        """Class probabilities by the final classifier; of several labels as it gives them."""
        self._require_fit()
        found = self.final_estimator_.predict_proba(self._features(X))
        return found if isinstance(found, list) else np.asarray(found)

    @final_has_decision_function
    def decision_function(self, X: Any) -> Array:
        """Decision function of the final classifier."""
        self._require_fit()
        return np.asarray(self.final_estimator_.decision_function(self._features(X)))
