"""Base class of selectors that predict with the estimator fitted to the selected features."""

from __future__ import annotations

from typing import Any

from ..core import Array, Traits, available_if
from ..core.sklearn_api.conditional_methods import delegated
from ..core.sklearn_api.estimator_type import role
from ..core.validate.features import FeatureValidator
from ._wrapper_base import Wrapper


def _inner_has(method: str) -> Any:
    return delegated(method, lambda selector: selector.__dict__.get("estimator_", selector.estimator))


class Delegating(Wrapper):
    """A wrapper method that keeps `estimator_`, fitted to the selected features, and predicts with it."""

    estimator_: Any
    support_: Array

    several_targets = True

    @property
    def _validator(self) -> FeatureValidator:
        if isinstance(getattr(self.estimator, "traits", None), Traits):
            return super()._validator
        # An estimator of another library validates for itself: tags do not look into its pipelines.
        return FeatureValidator(type(self).__name__, self._effective_traits().sparse, "csc", "native", infinite=True)

    def _support(self) -> Array:
        return self.support_

    def _ask(self, method: str, X: Any, *more: Any, **extra: Any) -> Any:
        """The prediction of the fitted estimator from the selected features."""
        self._require_fit()
        return getattr(self.estimator_, method)(self._transform(self._read(X)), *more, **extra)

    @available_if(_inner_has("predict"))
    def predict(self, X: Any) -> Any:
        """Predictions of the estimator from the selected columns."""
        return self._ask("predict", X)

    @available_if(_inner_has("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the estimator on the selected columns."""
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._ask("score", X, y, **extra))

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Decision function of the estimator on the selected columns."""
        return self._ask("decision_function", X)

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Class probabilities by the estimator from the selected columns."""
        return self._ask("predict_proba", X)

    @available_if(_inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Log probabilities of the classes by the estimator from the selected columns."""
        return self._ask("predict_log_proba", X)

    @property
    def classes_(self) -> Array:
        """The classes that the estimator knows."""
        found: Array = self.estimator_.classes_
        return found

    @property
    def _estimator_type(self) -> str:
        """It predicts what its estimator predicts, so folds are made for it as for that one."""
        return role(self.estimator) or "transformer"

    def __sklearn_tags__(self) -> Any:
        from copy import deepcopy

        from sklearn.utils import get_tags

        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = deepcopy(inner.classifier_tags), deepcopy(inner.regressor_tags)
        for kind in (tags.classifier_tags, tags.regressor_tags):
            if kind is not None:
                kind.poor_score = True  # it may drop columns that would have helped
        tags.target_tags.required = True
        return tags
