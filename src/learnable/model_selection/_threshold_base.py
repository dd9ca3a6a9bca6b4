"""What classifiers with a threshold of their own share: the classifier inside, its scores, and labels cut from them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, DataError, Estimator, Trace, Traits, available_if, learned, param
from ..core.declare import params
from ..core.declare.checked_functions import is_model
from ..core.declare.params import REQUIRED, declaring
from ..core.roles.classifier import accuracy_of
from ..core.roles.traits import traits_of
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.metadata import FIT_ONLY, Route, check_metadata, requested_metadata
from ..core.validate.rows import check_equal_lengths
from ..metrics._response_methods import binary_response
from ._evaluation import FitArguments

ResponseMethod = Literal["auto", "decision_function", "predict_proba"]
SCORES = ("predict_proba", "decision_function")


def _inner_has(method: str) -> Any:
    return lambda model: hasattr(model._inside, method)


@declaring
class ThresholdClassifier(Estimator):
    """The base of both: `_fit_inside` fits the classifier, `_cut` is the threshold."""

    estimator: Any = param(
        REQUIRED, "binary classifier", kw_only=False,
        accepts=lambda value: is_model(value) and any(hasattr(value, method) for method in SCORES),
        says="a classifier, not a class, with fit, and predict_proba or decision_function",
    )  # fmt: skip
    response_method: ResponseMethod = param(
        "auto", 'score compared with the threshold; "auto": probabilities, otherwise decision values'
    )
    estimator_: Any = learned("the fitted classifier")

    traits = Traits(takes="parts", many_classes=False, task="classification")

    @abstractmethod
    def _fit_inside(self, sample: FitArguments, trace: Trace) -> None: ...

    @abstractmethod
    def _cut(self, method: str) -> float:
        """The least score of a positive row, if the scores come from `method`."""

    @property
    @abstractmethod
    def _positive(self) -> Any:
        """The positive class, if it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Self:
        """Fit the classifier; further arguments go to its `fit`."""
        params.check(self)
        n = check_equal_lengths(type(self).__name__, X=X, y=y)
        weight = self._validator.weights(sample_weight, n)
        self._check_two_classes(y, n, weight)
        given = options if weight is None else {"sample_weight": weight, **options}
        if routing_is_enabled():
            check_metadata(self, "fit", given)
            given = requested_metadata(self.estimator, "fit", given)
        with self._fitting(X, y, weight) as trace:
            self._fit_inside(FitArguments(X, y, given), trace)
            self._remember_columns_of(self.estimator_)
            trace.adopt(self.estimator_, "the classifier was fitted as it is; its scores are cut at the threshold")
        return self

    def _check_two_classes(self, y: Any, n: int, weight: Array | None) -> None:
        classes, codes = self._validator.classes(y, n)
        present = classes if weight is None else classes[np.unique(codes[weight > 0])]
        if len(present) != 2:
            kind, count = ("multiclass", len(present)) if len(present) > 2 else ("one class", "one")
            raise DataError(
                f"{type(self).__name__}: Only binary classification is supported. Unknown label type: {kind}; y has "
                f"{count}: {', '.join(map(str, present[:5].tolist()))}"
            )

    def _routes(self) -> list[Route]:
        return [Route("estimator", self.estimator, FIT_ONLY)]

    @property
    def _inside(self) -> Any:
        return self.__dict__.get("estimator_", self.estimator)

    @property
    def classes_(self) -> Array:
        """The two classes, as the classifier knows them."""
        found: Array = self._ready().classes_
        return found

    def _ready(self) -> Any:
        """The fitted classifier."""
        self._require_fit()
        return self._inside

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool: ...

    def predict(self, X: Any) -> Array:
        """The positive class where the score reaches the threshold, else the other."""
        scores, positive, method = self._scores(self._ready(), X)
        return labels_at(scores, self._cut(method), self.classes_, positive)

    def _scores(self, model: Any, X: Any) -> tuple[Array, Any, str]:
        return binary_response(model, X, self.response_method, self._positive)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions for `X`."""
        return accuracy_of(self, self.predict(X), y, sample_weight)

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Class probabilities by the classifier."""
        return self._ready().predict_proba(X)

    @available_if(_inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Log probabilities of the classes."""
        return self._ready().predict_log_proba(X)

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Decision function of the classifier."""
        return self._ready().decision_function(X)

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self.estimator))


def labels_at(scores: Array, threshold: float, classes: Array, positive: Any) -> Array:
    """The positive class for scores of at least `threshold`, the other class below it.

    >>> labels_at(np.array([0.1, 0.6]), 0.5, np.array(["no", "yes"]), "yes").tolist()
    ['no', 'yes']
    """
    place = int(np.flatnonzero(np.asarray(classes) == positive)[0])
    codes = np.where(scores >= threshold, place, 1 - place)
    return np.asarray(np.asarray(classes)[codes])
