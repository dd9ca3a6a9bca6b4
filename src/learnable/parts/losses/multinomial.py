"""The logistic loss of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .logistic import SATURATED_SCORE
from .target_range import demand


@dataclass(frozen=True)
class Multinomial:
    """Minus the log-likelihood of a class y in 0 .. K - 1 whose log-odds are differences of K scores (cross-entropy).

    value = log sum_k e^z_k - z_y     best constants: the logarithms of the shares of the classes

    Scores have a row per target and a column per class. The gradient is p_k - [k = y] with p_k = e^z_k / sum e^z,
    and the second derivatives are diag(p) - p p'. A constant added to all scores of a row changes nothing.
    [McFadden, 1974]

    >>> Multinomial().predict(np.log([[1.0, 2.0, 5.0]])).round(3).tolist()
    [[0.125, 0.25, 0.625]]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 0.5
    link: ClassVar[str] = "logit"

    def value(self, y: Array, z: Array) -> Array:
        top = z.max(axis=1)
        own = np.take_along_axis(z, y[:, None].astype(np.intp), axis=1)[:, 0]
        return np.asarray(top - own + np.log(np.exp(z - top[:, None]).sum(axis=1)))

    def gradient(self, y: Array, z: Array) -> Array:
        probability = self.predict(z)
        own = np.arange(len(y)), y.astype(np.intp)
        probability[own] = 0
        probability[own] = -probability.sum(axis=1)
        return probability

    def curvature(self, y: Array, z: Array) -> Array:
        """The matrix diag(p) - p p' of each row."""
        p = self.predict(z)
        return np.asarray(p[:, :, None] * np.eye(z.shape[1]) - p[:, :, None] * p[:, None, :])

    def best_constant(self, y: Array, weight: Array | None = None, classes: int | None = None) -> Array:
        """The logarithms of the class frequencies, kept finite for a class that does not occur."""
        totals = np.bincount(y.astype(np.intp), weights=weight, minlength=classes or 0).astype(np.float64)
        shares = totals / totals.sum()
        return np.where(shares > 0, np.log(np.where(shares > 0, shares, 1.0)), -SATURATED_SCORE)

    def predict(self, z: Array) -> Array:
        """The probability of each class."""
        exponentials = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))

    def check(self, y: Array) -> None:
        demand((y >= 0) & (y == np.floor(y)), y, "Multinomial", "whole numbers y from 0")
