"""What chains share: every target is learned from the columns and the targets before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Estimator,
    Matrix,
    ParameterError,
    RandomState,
    Traits,
    cloned,
    fitted_estimator,
    learned,
    param,
)
from ..core.declare import params
from ..core.declare.params import REQUIRED, declaring
from ..core.roles.traits import traits_of
from ..core.runtime.random import stream
from ..core.sklearn_api.estimator_type import is_estimator
from ..core.sklearn_api.metadata import FIT_ONLY, Route, check_metadata
from ..core.validate.features import FeatureValidator
from ..engines.folds import is_splitting
from ..engines.iterate import record_components
from ..pipeline._steps import announced, may_take_weights, with_weights
from ._multioutput_base import two_columns


def _is_order(value: Any) -> bool:
    return value is None or value == "random" if isinstance(value, str) or value is None else hasattr(value, "__len__")


@declaring
class ChainBase(Estimator):
    """Estimators in a row; each sees the columns and what stands for the targets before its own."""

    estimator: Any = param(
        REQUIRED, "estimator of a single target", kw_only=False, accepts=is_estimator, says="an estimator"
    )
    order: Any = param(
        None,
        "order of the targets in the chain (None: column order)",
        accepts=_is_order,
        says='indices, "random" or None',
    )
    cv: Any = param(
        None, "folds whose predictions replace earlier targets in training (None: the true targets)",
        accepts=is_splitting, says="None, a number of folds, a splitter, or (train, test) pairs",
    )  # fmt: skip
    random_state: RandomState = param(None, "seed of a random order")
    verbose: bool = param(False, "whether to print how long each fit of the chain took")
    order_: Array = learned("the order of the targets", shape="targets", index="targets")
    estimators_: Any = learned("the fitted estimators, in this order")

    traits = Traits(takes="numbers", single_target=False, multi_target=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit a clone of the estimator to every column of `y`, one after the other."""
        params.check(self)
        check_metadata(self, "fit", {"sample_weight": sample_weight, **arguments})
        validator = self._validator
        matrix, names = self._enter(X)
        facts, target = self._targets(y, matrix.shape[0])
        weight = validator.weights(sample_weight, matrix.shape[0])
        with self._fitting(matrix, target, weight) as trace:
            self._remember_columns(matrix, names)
            self.__dict__.update(facts)
            self.order_ = self._order(target.shape[1])
            self._begin()
            self._fit_in_order(matrix, target, weight, arguments)
            record_components(trace, self.estimators_)
        return self

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        """What is learned of the targets themselves, and their columns."""
        return {}, two_columns(type(self).__name__, self._validator.target(y, rows, np.float64, True))

    def _begin(self) -> None:
        """What is decided before the first link."""

    @property
    def _link(self) -> str:
        """The method whose predictions replace the previous targets."""
        return "predict"

    def _fit_in_order(self, X: Matrix, target: Array, weight: Array | None, arguments: dict[str, Any]) -> None:
        self.estimators_ = []
        before = np.empty((X.shape[0], 0))
        for link, place in enumerate(self.order_.tolist(), start=1):
            table, column = _beside(X, before), np.ascontiguousarray(target[:, place])
            model = cloned(self.estimator)
            more = with_weights(model, weight, arguments, takes=may_take_weights)
            with announced(self, "", f"order {place}", link, len(self.order_), "Chain"):
                self.estimators_.append(fitted_estimator(model, table, column, **more))
            if self.cv is not None and len(self.estimators_) < len(self.order_):
                column = self._crossed(table, column, more)
            if len(self.estimators_) < len(self.order_):
                before = np.column_stack([before, column])

    def _crossed(self, table: Matrix, column: Array, options: dict[str, Any]) -> Array:
        """Out-of-fold predictions of each row."""
        from ..model_selection import cross_val_predict

        method: Any = self._link
        found = cross_val_predict(self.estimator, table, column, cv=self.cv, method=method, params=options)
        return np.asarray(found[:, 1] if np.ndim(found) > 1 else found)

    def _order(self, targets: int) -> Array:
        if self.order is None:
            return np.arange(targets)
        if isinstance(self.order, str):
            return stream(self.random_state).permutation(targets)
        found = np.asarray(self.order)
        if sorted(found.tolist()) != list(range(targets)):
            raise ParameterError(
                f"{type(self).__name__}: invalid order: it must name each of the {targets} targets once; "
                f"got {self.order!r:.60}"
            )
        return found

    def _chain_outputs(self, X: Any, method: str) -> Array:
        """What the links say by `method`, a column for every target."""
        table = self._read(X)
        before = np.empty((table.shape[0], 0))
        found: dict[int, Array] = {}
        for place, model in zip(self.order_.tolist(), self.estimators_, strict=True):
            beside = _beside(table, before)
            link = _response(model, beside, self._link)
            found[place] = link if method == self._link else _response(model, beside, method)
            before = np.column_stack([before, link])
        predictions = np.column_stack([found[place] for place in range(len(found))])
        return predictions.astype(table.dtype, copy=False) if self.traits.task == "regression" else predictions

    def predict(self, X: Any) -> Array:
        """The predicted targets of the rows of `X`."""
        return self._chain_outputs(X, "predict")

    @property
    def _validator(self) -> FeatureValidator:
        return FeatureValidator(type(self).__name__, self._effective_traits().sparse, "csr", "refuse")

    def _routes(self) -> list[Route]:
        return [Route("estimator", self.estimator, FIT_ONLY)]

    def _effective_traits(self) -> Traits:
        return replace(self.traits, sparse=traits_of(self.estimator).sparse)


def _beside(X: Matrix, columns: Array) -> Matrix:
    """A table with more columns."""
    if columns.shape[1] == 0:
        return X
    if isinstance(X, np.ndarray):
        return np.hstack([X, columns.astype(X.dtype)])
    from scipy.sparse import csr_array, hstack

    return hstack([X, csr_array(columns.astype(X.dtype))], format="csr")


def _response(model: Any, X: Matrix, method: str) -> Array:
    """One number for every row: a prediction, a score, or the probability of the second class."""
    found = np.asarray(getattr(model, method)(X))
    if found.ndim == 1:
        return found
    if found.shape[1] > 2:
        raise ParameterError(
            f"{method} gives {found.shape[1]} columns; a chain of several classes hands on predictions"
        )
    return np.asarray(found[:, -1])
