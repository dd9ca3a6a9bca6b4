"""How errors change with the number of rows and with the complexity of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from ..core.declare.checked_functions import Model, checked
from .diagnosis import Diagnosis, diagnose
from .problems import RULES, Generate, fitted

Loss = Callable[[Array, Array], float]


def squared_error(truth: Array, result: Array) -> float:
    """The mean squared error."""
    return float(np.mean((truth - result) ** 2))


def zero_one_error(truth: Array, result: Array) -> float:
    """The error rate."""
    return float(np.mean(truth != result))


@dataclass(frozen=True)
class ErrorCurve:
    """Training and test errors along a learning or complexity curve: a row for each value, a column for each draw."""

    axis: str
    values: Array
    train: Array
    test: Array

    @property
    def train_error(self) -> Array:
        """The mean error on the rows seen."""
        return np.asarray(self.train.mean(axis=1))

    @property
    def test_error(self) -> Array:
        """The mean error on new rows."""
        return np.asarray(self.test.mean(axis=1))

    @property
    def gap(self) -> Array:
        """How much larger the error on new rows is."""
        return self.test_error - self.train_error

    @property
    def turning_point(self) -> Any:
        """The value with the smallest error on new rows: below it the model is too simple, above it it overfits."""
        return self.values[int(self.test_error.argmin())]

    def diagnose(self, target_error: float, at: int = -1) -> Diagnosis:
        """What is wrong at one point of the curve, by default the last, and what helps."""
        return diagnose(float(self.train_error[at]), float(self.test_error[at]), target_error)


@checked(**RULES)
def error_by_size(
    estimator: Model,
    generate: Generate,
    sizes: Iterable[int],
    *,
    loss: Loss = squared_error,
    repeats: int = 20,
    n_test: int = 1000,
    random_state: RandomState = None,
) -> ErrorCurve:
    """Learning curve on simulated data: training and test errors for growing training sets.

    Both approach the error of the best model of the class, from below and from above. A simple model gets there soon
    and stays high; a flexible one needs more rows and ends lower. For a table that you have, see
    `model_selection.learning_curve`.

    >>> from learnable.linear_model import LinearRegression
    >>> from learnable.theory import NoisyFunction
    >>> line = NoisyFunction(lambda X: X[:, 0], noise=1.0)
    >>> curve = error_by_size(LinearRegression(), line, [5, 500], random_state=0)
    >>> bool(curve.gap[0] > 10 * abs(curve.gap[1]))
    True
    """
    rows = np.array(list(sizes))
    cases = [(estimator, int(size)) for size in rows]
    return ErrorCurve("rows", rows, *_errors(cases, generate, loss, repeats, n_test, random_state))


@checked(**RULES)
def error_by_complexity(
    estimators: Mapping[Any, Model],
    generate: Generate,
    *,
    n: int,
    loss: Loss = squared_error,
    repeats: int = 20,
    n_test: int = 1000,
    random_state: RandomState = None,
) -> ErrorCurve:
    """Training and test errors of models of growing complexity; `estimators` maps complexity to model.

    The training error always decreases; the test error decreases and increases again, as bias is traded for
    variance; `turning_point` is its minimum.

    >>> from learnable.linear_model import Ridge
    >>> from learnable.theory import NoisyFunction
    >>> line = NoisyFunction(lambda X: X[:, 0], noise=0.1)
    >>> error_by_complexity({1: Ridge(100.0), 2: Ridge(1e-6)}, line, n=30, random_state=0).turning_point
    np.int64(2)
    """
    cases = [(estimator, n) for estimator in estimators.values()]
    values = np.array(list(estimators))
    return ErrorCurve("complexity", values, *_errors(cases, generate, loss, repeats, n_test, random_state))


def _errors(
    cases: list[tuple[Any, int]], generate: Generate, loss: Loss, repeats: int, n_test: int, random_state: RandomState
) -> tuple[Array, Array]:
    """Errors on seen and new rows, the same draws for every case."""
    seed, train, test = seed_of(random_state), np.empty((len(cases), repeats)), np.empty((len(cases), repeats))
    for draw in range(repeats):
        new, predictions = generate(generator(seed, draw, 0), n_test)
        for place, (estimator, n) in enumerate(cases):
            X, y = generate(generator(seed, draw, 1), n)
            model = fitted(estimator, X, y)
            train[place, draw] = loss(y, np.asarray(model.predict(X)))
            test[place, draw] = loss(predictions, np.asarray(model.predict(new)))
    return train, test
