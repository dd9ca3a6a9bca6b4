"""Curves of scores: tuples as scikit-learn's, with bands, marks and pictures."""

from __future__ import annotations

import importlib
from typing import Any, Literal, Self

import numpy as np

from ..core import Array
from ._cv_estimate import Basis, Estimate, Method
from .refit_rules import minimal_error_rule, one_standard_error_rule, standard_error


class ValidationCurve(tuple[Array, Array]):
    """(train_scores, test_scores), a row per value of the parameter and a column per fold."""

    param_name: str
    param_range: Array
    basis: Basis
    simpler: Literal["larger", "smaller"] | None = None  # which values make simpler models, where that is known

    @classmethod
    def of(cls, train: Array, test: Array, name: str, values: Array, basis: Basis) -> Self:
        """Scores by parameter value."""
        curve = cls((train, test))
        curve.param_name, curve.param_range, curve.basis = name, values, basis
        return curve

    @property
    def best_index(self) -> int:
        """The index of the value with the best mean test score."""
        return minimal_error_rule(self[1])

    @property
    def best(self) -> Any:
        """The value with the best mean test score."""
        return _plain(self.param_range[self.best_index])

    def one_standard_error(self, simpler: Literal["larger", "smaller"] | None = None) -> Any:
        """The simplest value that is within one standard error of the best.

        Larger or smaller values are `simpler`, as is said here or declared by the estimator; else it is the larger.
        """
        simpler = simpler or self.simpler or "larger"
        indices = np.unique(np.asarray(self.param_range, dtype=float), return_inverse=True)[1]
        order = indices if simpler == "smaller" else -indices
        return _plain(self.param_range[one_standard_error_rule(self[1], order)])

    def standard_errors(self) -> Array:
        """The standard error of each mean test score, sd over folds / sqrt(K): the band of the plot."""
        return np.array([standard_error(row) for row in self[1]])

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> dict[Any, Estimate]:
        """The test score of each value as a mean with its interval."""
        return {
            _plain(value): Estimate.of(row, self.basis, confidence, method)
            for value, row in zip(self.param_range, self[1], strict=True)
        }

    def plot(self, *, ax: Any = None, simpler: Literal["larger", "smaller"] | None = None) -> Any:
        """The curve as a picture, a `ValidationCurveDisplay`, on `ax` or a new figure."""
        display = importlib.import_module("learnable.plot").ValidationCurveDisplay(
            param_name=self.param_name, param_range=self.param_range, train_scores=self[0], test_scores=self[1],
            simpler=simpler or self.simpler,
        )  # fmt: skip
        return display.plot(ax=ax)


class LearningCurve(tuple[Array, ...]):
    """(train_sizes, train_scores, test_scores[, fit_times, score_times]), a row per size and a column per fold."""

    basis: Basis

    @classmethod
    def of(cls, sizes: Array, train: Array, test: Array, times: list[Array], basis: Basis) -> Self:
        """The tuple with what the test scores are measured on."""
        curve = cls((sizes, train, test, *times))
        curve.basis = basis
        return curve

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> dict[int, Estimate]:
        """The test score for each size as a mean with its interval."""
        return {
            int(size): Estimate.of(row, self.basis, confidence, method)
            for size, row in zip(self[0], self[2], strict=True)
        }

    def plot(self, *, ax: Any = None) -> Any:
        """The curve as a picture, a `LearningCurveDisplay`, on `ax` or a new figure."""
        display = importlib.import_module("learnable.plot").LearningCurveDisplay(
            train_sizes=self[0], train_scores=self[1], test_scores=self[2]
        )
        return display.plot(ax=ax)


def _plain(value: Any) -> Any:
    """A NumPy number as Python's."""
    return value.item() if hasattr(value, "item") else value
