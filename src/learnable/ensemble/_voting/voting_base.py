"""Base classes of ensembles of named estimators: voting, stacking, model averaging."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from ...core import (
    REQUIRED,
    Array,
    Composite,
    ParameterError,
    Trace,
    Traits,
    cloned,
    declaring,
    fitted_estimator,
    learned,
    param,
)
from ...core.declare import params
from ...core.errors import UnsupportedTargetError
from ...core.r2 import r_squared
from ...core.roles.classifier import accuracy_of
from ...core.sklearn_api.bunch import Bunch
from ...core.sklearn_api.configuration import routing_is_enabled
from ...core.sklearn_api.estimator_type import is_classifier
from ...core.sklearn_api.metadata import Route, check_metadata, refuse_metadata
from ...core.validate.rows import row_count
from ...core.validate.targets import shape_of
from ...engines.iterate import record_components
from ...engines.parallel import each
from ...pipeline._steps import announced, may_take_weights, with_weights

NO_ARGUMENTS: dict[str, Any] = {}


@declaring
class VotingBase(Composite):
    """Base class of ensembles of named estimators, fitted to the same rows; subclasses combine their predictions."""

    estimators: list[Any] = param(REQUIRED, '(name, estimator) pairs; "drop" leaves an estimator out', kw_only=False)
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    estimators_: list[Any] = learned("the fitted estimators")

    traits = Traits(takes="parts")
    parts = "estimators"
    of_one_kind: ClassVar[bool] = True  # whether all of them must be classifiers, or regressors

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit every estimator to rows `X` and targets `y`; weights go to all of them, other metadata by request."""
        params.check(self)
        refuse_metadata(self, "fit", arguments)
        check_metadata(self, "fit", {"sample_weight": sample_weight, **arguments})
        self._check_estimators()
        rows = row_count(X, f"{type(self).__name__}: X")
        self._validator.refuse_empty((rows, 1))
        facts, target = self._targets(y, rows)
        weight = self._validator.weights(sample_weight, rows)
        with self._fitting(X, target, weight) as trace:
            self.__dict__.update(facts)
            self._fit_all(X, target, weight, trace, arguments)
            self._remember_columns_of(self.estimators_[0])
        return self

    @abstractmethod
    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        """Learned attributes of the target, and the target as the estimators are given it."""

    def _fit_all(
        self, X: Any, target: Array, weight: Array | None, trace: Trace, metadata: dict[str, Any] = NO_ARGUMENTS
    ) -> None:
        calls = list(enumerate(self._active(), start=1))
        found = dict(each(_fit_announced, (self, len(calls), X, target, weight, metadata), calls, self.n_jobs))
        self.estimators_ = [found[index] for index in range(len(calls))]
        record_components(trace, self.estimators_)

    def _active(self) -> list[tuple[str, Any]]:
        """The estimators that are not dropped, by name."""
        return [(entry[0], entry[1]) for entry in self.estimators if not isinstance(entry[1], str)]

    def _check_estimators(self) -> None:
        owner = type(self).__name__
        self._check_parts()
        if not self._active():
            raise ParameterError(f"{owner}: every estimator is 'drop'; keep at least one")
        classify = self.traits.task == "classification"
        if not self.of_one_kind:
            return
        for name, model in self._active():
            if is_classifier(model) != classify:
                expected = "classifier" if classify else "regressor"
                raise ParameterError(f"{owner}: The estimator {name} ({type(model).__name__}) should be a {expected}.")

    @property
    def named_estimators(self) -> Bunch:
        """The estimators by name, as they were given."""
        return Bunch(**{entry[0]: entry[1] for entry in self.estimators})

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted estimators by name."""
        fitted = iter(self.estimators_)
        return Bunch(**{e[0]: e[1] if isinstance(e[1], str) else next(fitted) for e in self.estimators})

    def _routes(self) -> list[Route]:
        return [Route(name, model, {"fit": ("fit",)}) for name, model in self._named_parts() if model != "drop"]

    def __sklearn_is_fitted__(self) -> bool:
        return "estimators_" in self.__dict__


@declaring
class VotingClassifierBase(VotingBase):
    """Base class of voting classifiers."""

    classes_: Array = learned("the classes, sorted", shape="classes")

    traits = Traits(task="classification")

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        if len(shape_of(y)) == 2 and shape_of(y)[1] > 1:
            raise UnsupportedTargetError(
                f"{type(self).__name__}: y has {shape_of(y)[1]} columns; several targets or labels are not supported, "
                "wrap it in a MultiOutputClassifier"
            )
        classes, codes = self._validator.classes(y, rows)
        return {"classes_": classes}, codes

    def _check_probabilities(self, remedy: str) -> None:
        """Raise an error for a fitted classifier without predict_proba."""
        for (name, _), model in zip(self._active(), self.estimators_, strict=True):
            if not hasattr(model, "predict_proba"):
                raise ParameterError(
                    f"{type(self).__name__}: {name} ({type(model).__name__}) has no predict_proba; {remedy}"
                )

    def predict(self, X: Any) -> Array:
        """The predicted class of each row of `X`."""
        self._require_fit()
        return np.asarray(self.classes_[self._classify(X)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions for `X`."""
        return accuracy_of(self, self.predict(X), y, sample_weight)

    @abstractmethod
    def _classify(self, X: Any) -> Array: ...


@declaring
class VotingRegressorBase(VotingBase):
    """Base class of voting regressors."""

    traits = Traits(task="regression")

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        return {}, self._validator.target(y, rows, np.float64, False)

    def predict(self, X: Any) -> Array:
        """Predicted targets for the rows of `X`."""
        self._require_fit()
        return self._predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination of the predictions for `X`."""
        found = self.predict(X)
        truth = self._validator.target(y, len(found), np.float64, True)
        return r_squared(truth, found, self._validator.weights(sample_weight, len(found)))

    @abstractmethod
    def _predict(self, X: Any) -> Array: ...


def is_list(value: Any) -> bool:
    """Whether a value is a list, a tuple, an array or None."""
    return value is None or isinstance(value, (list, tuple, np.ndarray))


def _fit_announced(
    owner: Any, count: int, X: Any, y: Array, weight: Array | None, metadata: dict[str, Any], call: Any
) -> Any:
    position, (name, model) = call
    if not getattr(owner, "verbose", False):
        return _fit_clone(X, y, weight, metadata, model)
    with announced(owner, "", name, position, count, "Voting"):
        return _fit_clone(X, y, weight, metadata, model)


def _fit_clone(X: Any, y: Array, weight: Array | None, metadata: dict[str, Any], estimator: Any) -> Any:
    """A fitted clone of an estimator."""
    model = cloned(estimator)
    if weight is not None and not may_take_weights(model) and not routing_is_enabled():
        raise TypeError(f"{type(model).__name__} does not accept sample_weight; leave it out, or drop that estimator")
    return fitted_estimator(model, X, y, **with_weights(model, weight, metadata, takes=may_take_weights))
