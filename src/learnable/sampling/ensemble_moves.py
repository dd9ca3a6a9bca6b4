"""Moves of affine-invariant ensembles of walkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError


class Move(ABC):
    """A proposal for half of the walkers from the positions of the other half."""

    @abstractmethod
    def propose(self, half: Array, other: Array, random: Any) -> tuple[Array, Array]:
        """Proposed positions, and the logarithm of the factor in the acceptance probability of each."""


@dataclass(frozen=True)
class StretchMove(Move):
    """Stretch move: a walker moves on the line through a walker of the other half, by a random factor z.

    The density of z is proportional to 1 / sqrt(z) between 1 / a and a. [Goodman and Weare, 2010]
    """

    a: float = 2.0

    def __post_init__(self) -> None:
        if not self.a > 1:
            raise ParameterError(f"StretchMove: a must be above 1; got {self.a!r:.40}")

    def propose(self, half: Array, other: Array, random: Any) -> tuple[Array, Array]:
        """Along lines through walkers of the other half."""
        count, size = half.shape
        draws = random.random((2, count))
        factor = ((self.a - 1) * draws[0] + 1) ** 2 / self.a
        partner = other[(draws[1] * len(other)).astype(np.intp)]
        return partner + factor[:, None] * (half - partner), (size - 1) * np.log(factor)


@dataclass(frozen=True)
class WalkMove(Move):
    """Walk move: a walker moves by a random combination of the deviations of `s` walkers of the other half.

    All walkers of the other half take part if `s` is None. [Goodman and Weare, 2010]
    """

    s: int | None = None

    def propose(self, half: Array, other: Array, random: Any) -> tuple[Array, Array]:
        """By the covariance of walkers of the other half."""
        count = len(other) if self.s is None else min(self.s, len(other))
        steps = np.empty_like(half)
        for k in range(len(half)):
            chosen = other if self.s is None else other[random.choice(len(other), count, replace=False)]
            deviations = chosen - chosen.mean(axis=0)
            steps[k] = random.standard_normal(count) @ deviations / np.sqrt(count)
        return half + steps, np.zeros(len(half))


@dataclass(frozen=True)
class DEMove(Move):
    """Differential evolution move: a walker moves by the difference of two walkers of the other half.

    The difference is multiplied by `gamma0`, by default 2.38 / sqrt(2 dimension), with a relative jitter `sigma`.
    [Nelson, Ford and Payne, 2014]
    """

    sigma: float = 1e-5
    gamma0: float | None = None

    def propose(self, half: Array, other: Array, random: Any) -> tuple[Array, Array]:
        """By differences of walkers of the other half."""
        count, size = half.shape
        gamma = 2.38 / np.sqrt(2 * size) if self.gamma0 is None else self.gamma0
        first = random.integers(len(other), size=count)
        second = (first + 1 + random.integers(len(other) - 1, size=count)) % len(other)
        factor = gamma * (1 + self.sigma * random.standard_normal((count, 1)))
        return half + factor * (other[first] - other[second]), np.zeros(count)
