"""Base class of linear classifiers by stochastic gradient descent: one versus rest, or one hyperplane for two."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ...core import Array, Data, DataError, Matrix, ParameterError, Trace, declaring, learned, param
from ...core.declare import params
from ...core.runtime.random import generator, seed_of
from ...engines.iterate import State, iterate
from ...engines.linear_decision import LinearDecision
from ...engines.lockstep import Lockstep
from ...engines.minimise.gradient_descent.sgd import initial_state
from ...engines.sparse_coefficients import dense
from ...parts.class_weights import class_weights
from .._logistic.logistic_objective import refuse_one_class
from .sgd_base import ValidationSet, certify, checked_start, divergence_message, method_of
from .sgd_params import SGDEstimator


@declaring
class SGDClassifierBase(SGDEstimator, LinearDecision):
    """Base class of linear classifiers by stochastic gradient descent."""

    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weights of the classes, which multiply their steps"
    )
    classes_: Array = learned("class labels, sorted", shape="classes")
    coef_: Matrix = learned(
        "coefficient of each column, for each class or for the second of two", shape="planes features", matrix=True
    )
    intercept_: Array = learned("intercept of the model", shape="planes")

    def fit(  # type: ignore[override]  # scikit-learn has the starting values before the weights
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from rows `X` and their classes `y`, starting at the given weights and intercepts, if any."""
        params.check(self)
        self._sgd_config().check(type(self).__name__)
        matrix, names = self._enter(X)
        if "n_features_in_" in self.__dict__ and self.warm_start:
            self._check_columns(matrix, names)
        rows = matrix.shape[0]
        classes, codes = self._validator.classes(y, rows)
        data = Data(matrix, codes, self._validator.weights(sample_weight, rows), names)
        refuse_one_class(type(self).__name__, classes, codes, data.weight)
        starts = self._initial_state(data, classes, coef_init, intercept_init)
        with self._fitting(data.X, data.y, data.weight, *(start["coef"] for start in starts)) as trace:
            self._remember_columns(matrix, names)
            self.classes_ = classes
            self._fit(data, trace, starts)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over the rows given; the first call needs all `classes`."""
        params.check(self)
        self._sgd_config().check(type(self).__name__)
        if self.early_stopping:
            raise ParameterError(f"{type(self).__name__}: early_stopping must be False with partial_fit")
        if self.class_weight == "balanced":
            raise ParameterError(
                f"{type(self).__name__}: partial_fit sees only part of the rows and cannot balance classes; pass their "
                "weights as a dictionary for class_weight"
            )
        matrix, names = self._enter(X)
        known = "coef_" in self.__dict__
        if known:
            self._check_columns(matrix, names)
        every = self._all_classes(classes, known)
        data = Data(
            matrix, self._codes(y, matrix.shape[0], every), self._validator.weights(sample_weight, len(y)), names
        )
        starts = self._resumed_state() if known else self._initial_state(data, every, None, None)
        with self._fitting(data.X, data.y, data.weight, *(start["coef"] for start in starts)) as trace:
            if not known:
                self._remember_columns(matrix, names)
            self.classes_ = every
            self._fit(data, trace, starts, once=True)
        return self

    def _fit(self, data: Data, trace: Trace, starts: list[State] | None = None, once: bool = False) -> None:
        starts = starts if starts is not None else self._initial_state(data, self.classes_, None, None)
        methods = self._methods(data, starts, -np.inf if once or self.tol is None else self.tol)
        states: list[State] = iterate(Lockstep(methods), 1 if once else self.max_iter, trace)["parts"]
        lost = [index for index, state in enumerate(states) if not np.isfinite(state["objective"])]
        if lost:
            raise DataError(divergence_message(self, self._sgd_config(), methods[lost[0]], states[lost[0]]))
        self.n_iter_ = trace.iterations
        self._keep(states, data.X.dtype)
        self._certify(trace, methods, states, whole=not once)

    def _methods(self, data: Data, starts: list[State], tol: float) -> list[Any]:
        """One SGD method for each hyperplane."""
        seed = seed_of(self.random_state)
        validation = ValidationSet.of(self, data, _accuracy, data.y)
        return [
            method_of(
                self, Data(data.X, signs, weight, data.names), start, tol,
                int(generator(seed, index).integers(2**63)), validation,
            )
            for index, (signs, weight, start) in enumerate(zip(*self._planes(data), starts, strict=True))
        ]  # fmt: skip

    def _certify(self, trace: Trace, methods: list[Any], states: list[State], whole: bool) -> None:
        certify(self, self._sgd_config(), trace, methods, states, whole)

    def _planes(self, data: Data) -> tuple[list[Array], list[Array | None]]:
        """Signs and weights of the rows for each hyperplane: its class versus the rest."""
        factors = class_weights(self.class_weight, self.classes_, data.y, None, type(self).__name__)
        positive_classes = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        others = factors[0] if len(positive_classes) == 1 else 1.0
        signs, weights = [], []
        for index in positive_classes:
            mine = data.y == index
            signs.append(np.where(mine, 1.0, -1.0))
            if (factors == 1).all():
                weights.append(data.weight)
            else:
                factor = np.where(mine, factors[index], others)
                weights.append(factor if data.weight is None else factor * data.weight)
        return signs, weights

    def _all_classes(self, classes: Any, known: bool) -> Array:
        """All classes, as given in the first call of `partial_fit`."""
        if classes is None:
            if not known:
                raise DataError(
                    f"{type(self).__name__}: the first call to partial_fit needs classes, the list of all labels"
                )
            return np.asarray(self.classes_)
        every = np.unique(np.asarray(classes))
        if known and not np.array_equal(every, self.classes_):
            raise DataError(
                f"{type(self).__name__}: classes={every.tolist()}, but the first call to partial_fit named "
                f"{self.classes_.tolist()}"
            )
        if len(every) < 2:
            raise DataError(f"{type(self).__name__}: classes must name at least two; got {every.tolist()}")
        return every

    def _codes(self, y: Any, rows: int, every: Array) -> Array:
        """The code of each row's label among all classes."""
        present, codes = self._validator.classes(y, rows)
        strange = [label for label in present.tolist() if label not in every.tolist()]
        if strange:
            raise DataError(
                f"{type(self).__name__}: y holds {strange[0]!r:.40}, which is not one of the classes {every.tolist()}"
            )
        return np.searchsorted(every, present)[codes]

    def _initial_state(self, data: Data, classes: Array, coef_init: Any, intercept_init: Any) -> list[State]:
        """The initial state of `fit`: zero, the given values, or with `warm_start` the previous ones."""
        planes = 1 if len(classes) == 2 else len(classes)
        coef, intercept = np.zeros((planes, data.p)), np.zeros(planes)
        if self.warm_start and "coef_" in self.__dict__:
            coef = self.__dict__.get("standard_coef_", dense(self.coef_))
            intercept = self.__dict__.get("standard_intercept_", self.intercept_)
        coef = checked_start(self, "coef_init", coef if coef_init is None else coef_init, (planes, data.p))
        intercept = intercept if intercept_init is None else intercept_init
        intercept = checked_start(self, "intercept_init", intercept, (planes,))
        settings = self._sgd_config().settings(1.0)
        return [initial_state(settings, w, float(b)) for w, b in zip(coef, intercept, strict=True)]

    def _resumed_state(self) -> list[State]:
        """The initial state of `partial_fit`: that after the previous call."""
        settings, kept = self._sgd_config().settings(1.0), self.__dict__
        coef, intercept = (
            kept.get("standard_coef_", dense(self.coef_)),
            kept.get("standard_intercept_", self.intercept_),
        )
        if not settings.average_from:
            coef, intercept = dense(self.coef_), self.intercept_
        average = kept.get("average_coef_", [None] * len(coef)) if settings.average_from else [None] * len(coef)
        means = kept.get("average_intercept_", np.zeros(len(coef)))
        return [
            initial_state(settings, w, float(b), a, float(m), self.t_)
            for w, b, a, m in zip(coef, intercept, average, means, strict=True)
        ]

    def _keep(self, states: list[State], dtype: Any) -> None:
        numbers = np.array([state["numbers"] for state in states])
        self.coef_ = np.array([state["coef"] for state in states]).astype(dtype)
        self.intercept_, self.t_ = numbers[:, 0].astype(dtype), float(numbers[:, 2].max())
        average = self._sgd_config().average
        if average:
            kept: dict[str, Any] = self.__dict__
            kept["standard_coef_"], kept["standard_intercept_"] = self.coef_, self.intercept_
            kept["average_coef_"] = np.array([state["average"] for state in states]).astype(dtype)
            kept["average_intercept_"] = numbers[:, 1].astype(dtype)
            if average <= self.t_ - 1:
                self.coef_, self.intercept_ = kept["average_coef_"], kept["average_intercept_"]


@declaring
class AveragedSGDClassifierBase(SGDClassifierBase):
    """Base class of SGD classifiers with averaging."""

    average: bool | int = param(False, "whether to average the coefficients, or from which step on", at_least=0)
    standard_coef_: Array = learned("coefficients before averaging", shape="planes features", optional=True)
    standard_intercept_: Array = learned("intercept before averaging", shape="planes", optional=True)
    average_coef_: Array = learned("average of the coefficients", shape="planes features", optional=True)
    average_intercept_: Array = learned("average of the intercept", shape="planes", optional=True)


def _accuracy(sign: Array, scores: Array, weight: Array | None) -> float:
    return float(np.average((scores > 0) == (sign > 0), weights=weight))
