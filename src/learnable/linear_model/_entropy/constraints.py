"""Feature expectations of the data and of a model, and the dual of the maximum-entropy problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array


@dataclass(frozen=True)
class Constraints:
    """Columns between -1 and 1, with the feature that is always 1; weights that add up to 1; expectations of the data.

    Without a prior, a feature that does not occur with a class has no weight: it would be minus infinity.
    """

    X: Array
    y: Array
    weight: Array
    scale: Array
    expected: Array
    used: Array
    alpha: float
    intercept: bool

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array | None, classes: int, alpha: float, intercept: bool) -> Constraints:
        """The constraints of weighted rows."""
        counted = slice(None) if weight is None else weight > 0
        scale = np.abs(X[counted]).max(axis=0, initial=0.0)
        scale[scale == 0] = 1.0
        scaled = X / scale
        if intercept:
            scaled = np.hstack([scaled, np.ones((len(X), 1))])
        row_weights = np.ones(len(X)) if weight is None else weight / weight.max()
        row_weights = row_weights / row_weights.sum()
        expected = scaled.T @ (np.eye(classes)[y] * row_weights[:, None])
        return cls(scaled, y, row_weights, scale, expected, (expected != 0) | (alpha > 0), alpha, intercept)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of features and of classes."""
        return self.expected.shape[0], self.expected.shape[1]

    def probabilities(self, weights: Array) -> tuple[Array, float]:
        """The probabilities of the classes of all rows, and the dual objective: mean log loss and prior."""
        scores = self.X @ weights
        top = scores.max(axis=1, keepdims=True)
        found = np.exp(scores - top)
        sums = found.sum(axis=1, keepdims=True)
        losses = (top + np.log(sums))[:, 0] - scores[np.arange(len(scores)), self.y]
        return found / sums, float(self.weight @ losses) + 0.5 * self.alpha * float((weights**2).sum())

    def model_expectations(self, probabilities: Array) -> Array:
        """The expectations of the features under the model."""
        return np.asarray(self.X.T @ (probabilities * self.weight[:, None]))

    def gradient(self, weights: Array, expectations: Array) -> Array:
        """What is missing in the constraints, alpha w included."""
        return np.where(self.used, expectations - self.expected + self.alpha * weights, 0.0)

    def in_units_of_the_data(self, flat: Array) -> tuple[Array, Array]:
        """The coefficients of the columns as they are given, a row per class, and the intercepts."""
        weights = flat.reshape(self.shape)
        coef = weights[: len(self.scale)] / self.scale[:, None]
        return coef.T, weights[-1] if self.intercept else np.zeros(self.shape[1])
