"""Base class of linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...core import Array, Data, DataError, Matrix, ParameterError, Trace, declaring, learned, param
from ...core.declare import params
from ...core.r2 import r_squared
from ...core.roles.regressor import NumberPredictor
from ...core.runtime.random import generator, seed_of
from ...engines import matrix_products
from ...engines.iterate import State, iterate
from ...engines.minimise.gradient_descent.sgd import initial_state
from ...engines.sparse_coefficients import flat
from .sgd_base import ValidationSet, certify, checked_start, divergence_message, method_of
from .sgd_params import SGDEstimator


@declaring
class SGDRegressorBase(SGDEstimator, NumberPredictor):
    """Base class of linear regression by stochastic gradient descent."""

    average: bool | int = param(False, "whether to average the coefficients, or from which step on", at_least=0)
    coef_: Matrix = learned("coefficient of each column", shape="one? features", matrix=True)
    intercept_: Array = learned("intercept of the model", shape="one")
    standard_coef_: Array = learned("coefficients before averaging", shape="features", optional=True)
    standard_intercept_: Array = learned("intercept before averaging", shape="one", optional=True)
    average_coef_: Array = learned("average of the coefficients", shape="features", optional=True)
    average_intercept_: Array = learned("average of the intercept", shape="one", optional=True)

    single_output = True

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and targets `y`, starting at the given weights and intercept, if any."""
        params.check(self)
        config = self._sgd_config()
        config.check(type(self).__name__)
        data, names = self._training_data(X, y, sample_weight)
        start = self._initial_state(data, coef_init, intercept_init)
        with self._fitting(data.X, data.y, data.weight, start["coef"], start["numbers"]) as trace:
            self._remember_columns(data.X, names)
            self._fit(data, trace, start)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the rows given, continuing from the previous call."""
        params.check(self)
        self._sgd_config().check(type(self).__name__)
        if self.early_stopping:
            raise ParameterError(f"{type(self).__name__}: early_stopping must be False with partial_fit")
        data, names = self._training_data(X, y, sample_weight)
        known = "coef_" in self.__dict__
        if known:
            self._check_columns(data.X, names)
        start = self._resumed_state() if known else self._initial_state(data, None, None)
        with self._fitting(data.X, data.y, data.weight, start["coef"], start["numbers"]) as trace:
            if not known:
                self._remember_columns(data.X, names)
            self._fit(data, trace, start, once=True)
        return self

    def _fit(self, data: Data, trace: Trace, start: State | None = None, once: bool = False) -> None:
        start = start if start is not None else self._initial_state(data, None, None)
        tol = -np.inf if once or self.tol is None else self.tol
        config, seed = self._sgd_config(), int(generator(seed_of(self.random_state)).integers(2**63))
        numbers = Data(data.X, data.y.astype(np.float64), data.weight, data.names)
        validation = ValidationSet.of(self, numbers, r_squared)
        method = method_of(self, numbers, start, tol, seed, validation)
        state = iterate(method, 1 if once else self.max_iter, trace)
        if not np.isfinite(state["objective"]):
            raise DataError(divergence_message(self, config, method, state))
        self.n_iter_ = trace.iterations
        self._keep(state, data.X.dtype)
        certify(self, config, trace, [method], [state], whole=not once)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, flat(self.coef_), self.intercept_[0])

    def _initial_state(self, data: Data, coef_init: Any, intercept_init: Any) -> State:
        """The initial state of `fit`: zero, the given values, or with `warm_start` the previous ones."""
        coef, intercept = np.zeros(data.p), np.zeros(1)
        if self.warm_start and "coef_" in self.__dict__:
            coef = self.__dict__.get("standard_coef_", flat(self.coef_))
            intercept = self.__dict__.get("standard_intercept_", self.intercept_)
        coef = checked_start(self, "coef_init", coef if coef_init is None else coef_init, (data.p,))
        intercept = checked_start(self, "intercept_init", intercept if intercept_init is None else intercept_init, (1,))
        return initial_state(self._sgd_config().settings(1.0), coef, float(intercept[0]))

    def _resumed_state(self) -> State:
        """The initial state of `partial_fit`: that after the previous call."""
        settings = self._sgd_config().settings(1.0)
        if not settings.average_from:
            return initial_state(settings, flat(self.coef_), self.intercept_[0], t=self.t_)
        return initial_state(
            settings,
            self.__dict__.get("standard_coef_", flat(self.coef_)),
            self.__dict__.get("standard_intercept_", self.intercept_)[0],
            self.__dict__.get("average_coef_"),
            self.__dict__.get("average_intercept_", [0.0])[0],
            self.t_,
        )

    def _keep(self, state: State, dtype: Any) -> None:
        numbers = state["numbers"]
        self.coef_, self.intercept_ = state["coef"].astype(dtype), numbers[:1].astype(dtype)
        self.t_ = float(numbers[2])
        average = self._sgd_config().average
        if average:
            kept: dict[str, Any] = self.__dict__
            kept["standard_coef_"], kept["standard_intercept_"] = self.coef_, self.intercept_
            kept["average_coef_"], kept["average_intercept_"] = (
                state["average"].astype(dtype), numbers[1:2].astype(dtype),
            )  # fmt: skip
            if average <= self.t_ - 1:
                self.coef_, self.intercept_ = kept["average_coef_"], kept["average_intercept_"]
