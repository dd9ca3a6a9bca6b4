"""Bias and variance of cross-validation by the number of folds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from ..core.declare.checked_functions import Model, checked, limits
from ..model_selection import KFold
from .error_curves import Loss, squared_error
from .problems import RULES, Generate, fitted


@dataclass(frozen=True)
class FoldStudy:
    """Cross-validation estimates of the error by number of folds (rows) and data set (columns), and the true errors.

    The true error is that, on very many new rows, of the model fitted to the whole table.
    """

    folds: Array
    estimates: Array
    true_errors: Array

    @property
    def bias(self) -> Array:
        """Mean overestimation of the error: the models of the folds are trained on fewer rows."""
        return np.asarray((self.estimates - self.true_errors).mean(axis=1))

    @property
    def spread(self) -> Array:
        """The standard deviation of the estimates over tables."""
        return np.asarray(self.estimates.std(axis=1, ddof=1))

    def __str__(self) -> str:
        rows = zip(self.folds, self.bias, self.spread, strict=True)
        lines = [f"{k:5d} folds: bias {bias:+.4g}, standard deviation {spread:.4g}" for k, bias, spread in rows]
        return "\n".join([f"true error {self.true_errors.mean():.4g}", *lines])


@checked(**{**RULES, "folds": limits(at_least=2)})
def choice_of_folds(
    estimator: Model,
    generate: Generate,
    folds: Iterable[int],
    *,
    n: int,
    loss: Loss = squared_error,
    repeats: int = 100,
    n_test: int = 5000,
    random_state: RandomState = None,
) -> FoldStudy:
    """Bias and variance of cross-validation for several numbers of folds, over many tables of n rows.

    Two folds learn from half of the rows, so the estimate is too high; n folds (leave one out) have next to no bias.
    Five or ten are the usual compromise. [Kohavi, 1995]

    >>> from learnable.linear_model import LinearRegression
    >>> from learnable.theory import NoisyFunction
    >>> line = NoisyFunction(lambda X: X[:, 0], noise=1.0)
    >>> study = choice_of_folds(LinearRegression(), line, [2, 10], n=10, repeats=50, random_state=0)
    >>> bool(study.bias[0] > study.bias[1])
    True
    """
    counts, seed = np.array(list(folds)), seed_of(random_state)
    estimates, truth = np.empty((len(counts), repeats)), np.empty(repeats)
    for draw in range(repeats):
        X, y = generate(generator(seed, draw, 0), n)
        new, predictions = generate(generator(seed, draw, 1), n_test)
        truth[draw] = loss(predictions, np.asarray(fitted(estimator, X, y).predict(new)))
        for place, count in enumerate(counts):
            splits = KFold(int(count), shuffle=True, random_state=draw).split(X)
            errors = [
                (loss(y[test], np.asarray(fitted(estimator, X[train], y[train]).predict(X[test]))), len(test))
                for train, test in splits
            ]
            found, sizes = np.array(errors).T
            estimates[place, draw] = np.average(found, weights=sizes)
    return FoldStudy(counts, estimates, truth)
