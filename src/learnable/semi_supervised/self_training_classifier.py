"""Self-training."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Estimator, ParameterError, Traits, available_if, cloned, estimator, learned, param
from ..core.declare import params
from ..core.errors import warn
from ..core.roles.traits import traits_of
from ..core.runtime import context
from ..core.runtime.trace import Trace
from ..core.sklearn_api.conditional_methods import delegated
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_estimator
from ..core.sklearn_api.metadata import Route, check_metadata, requested_metadata
from ..core.validate.rows import row_count, take_rows
from ..pipeline._steps import takes_weights
from ._unlabelled import split_labels, transduced

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")


def _component(model: Any) -> Any:
    return model.__dict__.get("estimator_", model.estimator)


@estimator
class SelfTrainingClassifier(Estimator):
    """Self-training: a classifier labels the rows on which it is most confident, and is fitted to them again.

    y_i = argmax_k p(k | x_i)    for rows with max_k p(k | x_i) > threshold, or the k_best most confident ones; repeated

    -1, NaN or None in `y` says that a row has no label. Labels once given are never taken back, so that early mistakes
    stay: calibrated probabilities and a high threshold help. [Yarowsky, 1995]

    >>> from learnable import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, -1, -1, 1, 1]
    >>> SelfTrainingClassifier(LogisticRegression(), threshold=0.6).fit(X, y).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    estimator: Any = param(
        None, "classifier with predict_proba", kw_only=False,
        accepts=lambda model: model is None or is_estimator(model), says="a classifier with predict_proba",
    )  # fmt: skip
    threshold: float = param(0.75, "probability above which a row is labelled", kw_only=False, at_least=0, below=1)
    criterion: Literal["threshold", "k_best"] = param(
        "threshold", "which rows are labelled: all above the threshold, or the most confident ones", kw_only=False
    )
    k_best: int = param(10, "number of rows that an iteration labels by k_best", kw_only=False, at_least=1)
    max_iter: int | None = param(10, "maximum number of iterations; None: no limit", kw_only=False, at_least=0)
    verbose: int = param(False, "accepted for compatibility; use learnable.progress()", kw_only=False)
    estimator_: Any = learned("the classifier, fitted to all labels")
    classes_: Array = learned("the classes, sorted", shape="classes")
    transduction_: Any = learned("label of each training row, -1 if it has none at the end", shape="samples")
    labeled_iter_: Array = learned(
        "the iteration that labelled each row: 0 if it was given, -1 if none", shape="samples"
    )
    n_iter_: int = learned("number of iterations", least=0)
    termination_condition_: str = learned("why it ended: max_iter, no_change or all_labeled")

    traits = Traits(takes="parts", compares_by="", task="classification")
    title = "self-training"
    reference = "Yarowsky, Unsupervised word sense disambiguation rivaling supervised methods, ACL 1995"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Learn from rows `X` and labels `y`, -1 where there is none; further arguments go to the classifier."""
        params.check(self)
        if self.estimator is None:
            raise ParameterError("SelfTrainingClassifier: estimator must be a classifier with predict_proba; got None")
        rows = row_count(X, "SelfTrainingClassifier: X")
        self._validator.refuse_empty((rows, 1))
        check_metadata(self, "fit", {"sample_weight": sample_weight, **arguments})
        classes, codes = split_labels(self._validator, y, rows)
        weight = self._validator.weights(sample_weight, rows)
        self._warn_of(codes)
        with self._fitting(X, codes, weight) as trace:
            self.classes_, self.labeled_iter_ = classes, np.where(codes >= 0, 0, -1)
            self._train(X, codes, weight, arguments, trace)
            self.transduction_ = transduced(classes, codes)
            self.classes_ = self.estimator_.classes_
            self._remember_columns_of(self.estimator_, X)
        return self

    def _train(self, X: Any, codes: Array, weight: Array | None, arguments: dict[str, Any], trace: Trace) -> None:
        """Label rows until none is left, or none is above the threshold."""
        self.n_iter_, self.termination_condition_ = 0, "max_iter"
        while (codes < 0).any() and (self.max_iter is None or self.n_iter_ < self.max_iter):
            context.give_way()
            self.n_iter_ += 1
            model = self._fitted(X, codes, weight, arguments)
            open_rows = np.flatnonzero(codes < 0)
            sure, found = self._most_confident(model, take_rows(X, open_rows))
            codes[open_rows[sure]] = found[sure]
            self.labeled_iter_[open_rows[sure]] = self.n_iter_
            trace.record(float((codes < 0).sum()), labelled=float(len(sure)))
            if not len(sure):
                self.termination_condition_ = "no_change"
                break
            if context.reason_to_stop():
                break
        if (codes >= 0).all():
            self.termination_condition_ = "all_labeled"
        self.estimator_ = self._fitted(X, codes, weight, arguments)
        trace.adopt(self.estimator_, "the classifier was fitted to all labels, given and found")

    def _most_confident(self, model: Any, X: Any) -> tuple[Array, Array]:
        """The rows to label, and the class of all."""
        if not hasattr(model, "predict_proba"):
            raise AttributeError(
                f"{type(self).__name__}: estimator must be a classifier with predict_proba; {type(model).__name__} "
                "has none. CalibratedClassifierCV makes probabilities of its scores"
            )
        probabilities = np.asarray(model.predict_proba(X))
        found = np.searchsorted(self.classes_, model.classes_)[probabilities.argmax(axis=1)]
        largest = probabilities.max(axis=1)
        if self.criterion == "threshold":
            return np.flatnonzero(largest > self.threshold), found
        return np.sort(np.argsort(-largest, kind="stable")[: self.k_best]), found

    def _fitted(self, X: Any, codes: Array, weight: Array | None, arguments: dict[str, Any]) -> Any:
        """A clone of the classifier, fitted to the labelled rows."""
        rows = np.flatnonzero(codes >= 0)
        options = dict(arguments)
        if routing_is_enabled():
            options = requested_metadata(self.estimator, "fit", {"sample_weight": weight, **arguments})
        elif weight is not None and takes_weights(self.estimator):
            options["sample_weight"] = weight
        options = {
            name: take_rows(value, rows) if value is not None and _is_for_rows(value, len(codes)) else value
            for name, value in options.items()
        }
        return cloned(self.estimator).fit(take_rows(X, rows), self.classes_[codes[rows]], **options)

    def _warn_of(self, codes: Array) -> None:
        count = int((codes < 0).sum())
        if not count:
            warn("y contains no unlabeled samples", UserWarning)
        elif self.criterion == "k_best" and self.k_best > count:
            warn(
                "k_best is larger than the amount of unlabeled samples. All unlabeled samples will be labeled in the "
                "first iteration",
                UserWarning,
            )

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in self.__dict__

    @available_if(delegated("predict", _component))
    def predict(self, X: Any, **arguments: Any) -> Array:
        """The predicted class of each row of `X`."""
        return np.asarray(self._said("predict", X, arguments))

    @available_if(delegated("predict_proba", _component))
    def predict_proba(self, X: Any, **arguments: Any) -> Array:
        """The probability of each class for the rows of `X`."""
        return np.asarray(self._said("predict_proba", X, arguments))

    @available_if(delegated("predict_log_proba", _component))
    def predict_log_proba(self, X: Any, **arguments: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        return np.asarray(self._said("predict_log_proba", X, arguments))

    @available_if(delegated("decision_function", _component))
    def decision_function(self, X: Any, **arguments: Any) -> Array:
        """The score of each class for the rows of `X`."""
        return np.asarray(self._said("decision_function", X, arguments))

    @available_if(delegated("score", _component))
    def score(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> float:
        """The score of the classifier for `X`."""
        self._require_fit()
        given = {"sample_weight": sample_weight, **arguments}
        check_metadata(self, "score", given)
        return float(self.estimator_.score(X, y, **{name: value for name, value in given.items() if value is not None}))

    def _said(self, method: str, X: Any, arguments: dict[str, Any]) -> Any:
        """What the classifier says."""
        self._require_fit()
        check_metadata(self, method, arguments)
        return getattr(self.estimator_, method)(X, **arguments)

    def _routes(self) -> list[Route]:
        calls = {"fit": ("fit", "score"), **{method: (method,) for method in METHODS}}
        return [Route("estimator", self.estimator, calls)]

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self.estimator))


def _is_for_rows(value: Any, rows: int) -> bool:
    """Whether an argument of `fit` has an entry for each row."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict)) and len(value) == rows
