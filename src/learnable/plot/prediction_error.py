"""Residuals, or predicted against actual values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, ParameterError, RandomState, generator, seed_of
from ..core.numeric import is_fraction
from ..core.validate.sparse_input import ChecksSparse
from ..metrics._validate import numbers
from ._style import BLUE, GREY, axes_or_new, plain, styled

Kind = Literal["residual_vs_predicted", "actual_vs_predicted"]


@dataclass
class PredictionErrorDisplay(ChecksSparse):
    """Residuals, or true values, against predictions.

    >>> PredictionErrorDisplay([1.0, 2.0], [1.5, 2.0]).y_pred
    [1.5, 2.0]
    """

    y_true: Any
    y_pred: Any

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Predict the rows of `X` and draw."""
        return cls.from_predictions(y, estimator.predict(X), **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        kind: Kind = "residual_vs_predicted",
        subsample: float | int | None = 1000,
        random_state: RandomState = None,
        ax: Any = None,
        scatter_kwargs: dict[str, Any] | None = None,
        line_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw at most `subsample` of the rows (a fraction if it is below 1), chosen at random."""
        truth, predicted = _numbers(y_true, "y_true"), _numbers(y_pred, "y_pred")
        if len(truth) != len(predicted):
            raise ValueError(f"PredictionErrorDisplay: {len(truth)} true values for {len(predicted)} predictions")
        rows = _chosen(len(truth), subsample, random_state)
        display = cls(truth[rows], predicted[rows])
        return display.plot(ax, kind=kind, scatter_kwargs=scatter_kwargs, line_kwargs=line_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Kind = "residual_vs_predicted",
        scatter_kwargs: dict[str, Any] | None = None,
        line_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw onto `ax`, or a new figure; the two dicts go to matplotlib's `scatter` and `plot`."""
        if kind not in ("residual_vs_predicted", "actual_vs_predicted"):
            raise ValueError(f'kind must be "residual_vs_predicted" or "actual_vs_predicted"; got {kind!r}')
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        residual = kind == "residual_vs_predicted"
        points = styled({"s": 12, "alpha": 0.6, "color": BLUE}, scatter_kwargs)
        across, up, ends = self._coordinates(residual)
        self.scatter_ = self.ax_.scatter(across, up, **points)
        dashes = styled({"color": GREY, "linestyle": "--", "linewidth": 1}, line_kwargs)
        (self.line_,) = self.ax_.plot(*ends, **dashes)
        self.ax_.set(xlabel="predicted value", ylabel="residual (actual - predicted)" if residual else "actual value")
        return self

    def _coordinates(self, residual: bool) -> tuple[Array, Array, tuple[list[float], list[float]]]:
        """Horizontal and vertical coordinates of the points, and the ends of the line of perfect predictions."""
        truth, predicted = _numbers(self.y_true, "y_true"), _numbers(self.y_pred, "y_pred")
        if residual:
            return predicted, truth - predicted, ([predicted.min(), predicted.max()], [0.0, 0.0])
        ends = [min(truth.min(), predicted.min()), max(truth.max(), predicted.max())]
        return predicted, truth, (ends, ends)


def _numbers(values: Any, name: str) -> Array:
    """Values as a row of numbers, of which none is missing."""
    return np.ravel(numbers("PredictionErrorDisplay", values, name))


def _chosen(count: int, subsample: float | int | None, random_state: RandomState) -> Array:
    if subsample is None:
        return np.arange(count)
    share = is_fraction(subsample)
    if isinstance(subsample, bool) or not (0 < subsample < 1 if share else subsample > 0):
        raise ParameterError(
            "PredictionErrorDisplay: subsample must be a whole number of rows above 0, a fraction of them between 0 "
            f"and 1, or None for all; got {subsample!r}"
        )
    requested = int(subsample * count) if share else int(subsample)
    if requested >= count:
        return np.arange(count)
    return np.sort(generator(seed_of(random_state)).choice(count, max(1, requested), replace=False))
