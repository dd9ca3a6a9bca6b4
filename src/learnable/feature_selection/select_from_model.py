"""Columns that matter to a model."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    ParameterTypeError,
    Trace,
    Traits,
    available_if,
    cloned,
    estimator,
    learned,
    param,
)
from ..core.declare import params
from ..core.errors import not_fitted
from ..core.sklearn_api.conditional_methods import delegated
from ..core.sklearn_api.estimator_type import is_fitted
from ._wrapper_base import Wrapper, fitted, importances


def _is_order(value: Any) -> bool:
    return bool(abs(value) >= 1)


@estimator
class SelectFromModel(Wrapper):
    """Model-based feature selection: features whose coefficient or importance reaches a threshold.

    choose the columns j with |w_j| >= threshold

    One fit. With a model that sets weights to zero, such as a Lasso, the threshold is 1e-5: what is selected is what
    the penalty selects. Otherwise it is the mean importance. With `prefit` no fit is needed. [Tibshirani, 1996]

    >>> from learnable import Lasso
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0.0, 1.0, 2.0, 3.0]
    >>> SelectFromModel(Lasso(alpha=0.5)).fit(X, y).get_support()
    array([ True, False])
    """

    title = "model-based feature selection"
    reference = "Tibshirani, 1996"
    traits = Traits(uses_target="if given")

    threshold: float | str | None = param(
        None, 'minimum importance: a number, "mean", "median" or "1.25*mean"', infinite=True
    )
    prefit: bool = param(False, "whether the estimator is fitted already")
    norm_order: int | float = param(
        1, "norm that joins the weights of several targets", infinite=True, accepts=_is_order, says="not within 1 of 0"
    )
    max_features: int | Callable[..., Any] | None = param(
        None, "maximum number of selected columns, or a function of X", at_least=0
    )
    importance_getter: str | Callable[..., Any] = param(
        "auto", "attribute with the feature importances, or a function of the fitted model"
    )

    estimator_: Any = learned("the fitted estimator")
    max_features_: int = learned("maximum number of selected columns", optional=True)

    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None:
        self._limit(data.X)
        target = data.y if len(data.y) else None
        owner = type(self).__name__
        self.estimator_ = (
            deepcopy(self._given()) if self.prefit else fitted(self.estimator, data.X, target, data.weight, owner)
        )
        self._certify(trace)

    def _limit(self, X: Matrix) -> None:
        if self.max_features is None:
            return
        most = self.max_features(X) if callable(self.max_features) else self.max_features
        if not isinstance(most, (int, np.integer)):
            raise ParameterTypeError(f"SelectFromModel: max_features must be an instance of int; got {most!r}")
        if most < 0:
            raise ParameterError(f"SelectFromModel: max_features must be a whole number of at least 0; got {most!r}")
        self.max_features_ = int(most)

    def _given(self) -> Any:
        """The estimator, which was fitted before."""
        if not is_fitted(self.estimator):
            raise not_fitted(self.estimator)
        return self.estimator

    def _certify(self, trace: Trace) -> None:
        _ = self.threshold_  # complains where there are no importances, or no such threshold
        trace.adopt(self.estimator_, "the columns that reach the threshold in the fitted model")

    @available_if(delegated("partial_fit", lambda selector: selector.estimator))
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Self:
        """Update the estimator with a batch of rows; `arguments` such as `classes` are passed to it."""
        params.check(self)
        data, begun = self._training_data(X, y, sample_weight), "estimator_" in self.__dict__
        if begun:
            self._check_columns(data.X, data.names)
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            if not begun:
                self._limit(data.X)
                self.estimator_ = deepcopy(self._given()) if self.prefit else cloned(self.estimator)
            self._remember_columns(data.X, data.names)
            if not self.prefit:
                extra = arguments if data.weight is None else {"sample_weight": data.weight, **arguments}
                self.estimator_.partial_fit(data.X, data.y if len(data.y) else None, **extra)
            self._certify(trace)
        return self

    @property
    def threshold_(self) -> float:
        """The importance that a column must reach."""
        return threshold_of(self._model, self._scores(), self.threshold)

    @property
    def _model(self) -> Any:
        return self.__dict__.get("estimator_", self.estimator)

    def _scores(self) -> Array:
        return importances(self._model, self.importance_getter, "norm", float(self.norm_order))

    def _support(self) -> Array:
        scores = self._scores()
        mask = np.ones(len(scores), dtype=bool)
        most = self.__dict__.get("max_features_", self.max_features)
        if callable(most):
            raise not_fitted(self)
        if most is not None and not isinstance(most, (int, np.integer)):
            raise ParameterError(f"SelectFromModel: `max_features` must be an integer; got {most!r}")
        if most is not None:
            mask[np.argsort(-scores, kind="stable")[most:]] = False
        return mask & ~(scores < self.threshold_)

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in self.__dict__ or (self.prefit and is_fitted(self.estimator))

    def _read(self, X: Any) -> Matrix:
        self._know_columns()
        return super()._read(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that are kept."""
        self._know_columns()
        return super().get_feature_names_out(input_features)

    def _know_columns(self) -> None:
        """Of an estimator that is fitted already, what it knows of the columns: it needs no fit here."""
        if self.prefit and "estimator_" not in self.__dict__:
            self._remember_columns_of(self._given())
            self.n_features_in_ = len(self._scores())


def threshold_of(model: Any, scores: Array, threshold: float | str | None) -> float:
    """The threshold as a number."""
    if threshold is None:
        threshold = 1e-5 if _sets_weights_to_zero(model) else "mean"
    if not isinstance(threshold, str):
        return float(threshold)
    scale, star, name = threshold.rpartition("*")
    references: dict[str, Callable[[Array], Any]] = {"mean": np.mean, "median": np.median}
    try:
        return float(scale if star else 1.0) * float(references[name.strip()](scores))
    except (KeyError, ValueError):
        raise ParameterError(
            f"SelectFromModel: threshold is a number, 'mean' or 'median', or a multiple such as '1.25*mean'; got "
            f"{threshold!r}"
        ) from None


def _sets_weights_to_zero(model: Any) -> bool:
    """Whether the model has a penalty on absolute weights and no other."""
    name = type(model).__name__
    ratio = getattr(model, "l1_ratio_" if name.endswith("CV") else "l1_ratio", None)
    alone = ratio is not None and np.all(np.isclose(np.asarray(ratio, dtype=np.float64), 1.0))
    families = ("ElasticNet", "ElasticNetCV", "LogisticRegression", "LogisticRegressionCV")
    return getattr(model, "penalty", None) == "l1" or "Lasso" in name or (name in families and bool(alone))
