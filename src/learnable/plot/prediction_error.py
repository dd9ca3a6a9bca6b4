"""How far predictions are from the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from .style import BLUE, GREY, axes_or_new, plain

Kind = Literal["residual_vs_predicted", "actual_vs_predicted"]


@dataclass
class PredictionErrorDisplay:
    """Residuals, or true values, against predictions: a good model leaves a shapeless band.

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
    ) -> Self:
        """Draw at most `subsample` of the rows (a share if it is below 1), chosen at random."""
        truth, predicted = np.ravel(np.asarray(y_true, dtype=float)), np.ravel(np.asarray(y_pred, dtype=float))
        if len(truth) != len(predicted):
            raise ValueError(f"PredictionErrorDisplay: {len(truth)} true values for {len(predicted)} predictions")
        rows = _chosen(len(truth), subsample, random_state)
        return cls(truth[rows], predicted[rows]).plot(kind=kind, ax=ax)

    def plot(self, *, kind: Kind = "residual_vs_predicted", ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        if kind not in ("residual_vs_predicted", "actual_vs_predicted"):
            raise ValueError(f'kind must be "residual_vs_predicted" or "actual_vs_predicted"; got {kind!r}')
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        truth, predicted = np.asarray(self.y_true), np.asarray(self.y_pred)
        residual = kind == "residual_vs_predicted"
        self.scatter_ = self.ax_.scatter(
            predicted, truth - predicted if residual else truth, s=12, alpha=0.6, color=BLUE
        )
        if residual:
            self.line_ = self.ax_.axhline(0, color=GREY, linestyle="--", linewidth=1)
        else:
            ends = [min(truth.min(), predicted.min()), max(truth.max(), predicted.max())]
            (self.line_,) = self.ax_.plot(ends, ends, color=GREY, linestyle="--", linewidth=1)
        self.ax_.set(xlabel="predicted value", ylabel="residual (actual - predicted)" if residual else "actual value")
        return self


def _chosen(count: int, subsample: float | int | None, random_state: RandomState) -> Array:
    if subsample is None:
        return np.arange(count)
    wanted = int(subsample * count) if isinstance(subsample, float) else int(subsample)
    if wanted >= count:
        return np.arange(count)
    return np.sort(generator(seed_of(random_state)).choice(count, max(1, wanted), replace=False))
