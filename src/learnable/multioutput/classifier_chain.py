"""Classifiers in a chain."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, Traits, available_if, estimator, learned, param
from ..core.roles.classifier import accuracy_of
from ..multiclass._multiclass_base import all_have
from ._chain_base import ChainBase

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def _known(value: Any) -> bool:
    return all(method in METHODS for method in ([value] if isinstance(value, str) else value)) and bool(value)


def _refuse_words(labels: Array) -> None:
    """Raise a `DataError` for the first label that is not a number."""
    for row, values in enumerate(labels.tolist()):
        for value in values:
            if not isinstance(value, Real):
                raise DataError(
                    f"ClassifierChain: y holds {value!r:.40} in row {row}, but the labels are features of the next "
                    "classifiers in the chain and must be numeric; encode y first, e.g. with OrdinalEncoder"
                )


@estimator
class ClassifierChain(ChainBase):
    """Classifier chain for multi-label targets: each classifier also sees the preceding targets.

    f_k(x) = g_k(x, f_1(x), ..., f_{k-1}(x)),    g_k fitted to target k with the true targets before it

    Models dependence between labels, in a fixed order. Labels are numbers. `chain_method` says what is handed on
    when it predicts, or several of which the first available is taken. [Read et al., 2009]

    >>> from learnable import DummyClassifier
    >>> model = ClassifierChain(DummyClassifier()).fit([[0.0], [1.0], [2.0]], [[0, 1], [0, 1], [1, 0]])
    >>> model.predict([[3.0]])
    array([[0, 1]])
    """

    chain_method: str | list[Any] | tuple[Any, ...] = param(
        "predict", "what is handed on: predict, predict_proba, predict_log_proba or decision_function",
        accepts=_known, says="one or several of these names",
    )  # fmt: skip
    chain_method_: str = learned("what is handed on")

    flat_: bool = learned("whether the target has one dimension")

    traits = Traits(single_target=True, task="classification")
    title = "classifier chain"
    reference = "Read, Pfahringer, Holmes and Frank, Classifier chains for multi-label classification, 2009"

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        labels = self._validator.any_target(y, rows, several=True)
        for column in labels.reshape(rows, -1).T:
            self._validator.classes(column, rows)  # says what is not a class
        if labels.ndim == 1:
            return {"flat_": True}, labels[:, None]
        if labels.dtype.kind not in "fiub":
            _refuse_words(labels)
        numbers = self._validator.target(labels, rows, np.float64, True)  # what is handed on is a column
        return {"flat_": False}, labels if labels.dtype.kind in "iub" else numbers

    def _begin(self) -> None:
        requested = [self.chain_method] if isinstance(self.chain_method, str) else list(self.chain_method)
        there = [method for method in requested if hasattr(self.estimator, method)]
        if not there:
            raise ParameterError(
                f"ClassifierChain: {type(self.estimator).__name__} has no {', '.join(requested)}; choose another "
                "chain_method"
            )
        self.chain_method_ = there[0]

    @property
    def _link(self) -> str:
        return self.chain_method_

    @property
    def classes_(self) -> Any:
        """The classes of each target, in the order of the chain; of the only one, if it has one dimension."""
        found = [part.classes_ for part in self.__dict__["estimators_"]]
        return found[0] if self.flat_ else found

    def _chain_outputs(self, X: Any, method: str) -> Array:
        self._require_fit()
        if not self.flat_:
            return super()._chain_outputs(X, method)
        return np.asarray(getattr(self.estimators_[0], method)(self._read(X)))

    @available_if(all_have("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """The probability of the second class of every target."""
        return self._chain_outputs(X, "predict_proba")

    @available_if(all_have("predict_proba"))
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._chain_outputs(X, "predict_proba")))

    @available_if(all_have("decision_function"))
    def decision_function(self, X: Any) -> Array:
        """The score of the second class of every target."""
        return self._chain_outputs(X, "decision_function")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Subset accuracy: the fraction of rows of `X` whose targets are all predicted correctly."""
        return accuracy_of(self, self.predict(X), y, sample_weight)
