"""Base class of stacking: a final estimator fitted to out-of-fold predictions of others."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...core import (
    Array,
    Matrix,
    Trace,
    WithContainers,
    available_if,
    cloned,
    declaring,
    fitted_estimator,
    learned,
    param,
)
from ...core.errors import DataError, ParameterError
from ...core.sklearn_api.conditional_methods import delegated
from ...core.sklearn_api.configuration import routing_is_enabled
from ...core.sklearn_api.metadata import Route, check_metadata, requested_metadata
from ...core.validate.columns import numbered_names
from ...engines.folds import estimator_folds, is_splitting
from ...model_selection.validation import cross_val_predict
from ...pipeline._steps import takes_weights, with_weights
from .._boosting.adaboost_base import is_estimator_or_none
from .voting_base import NO_ARGUMENTS, VotingBase, _fit_clone

Method = Literal["auto", "predict_proba", "decision_function", "predict"]
ORDER = ("predict_proba", "decision_function", "predict")


@declaring
class StackingBase(VotingBase, WithContainers):
    """Base class of stacked estimators: out-of-fold predictions are the features of the final estimator."""

    final_estimator: Any = param(
        None,
        "meta-estimator fitted to the out-of-fold predictions",
        kw_only=False,
        accepts=is_estimator_or_none,
        says="an estimator or None",
    )
    cv: Any = param(
        None, 'cross-validation folds, as in cross_validate (None: 5), or "prefit"', says='folds or "prefit"',
        accepts=lambda value: value == "prefit" if isinstance(value, str) else is_splitting(value),
    )  # fmt: skip
    passthrough: bool = param(False, "whether the final estimator is given the columns of X too")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    final_estimator_: Any = learned("the fitted final estimator")
    stack_method_: list[str] = learned("prediction method called on each estimator")

    def _unsound(self) -> str:
        known = len(self.stack_method_) == len(self.estimators_) and set(self.stack_method_) <= set(ORDER)
        return "" if known else f"stack_method_ must name a method of {', '.join(ORDER)} for each estimator"

    def _fit_all(
        self, X: Any, target: Array, weight: Array | None, trace: Trace, metadata: dict[str, Any] = NO_ARGUMENTS
    ) -> None:
        self.stack_method_ = [self._method(name, model) for name, model in self._active()]
        prefit = isinstance(self.cv, str)
        if len(target) < 2 and not prefit:
            raise DataError(f"{type(self).__name__}: n_samples=1: cross-validation needs at least two rows")
        if prefit:
            self.estimators_ = [model for _, model in self._active()]
            predictions = self._predictions(X)
        else:
            self.estimators_ = [_fit_clone(X, target, weight, metadata, model) for _, model in self._active()]
            predictions = self._out_of_fold(X, target, weight, metadata)
        final = cloned(self._final())
        if weight is not None and not takes_weights(final) and not routing_is_enabled():
            raise TypeError(
                f"{type(final).__name__} does not accept sample_weight; leave it out, or choose another final_estimator"
            )
        more = {"sample_weight": weight} if takes_weights(final) and weight is not None else {}
        self.final_estimator_ = fitted_estimator(final, self._join(X, predictions), target, **more)
        trace.adopt(self.final_estimator_, "the final estimator was fitted to out-of-fold predictions")

    def _out_of_fold(self, X: Any, target: Array, weight: Array | None, metadata: dict[str, Any]) -> list[Any]:
        """Out-of-fold predictions of each estimator, in the same folds for all.

        The probability of a class that a fold does not have is zero.
        """
        predictions = []
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A fold trains on", RuntimeWarning)
            folds = estimator_folds(type(self).__name__, self, X, target, None, self.cv, len(target))
            for (_, model), method in zip(self._active(), self.stack_method_, strict=True):
                more: Any = {
                    "cv": folds,
                    "method": method,
                    "n_jobs": self.n_jobs,
                    "params": with_weights(model, weight, metadata),
                }
                found = cross_val_predict(cloned(model), X, target, **more)
                predictions.append(found if isinstance(found, list) else np.asarray(found))
        return predictions

    @abstractmethod
    def _final(self) -> Any: ...

    def _routes(self) -> list[Route]:
        final = self.__dict__.get("final_estimator_", self._final())
        return [*super()._routes(), Route("final_estimator_", final, {"predict": ("predict",)})]

    def _final_arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of `predict` that the final estimator is given."""
        check_metadata(self, "predict", arguments)
        if arguments and routing_is_enabled():
            return requested_metadata(self.final_estimator_, "predict", arguments)
        return arguments

    def _method(self, name: str, model: Any) -> str:
        return "predict"

    def _join(self, X: Any, predictions: list[Any]) -> Matrix:
        """Predictions as columns; of the probabilities of two classes only the second."""
        columns = []
        several = isinstance(self.__dict__.get("classes_"), list)  # of labels
        for prediction in predictions:
            if isinstance(prediction, list):  # the probabilities of each label
                columns.append(np.column_stack([np.asarray(of_label)[:, 1:] for of_label in prediction]))
                continue
            table = np.asarray(prediction)
            table = table.reshape(len(table), -1)
            table = table if table.dtype.kind == "f" else table.astype(np.float64)
            columns.append(
                table[:, 1:] if table.shape[1] == 2 and self.traits.task == "classification" and not several else table
            )
        if not self.passthrough:
            return np.hstack(columns)
        if hasattr(X, "toarray"):
            from scipy import sparse

            return sparse.hstack([*columns, X], format="csr")
        rows = np.asarray(X)
        if rows.ndim != 2:
            raise DataError(
                f"{type(self).__name__}: passthrough gives the columns of X to the final estimator, and X has none: it "
                f"has {rows.ndim} dimension; set passthrough=False"
            )
        return np.hstack([*columns, rows])

    def transform(self, X: Any) -> Any:
        """Predictions of the estimators for the rows of `X`, and the rows themselves with `passthrough`."""
        from ...core.sklearn_api.output_containers import wrapped

        self._require_fit()
        return wrapped(self._features(X), X, self)

    def _features(self, X: Any) -> Matrix:
        return self._join(X, self._predictions(X))

    def _predictions(self, X: Any) -> list[Any]:
        """Predictions of each estimator by its stack method."""
        return [getattr(model, method)(X) for model, method in zip(self.estimators_, self.stack_method_, strict=True)]

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit, and return the predictions of the estimators for the same rows."""
        return self.fit(X, y, sample_weight, **arguments).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`."""
        self._require_fit()
        prefix, names = type(self).__name__.lower(), []
        known = getattr(self, "classes_", ())
        labels, classes = isinstance(known, list), len(known)
        for (name, _), method in zip(self._active(), self.stack_method_, strict=True):
            several = labels or (classes > 2 and method != "predict")
            names += [f"{prefix}_{name}{k}" for k in range(classes)] if several else [f"{prefix}_{name}"]
        if self.passthrough:
            own = getattr(self, "feature_names_in_", None)
            given = input_features if input_features is not None else own
            names += numbered_names(type(self).__name__, self.n_features_in_) if given is None else list(given)
        return np.array(names, dtype=object)


def resolve_stack_method(requested: str, name: str, model: Any, owner: str) -> str:
    """The requested prediction method, or the most informative one that an estimator has."""
    found = [method for method in (ORDER if requested == "auto" else (requested,)) if hasattr(model, method)]
    if not found:
        raise ParameterError(f"{owner}: {name} has no {requested}; choose another stack_method")
    return found[0]


def _final_has(method: str) -> Callable[[Any], bool]:
    return delegated(method, lambda model: model.__dict__.get("final_estimator_", model._final()))


final_has_predict_proba = available_if(_final_has("predict_proba"))
final_has_decision_function = available_if(_final_has("decision_function"))
