"""Regression on a transformed target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..core import DataError, Estimator, ParameterError, Traits, cloned, estimator, fitted_estimator, learned, param
from ..core.declare import params
from ..core.errors import warn
from ..core.r2 import r_squared
from ..core.roles.traits import traits_of
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.metadata import Route, check_metadata, requested_metadata
from ..core.validate.features import Array
from ..core.validate.rows import row_count
from ..core.validate.targets import shape_of
from ..pipeline._steps import with_weights

_WORDS = "None or an estimator"


def _learns(value: Any) -> bool:
    return value is None or hasattr(value, "fit")


@estimator
class TransformedTargetRegressor(Estimator):
    """Regression with a target transformation before the fit and its inverse after prediction.

    f(x) = g^-1(r(x))    with r fitted to g(y)

    g is a transformer, or a pair of functions such as log and exp. `check_inverse` compares g^-1(g(y)) with y on some
    rows and warns where they differ.

    >>> import numpy as np
    >>> from learnable import LinearRegression
    >>> model = TransformedTargetRegressor(LinearRegression(), func=np.log, inverse_func=np.exp)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 10.0, 100.0]).predict([[3.0]]).round(6)
    array([1000.])
    """

    traits = Traits(takes="parts", multi_target=True, task="regression")
    title = "target transformation"
    reference = "Box and Cox, 1964"

    regressor: Any = param(
        None,
        "regressor of the transformed target (None: LinearRegression)",
        kw_only=False,
        accepts=_learns,
        says=_WORDS,
    )
    transformer: Any = param(None, "transformer of the target, instead of functions", accepts=_learns, says=_WORDS)
    func: Callable[..., Any] | None = param(None, "function of the target (None: identity)")
    inverse_func: Callable[..., Any] | None = param(None, "inverse of func")
    check_inverse: bool = param(True, "whether to compare some targets with what comes back")

    regressor_: Any = learned("the fitted regressor")
    transformer_: Any = learned("the fitted transformer of the target")
    flat_: bool = learned("whether the target has one dimension")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit the regressor to the transformed target."""
        params.check(self)
        check_metadata(self, "fit", {"sample_weight": sample_weight, **arguments})
        self._check_functions()
        truth = self._truth(y, row_count(X))
        with self._fitting(X, truth, sample_weight) as trace:
            self.flat_ = truth.ndim == 1
            column = truth[:, None] if self.flat_ else truth
            self.transformer_ = self._transformer().fit(column)
            with np.errstate(all="ignore"):  # what is not a number is named below
                target = np.asarray(self.transformer_.transform(column))
            self._refuse_unfit(column, target)
            if self.check_inverse:
                self._compare(column[:: max(1, len(column) // 10)])
            target = target[:, 0] if self.flat_ and target.ndim == 2 and target.shape[1] == 1 else target
            inner = cloned(self._regressor())
            self.regressor_ = fitted_estimator(inner, X, target, **with_weights(inner, sample_weight, arguments))
            self._remember_columns_of(inner)
            trace.adopt(inner, "the regressor was fitted to the transformed target")
        return self

    def _truth(self, y: Any, rows: int) -> Array:
        """The target as numbers, of any number of dimensions if a transformer is to flatten them."""
        shape = shape_of(y)
        if len(shape) < 3:
            return self._validator.target(y, rows, np.float64, True)
        return self._validator.target(np.reshape(y, (shape[0], -1)), rows, np.float64, True).reshape(shape)

    def _regressor(self) -> Any:
        if self.regressor is not None:
            return self.regressor
        import learnable

        return learnable.LinearRegression().set_fit_request(sample_weight=True)

    def _check_functions(self) -> None:
        if self.transformer is not None and (self.func is not None or self.inverse_func is not None):
            raise ParameterError(
                "TransformedTargetRegressor: give a transformer, or func and inverse_func, but not both"
            )
        if (self.func is None) != (self.inverse_func is None):
            lone, other = ("func", "inverse_func") if self.inverse_func is None else ("inverse_func", "func")
            raise ParameterError(f"TransformedTargetRegressor: when {lone!r} is given, {other!r} must be given too")

    def _transformer(self) -> Any:
        if self.transformer is not None:
            return cloned(self.transformer)
        from ..preprocessing import FunctionTransformer

        return FunctionTransformer(self.func, self.inverse_func, check_inverse=False)

    def _compare(self, column: Array) -> None:
        back = self.transformer_.inverse_transform(self.transformer_.transform(column))
        if not np.allclose(column, back):
            warn(
                "TransformedTargetRegressor: going there and back does not give the same targets; check_inverse=False "
                "accepts that",
                UserWarning,
            )

    def _refuse_unfit(self, column: Array, target: Array) -> None:
        """Say which target the transformation makes no number of, before the regressor blames y."""
        bad = ~np.isfinite(np.asarray(target, dtype=np.float64).reshape(len(column), -1)).all(axis=1)
        if bad.any():
            row, who = int(np.argmax(bad)), "func" if self.transformer is None else "transformer"
            raise DataError(
                f"TransformedTargetRegressor: {who} makes {target[row].tolist()} of the target "
                f"{column[row].tolist()} in row {row}; choose one that is defined for all targets"
            )

    def __sklearn_is_fitted__(self) -> bool:
        return "regressor_" in self.__dict__

    def predict(self, X: Any, **arguments: Any) -> Array:
        """Predictions in the units of the target."""
        self._require_fit()
        check_metadata(self, "predict", arguments)
        if arguments and routing_is_enabled():
            arguments = requested_metadata(self.regressor_, "predict", arguments)
        predicted = np.asarray(self.regressor_.predict(X, **arguments))
        back = np.asarray(self.transformer_.inverse_transform(predicted.reshape(len(predicted), -1)))
        return back[:, 0] if self.flat_ and back.ndim == 2 and back.shape[1] == 1 else back

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² of the predictions, in the units of the target."""
        predicted = self.predict(X)
        weight = self._validator.weights(sample_weight, len(predicted))
        return r_squared(self._validator.target(y, len(predicted), np.float64, True), predicted, weight)

    def _routes(self) -> list[Route]:
        return [Route("regressor", self._regressor(), {"fit": ("fit",), "predict": ("predict",)})]

    def _effective_traits(self) -> Traits:
        inside = traits_of(self._regressor())
        return replace(self.traits.accepting(inside), multi_target=inside.multi_target)
