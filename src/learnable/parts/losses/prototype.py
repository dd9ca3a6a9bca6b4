"""Losses of several classes whose labels are points, the prototypes, and whose scores are vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...core import Array
from .target_range import demand


@dataclass(frozen=True)
class PrototypeLoss:
    """Base class of losses by the signed distances D_ij of a score from the planes half way between two prototypes.

    D_ij = (2 (b - a)'z + |a|^2 - |b|^2) / (2 |b - a|)     for the prototype a of the true class i, b of another, j

    It is negative nearer to a, zero half way and positive nearer to b, and the prediction is the nearest prototype.
    """

    prototypes: Array

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    link: ClassVar[str] = "prototype"

    @cached_property
    def _planes(self) -> tuple[Array, Array]:
        """Unit vectors from each prototype to each other, and the constants of the signed distances."""
        points = np.asarray(self.prototypes, dtype=np.float64)
        step = points[None] - points[:, None]
        length = np.linalg.norm(step, axis=2)
        np.fill_diagonal(length, 1.0)
        squares = (points**2).sum(axis=1)
        return step / length[..., None], (squares[:, None] - squares) / (2 * length)

    def margins(self, y: Array, z: Array) -> Array:
        """D_ij for all rows and classes, zero for the own class."""
        direction, constant = self._planes
        code = y.astype(np.intp)
        return np.asarray(np.einsum("nkd,nd->nk", direction[code], z) + constant[code])

    def predict(self, z: Array) -> Array:
        """The code of the nearest prototype."""
        points = np.asarray(self.prototypes, dtype=np.float64)
        return np.asarray((z @ points.T - (points**2).sum(axis=1) / 2).argmax(axis=1))

    def check(self, y: Array) -> None:
        """Raise DataError if a target is not the index of a prototype."""
        demand((y >= 0) & (y == np.floor(y)) & (y < len(self.prototypes)), y, "prototype loss", "indices of prototypes")

    def _along(self, y: Array, weight: Array) -> Array:
        """Sums of the directions to the other prototypes, with a weight for each."""
        return np.asarray(np.einsum("nk,nkd->nd", weight, self._planes[0][y.astype(np.intp)]))


@dataclass(frozen=True)
class PrototypeHinge(PrototypeLoss):
    """Hinge loss of prototypes: the largest max(0, 1 + D_ij) over the other classes j.

    >>> PrototypeHinge(np.array([[-1.0], [1.0]])).value(np.array([0.0, 0.0]), np.array([[0.0], [-2.0]])).tolist()
    [1.0, 0.0]
    """

    curvature_bound: ClassVar[float | None] = None

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.maximum(1 + self._of_others(y, z), 0).max(axis=1))

    def gradient(self, y: Array, z: Array) -> Array:
        others = self._of_others(y, z)
        weight = np.zeros_like(others)
        worst = np.arange(len(z)), others.argmax(axis=1)
        weight[worst] = others[worst] >= -1
        return self._along(y, weight)

    def _of_others(self, y: Array, z: Array) -> Array:
        margins = self.margins(y, z)
        margins[np.arange(len(z)), y.astype(np.intp)] = -np.inf
        return margins


@dataclass(frozen=True)
class PrototypeLogistic(PrototypeLoss):
    """Logistic loss of prototypes: log sum_j exp(D_ij), where D_ii = 0; smooth, and close to the hinge far away.

    >>> PrototypeLogistic(np.array([[-1.0], [1.0]])).value(np.array([0.0]), np.array([[0.0]])).round(4).tolist()
    [0.6931]
    """

    smooth: ClassVar[bool] = True
    curvature_bound: ClassVar[float | None] = 1.0

    def value(self, y: Array, z: Array) -> Array:
        margins = self.margins(y, z)
        top = margins.max(axis=1)
        return np.asarray(top + np.log(np.exp(margins - top[:, None]).sum(axis=1)))

    def gradient(self, y: Array, z: Array) -> Array:
        margins = self.margins(y, z)
        weight = np.exp(margins - margins.max(axis=1, keepdims=True))
        return self._along(y, weight / weight.sum(axis=1, keepdims=True))
