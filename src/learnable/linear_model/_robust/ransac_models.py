"""Models fitted to random samples in RANSAC, and their inliers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np

from ...core import Array, Data
from ...core.r2 import r_squared
from ...core.roles.estimator import cloned
from ...core.runtime.native import kernels
from ...engines import matrix_products
from .subset_least_squares import subset_fits

MAX_MODELS, MAX_WORK = 32, 1e8  # of a batch; work is counted in multiplications
ROUNDINGS = 4  # of the target, by which a residual may exceed the threshold

Loss = Literal["absolute_error", "squared_error"] | Callable[[Array, Array], Array]
Refusal = Literal["invalid_data", "invalid_model"]
Check = Callable[..., Any] | None


@dataclass(frozen=True, slots=True)
class RansacTrial:
    """The result of one sample: weight of the inliers of its model, their mask, and the score of the model on them.

    A sample that was `refused` has no other results.
    """

    weight: float
    inliers: Callable[[], Array]
    score: Callable[[Array], float]
    refused: Refusal | None = None


def refusal(reason: Refusal) -> RansacTrial:
    """The trial of a sample that was refused."""
    return RansacTrial(0.0, lambda: np.zeros(0, dtype=bool), lambda inliers: -np.inf, reason)


class Trials(Protocol):
    """A method that fits models to a batch of samples."""

    @property
    def batch(self) -> int:
        """The number of samples in a batch."""
        ...

    def run(self, samples: Array) -> Iterator[RansacTrial]:
        """The trial of each sample, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Nearness:
    """The inlier criterion: rows with a loss of at most `threshold`.

    For losses given by name, `reach` is the corresponding largest residual.
    """

    data: Data
    loss: Loss
    threshold: float
    reach: Array | None

    @classmethod
    def of(cls, data: Data, loss: Loss, threshold: float) -> Nearness:
        """Residuals may exceed the threshold by the rounding of the target, so that constant targets are inliers."""
        if callable(loss):
            return cls(data, loss, threshold, None)
        size = np.sqrt(threshold) if loss == "squared_error" else threshold
        rounding = ROUNDINGS * float(np.finfo(data.y.dtype).eps)
        return cls(data, loss, threshold, size + rounding * _size(data.y.astype(np.float64), loss))

    def inliers(self, prediction: Array) -> Array:
        """Whether each row is an inlier."""
        if callable(self.loss):
            return np.asarray(self.loss(self.data.y, prediction)) <= self.threshold
        return _size(self.data.y - prediction, self.loss) <= self.reach

    def weight(self, inliers: Array) -> float:
        """The number of inliers, or the sum of their weights."""
        weight = self.data.weight
        return float(np.count_nonzero(inliers) if weight is None else weight[inliers].sum())

    def trial(self, prediction: Array, score: Callable[[Array], float]) -> RansacTrial:
        """The trial of a model, from its prediction for all rows."""
        inliers = self.inliers(prediction)
        return RansacTrial(self.weight(inliers), lambda: inliers, score)


def _size(residual: Array, loss: Loss) -> Array:
    """The size of each row's residual: its root of summed squares or its sum, over the targets."""
    if residual.ndim == 1:
        return np.abs(residual)
    return np.asarray(np.linalg.norm(residual, axis=1) if loss == "squared_error" else np.abs(residual).sum(axis=1))


@dataclass(frozen=True, slots=True)
class LinearTrials:
    """Least squares on all samples of a batch at once; one pass over the data gives the weights of the inliers."""

    near: Nearness
    fit_intercept: bool
    size: int
    is_data_valid: Check

    @property
    def batch(self) -> int:
        """The largest batch that keeps a step short."""
        data = self.near.data
        work = (self.size * data.p + data.n) * data.p
        return int(np.clip(MAX_WORK // work, 1, MAX_MODELS))

    def run(self, samples: Array) -> Iterator[RansacTrial]:
        """Fit the valid samples together, then evaluate them one by one."""
        data, check = self.near.data, self.is_data_valid
        valid = np.array([check is None or bool(check(data.X[rows], data.y[rows])) for rows in samples])
        trials = self._trials(samples[valid]) if valid.any() else iter(())
        for sound in valid:
            yield next(trials) if sound else refusal("invalid_data")

    def _trials(self, samples: Array) -> Iterator[RansacTrial]:
        data, reach = self.near.data, self.near.reach
        coef, intercept = subset_fits(data.X, data.y, samples, self.fit_intercept)
        if data.y.ndim == 1:
            coef, intercept = coef[:, 0], intercept[:, 0]
        if data.y.ndim > 1 or reach is None:
            for w, b in zip(coef, intercept, strict=True):
                prediction = matrix_products.scores(data.X, w, b)
                yield self.near.trial(prediction, partial(self._score, prediction))
            return
        weights = kernels.inlier_weights(data.X, data.y, coef.T, intercept, reach, data.weight)
        for weight, w, b in zip(weights, coef, intercept, strict=True):
            yield RansacTrial(float(weight), partial(self._inliers, w, b), partial(self._score_of, w, b))

    def _inliers(self, coef: Array, intercept: float) -> Array:
        return self.near.inliers(matrix_products.scores(self.near.data.X, coef, intercept))

    def _score_of(self, coef: Array, intercept: float, inliers: Array) -> float:
        return self._score(matrix_products.scores(self.near.data.X, coef, intercept), inliers)

    def _score(self, prediction: Array, inliers: Array) -> float:
        y, weight = self.near.data.y, self.near.data.weight
        return r_squared(y[inliers], prediction[inliers], None if weight is None else weight[inliers])


@dataclass(frozen=True, slots=True)
class FittedTrials:
    """Any estimator, fitted to one sample after the other."""

    near: Nearness
    base: Any
    is_data_valid: Check
    is_model_valid: Check

    batch = 1

    def run(self, samples: Array) -> Iterator[RansacTrial]:
        """Fit a new copy of the estimator to each valid sample."""
        X, y = self.near.data.X, self.near.data.y
        for rows in samples:
            if self.is_data_valid is not None and not self.is_data_valid(X[rows], y[rows]):
                yield refusal("invalid_data")
                continue
            model = cloned(self.base).fit(X[rows], y[rows])
            if self.is_model_valid is not None and not self.is_model_valid(model, X[rows], y[rows]):
                yield refusal("invalid_model")
                continue
            yield self.near.trial(np.asarray(model.predict(X)), partial(self._score, model))

    def _score(self, model: Any, inliers: Array) -> float:
        data = self.near.data
        options = {}
        if data.weight is not None and takes_weights(model.score):
            options["sample_weight"] = data.weight[inliers]
        return float(model.score(data.X[inliers], data.y[inliers], **options))


def takes_weights(method: Callable[..., Any]) -> bool:
    """Whether a method has an argument for weights."""
    return "sample_weight" in inspect.signature(method).parameters
