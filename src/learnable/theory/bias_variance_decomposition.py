"""Where the error on new rows comes from: noise, bias and variance, by drawing many training sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from ..core.declare.checked_functions import Model, Rows, checked, limits
from .problems import RULES, Generate, NoisyFunction, fitted


@dataclass(frozen=True)
class BiasVariance:
    """Bias-variance decomposition of the mean squared error on new rows, in total and for each row.

    `error` is measured on its own; it differs from `total` = noise + squared bias + variance by the error of the draws.
    `predictions` has a row for each training set.
    """

    noise: float
    squared_bias: float
    variance: float
    error: float
    X: Array
    truth: Array
    predictions: Array

    @property
    def total(self) -> float:
        """noise + squared bias + variance."""
        return self.noise + self.squared_bias + self.variance

    @property
    def mean_prediction(self) -> Array:
        """The mean over the training sets of what is predicted at each new row."""
        return np.asarray(self.predictions.mean(axis=0))

    def __str__(self) -> str:
        return (
            f"noise {self.noise:.4g} + squared bias {self.squared_bias:.4g} + variance {self.variance:.4g} "
            f"= {self.total:.4g} (measured {self.error:.4g})"
        )


KNOWN = limits(says="such as NoisyFunction(lambda X: X[:, 0] ** 2, noise=0.1)")


@checked(**{**RULES, "repeats": limits(at_least=2), "problem": KNOWN})
def bias_variance(
    estimator: Model,
    problem: NoisyFunction,
    *,
    n: int,
    repeats: int = 200,
    n_test: int = 500,
    random_state: RandomState = None,
) -> BiasVariance:
    """Noise, squared bias and variance of an estimator on training sets of n rows.

    E (y - f_D(x))^2 = noise^2 + E_x (mean_D f_D(x) - truth(x))^2 + E_x Var_D f_D(x)

    The estimator is fitted to `repeats` training sets D and predicts the same `n_test` new rows each time, whose
    targets are drawn again. Squared bias and variance are unbiased estimates. [Geman, Bienenstock and Doursat, 1992]

    >>> from learnable.linear_model import LinearRegression
    >>> parabola = NoisyFunction(lambda X: X[:, 0] ** 2, noise=0.1)
    >>> parts = bias_variance(LinearRegression(), parabola, n=50, random_state=0)
    >>> parts.squared_bias > 10 * parts.variance
    True
    """
    seed = seed_of(random_state)
    X = problem.draw(generator(seed, 0), n_test)
    truth = problem.at(X)
    found = [fitted(estimator, *problem(generator(seed, 1, draw), n)).predict(X) for draw in range(repeats)]
    predictions = np.array(found, dtype=np.float64)
    spread = predictions.var(axis=0, ddof=1)
    # The mean of a finite number of predictions varies too, by 1 / repeats of their variance.
    squared_bias = np.mean((predictions.mean(axis=0) - truth) ** 2 - spread / repeats)
    targets = np.array([problem.targets(generator(seed, 2, draw), X) for draw in range(repeats)])
    error = float(np.mean((targets - predictions) ** 2))
    noise = float(problem.noise**2)
    return BiasVariance(noise, float(squared_bias), float(spread.mean()), error, X, truth, predictions)


@checked(**RULES)
def generalisation_error_at(
    estimator: Model,
    generate: Generate,
    x: Rows,
    y: float,
    *,
    n: int,
    repeats: int = 200,
    random_state: RandomState = None,
) -> float:
    """The mean squared error at one point over training sets of n rows: mean_i (f(x | D_i) - y)^2.

    >>> from learnable.linear_model import LinearRegression
    >>> line = NoisyFunction(lambda X: 2 * X[:, 0], noise=0.0)
    >>> generalisation_error_at(LinearRegression(), line, [0.5], 1.0, n=20, random_state=0) < 1e-20
    True
    """
    seed, point = seed_of(random_state), np.asarray(x, dtype=np.float64).reshape(1, -1)
    errors = [
        (float(fitted(estimator, *generate(generator(seed, draw), n)).predict(point)[0]) - y) ** 2
        for draw in range(repeats)
    ]
    return float(np.mean(errors))
