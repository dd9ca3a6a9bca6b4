"""Sampling of rows and dropout of stages in boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ...core.runtime.random import generator
from ...core.validate.features import Array

ROWS, DROPS = 3, 5  # keys of draws


class StageSampler(Protocol):
    """Chooses the rows of a stage; one that `reweights` scales the gradients of some rows."""

    reweights: ClassVar[bool]

    def __call__(self, grad_hess: Array, rows: Array, seed: int, stage: int) -> Array: ...


@dataclass(frozen=True)
class RowSubsample:
    """A fraction of the rows, drawn without replacement."""

    fraction: float

    reweights: ClassVar[bool] = False

    def __call__(self, grad_hess: Array, rows: Array, seed: int, stage: int) -> Array:
        count = max(1, round(self.fraction * len(rows)))
        return np.sort(generator(seed, ROWS, stage).choice(rows, count, replace=False, shuffle=False))


@dataclass(frozen=True)
class GradientSampling:
    """Gradient-based one-side sampling: the rows of the largest gradients, and some others with larger weights.

    [Ke et al., 2017]
    """

    top: float
    other: float

    reweights: ClassVar[bool] = True

    def __call__(self, grad_hess: Array, rows: Array, seed: int, stage: int) -> Array:
        n = len(rows)
        first, second = max(1, round(self.top * n)), max(1, round(self.other * n))
        if first + second >= n:
            return rows
        order = np.argsort(-np.abs(grad_hess[rows, 0]), kind="stable")
        others = generator(seed, ROWS, stage).choice(order[first:], second, replace=False, shuffle=False)
        grad_hess[rows[others]] *= (n - first) / second
        return np.sort(rows[np.concatenate([order[:first], others])])


@dataclass(frozen=True)
class TreeDropout:
    """DART: each earlier stage is dropped with probability `rate`, and none with probability `skip`. [Rashmi, 2015]"""

    rate: float
    skip: float

    def __call__(self, stages: int, seed: int) -> list[int]:
        """The stages that are dropped while the next one is grown."""
        draws = generator(seed, DROPS, stages).random(stages + 1)
        return [] if draws[-1] < self.skip else np.flatnonzero(draws[:-1] < self.rate).tolist()
