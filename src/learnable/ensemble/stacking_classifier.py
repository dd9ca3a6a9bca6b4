"""Stacking of classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator, param
from ._voting.stacking_base import Method, Stacking, chosen_method, last_has_decisions, last_has_probabilities
from ._voting.voting_base import ClassPanel


@estimator
class StackingClassifier(Stacking, ClassPanel):
    """A classifier that learns from the probabilities which others give to rows that they did not see.

    p(y | x) = g(p_1(x), ..., p_m(x)),    g fitted to cross-validated answers

    Cross-validation keeps the last classifier from trusting those that merely remember their rows. [Wolpert, 1992]

    >>> from learnable import DecisionTreeClassifier, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 3, ["a", "a", "b", "b"] * 3
    >>> stack = StackingClassifier([("tree", DecisionTreeClassifier()), ("bayes", GaussianNB())], cv=3)
    >>> stack.fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    stack_method: Method = param("auto", "what is asked of the classifiers: the best that each can give")

    reference = "Wolpert, Stacked generalization, Neural Networks 5, 1992"

    def _method(self, name: str, part: Any) -> str:
        return chosen_method(self.stack_method, name, part, "StackingClassifier")

    def _last(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        import learnable

        maker: Any = learnable.__getattr__("LogisticRegression")
        return maker()

    def _classify(self, X: Any) -> Array:
        return np.asarray(self.final_estimator_.predict(self._features(X)), dtype=np.int64)

    @last_has_probabilities
    def predict_proba(self, X: Any) -> Array:
        """The probabilities that the last classifier gives."""
        self._require_fit()
        return np.asarray(self.final_estimator_.predict_proba(self._features(X)))

    @last_has_decisions
    def decision_function(self, X: Any) -> Array:
        """The scores that the last classifier gives."""
        self._require_fit()
        return np.asarray(self.final_estimator_.decision_function(self._features(X)))
