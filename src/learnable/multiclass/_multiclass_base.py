"""What those share who make several classifiers of two classes out of one problem."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..core import Array, DataError, Estimator, Traits, available_if, cloned, fitted_estimator, learned, param
from ..core.declare import params
from ..core.declare.params import REQUIRED, declaring
from ..core.errors import warn
from ..core.roles.classifier import accuracy_of
from ..core.roles.traits import traits_of
from ..core.sklearn_api.conditional_methods import delegated
from ..core.sklearn_api.estimator_type import is_estimator, is_regressor
from ..core.sklearn_api.metadata import FIT_ONLY, Route, check_metadata
from ..core.validate.rows import row_count
from ..dummy import DummyClassifier
from ..engines.iterate import record_components
from ..pipeline._steps import with_weights


def all_have(method: str) -> Any:
    """Whether the estimator, or all that were fitted, have a method; constant classifiers among these are exempt."""
    return delegated(method, _requested)


def _requested(model: Any) -> list[Any]:
    fitted = [part for part in model.__dict__.get("estimators_", []) if not is_constant(part)]
    return fitted or [model.estimator]


def is_constant(part: Any) -> bool:
    """Whether it says the same of every row, as it has seen rows of one class."""
    return isinstance(part, DummyClassifier) and part.strategy == "constant"


@declaring
class Reduction(Estimator):
    """Base class of reductions to binary classifiers; `_fit_parts` fits them, `_classify` combines them."""

    estimator: Any = param(
        REQUIRED, "binary classifier, or regressor of 0 and 1", kw_only=False, accepts=is_estimator,
        says="an estimator",
    )  # fmt: skip
    n_jobs: int | None = param(None, "number of workers, as in joblib")
    classes_: Array = learned("the classes, sorted", shape="classes")
    estimators_: Any = learned("the fitted estimators")

    traits = Traits(takes="parts", compares_by="estimator", task="classification")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit a clone of the estimator to every binary problem; further arguments are passed to `fit`."""
        params.check(self)
        check_metadata(self, "fit", {"sample_weight": sample_weight, **arguments})
        rows = row_count(X, f"{type(self).__name__}: X")
        self._validator.refuse_empty((rows, 1))
        facts, target = self._targets(y, rows)
        weight = self._validator.weights(sample_weight, rows)
        with self._fitting(X, target, weight) as trace:
            self.__dict__.update(facts)
            self._fit_parts(X, target, weight, arguments)
            self._remember_columns_of(self.estimators_[0], X)
            record_components(trace, self.estimators_)
        return self

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        """What is learned of the target, and the classes as whole numbers."""
        classes, codes = self._validator.classes(y, rows)
        return {"classes_": classes}, codes

    @abstractmethod
    def _fit_parts(self, X: Any, codes: Array, weight: Array | None, arguments: dict[str, Any]) -> None: ...

    @abstractmethod
    def _classify(self, X: Any) -> Array: ...

    def __sklearn_is_fitted__(self) -> bool:
        return "estimators_" in self.__dict__

    def predict(self, X: Any) -> Array:
        """The predicted class of each row of `X`."""
        self._require_fit()
        return np.asarray(self.classes_[self._classify(X)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions for `X`."""
        return accuracy_of(self, self.predict(X), y, sample_weight)

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        return len(self.classes_)

    def _routes(self) -> list[Route]:
        return [Route("estimator", self.estimator, FIT_ONLY)]

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self.estimator))


class InParts(Reduction):
    """A reduction whose problems are known from the classes alone, so that rows can come in parts."""

    def _go_on(self, X: Any, y: Any, classes: Any, weight: Any, arguments: dict[str, Any]) -> Self:
        """Take more rows into account, part by part; the first rows come with all the classes there will be."""
        params.check(self)
        owner, rows = type(self).__name__, row_count(X, f"{type(self).__name__}: X")
        begun = self.__sklearn_is_fitted__()
        if not begun and classes is None:
            raise DataError(f"{owner}: the first call to partial_fit needs classes, all labels that may occur")
        known = self.classes_ if begun else np.unique(np.asarray(classes))
        labels, codes = self._validator.classes(y, rows)
        if len(np.setdiff1d(labels, known)):
            raise DataError(f"{owner}: Mini-batch contains {labels} while classes must be subset of {known}")
        shares = self._validator.weights(weight, rows)
        with self._fitting(X, codes, shares, going_on=True) as trace:
            self.classes_ = known
            if not begun:
                self.estimators_ = [cloned(self.estimator) for _ in range(self._count())]
            for part, table, target, share in self._shares(X, np.searchsorted(known, labels)[codes], shares):
                if len(target):
                    more = with_weights(part, share, arguments, "partial_fit")
                    part.partial_fit(table, target, classes=np.array([0, 1]), **more)
            self._remember_columns_of(self.estimators_[0], X)
            record_components(trace, self.estimators_)
        return self

    @abstractmethod
    def _count(self) -> int:
        """How many parts there are."""

    @abstractmethod
    def _shares(self, X: Any, codes: Array, weight: Array | None) -> Iterator[tuple[Any, Any, Array, Array | None]]:
        """Each part with its rows, zeros and ones, and weights."""


def fitted_to(estimator: Any, arguments: dict[str, Any], case: tuple[Any, Array, Array | None, str]) -> Any:
    """A copy of the estimator, fitted to one problem of two classes; a constant where there is one class only.

    Then there is a warning, unless there are no words for the second class.
    """
    X, target, weight, words = case
    counted = target if weight is None else target[weight > 0]
    if len(counted) and (counted == counted[0]).all():
        if words:
            warn(f"Every row {'has' if counted[0] > 0 else 'lacks'} the label {words}.", UserWarning)
        return DummyClassifier(strategy="constant", constant=counted[0]).fit(X, target, weight)
    model = cloned(estimator)
    return fitted_estimator(model, X, target, **with_weights(model, weight, arguments))


def score_of(model: Any, X: Any) -> Array:
    """The score of a binary estimator for its second class."""
    if is_constant(model):
        return np.full(row_count(X), float(model.constant))
    if not is_regressor(model) and hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X)).ravel()
    if is_regressor(model) or not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), dtype=np.float64).ravel()
    return np.asarray(model.predict_proba(X))[:, 1]


def middle_of(model: Any) -> float:
    """The decision threshold of a binary estimator."""
    return 0.0 if not is_regressor(model) and hasattr(model, "decision_function") else 0.5


has_probabilities = available_if(all_have("predict_proba"))
has_decisions = available_if(all_have("decision_function"))
learns_in_parts = available_if(all_have("partial_fit"))
