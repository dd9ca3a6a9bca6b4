"""Random numbers of a population: every individual has a stream of its own in every generation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...core import Array, RandomState, seed_of, uniforms

BITS = 2.0**-54


@dataclass(slots=True)
class RowDraws:
    """A row of random numbers for each of `n` individuals, keyed by seed, generation and individual.

    Numbers of an individual do not depend on the others, nor on how the work is distributed. Each request continues
    the streams.

    >>> RowDraws(0, 3, (1,)).uniform(2).shape
    (3, 2)
    """

    seed: int
    n: int
    key: tuple[int, ...] = ()
    first: int = 0
    stage: int = field(default=0, init=False)

    def uniform(self, width: int) -> Array:
        """`width` uniform numbers between 0 and 1 for each individual."""
        self.stage += 1
        rows = range(self.first, self.first + self.n)
        return uniforms(self.seed, rows, width, *self.key, self.stage)

    def normal(self, width: int) -> Array:
        """Standard normal numbers, by the method of Box and Muller."""
        u = self.uniform(2 * width)
        radius = np.sqrt(-2 * np.log(np.maximum(u[:, :width], BITS)))
        normal: Array = radius * np.cos(2 * np.pi * u[:, width:])
        return normal

    def below(self, most: int, width: int) -> Array:
        """Whole numbers from 0 to `most` - 1."""
        return np.minimum((self.uniform(width) * most).astype(np.int64), most - 1)

    def permuted(self, most: int, width: int) -> Array:
        """`width` different whole numbers below `most` for each individual, in random order."""
        order: Array = self.uniform(most).argsort(axis=1, kind="stable")[:, :width]
        return order

    def others(self, width: int) -> Array:
        """`width` different individuals for each, none of them itself."""
        ranks = self.permuted_few(self.n - 1, width)
        return ranks + (ranks >= np.arange(self.n)[:, None])

    def permuted_few(self, most: int, width: int) -> Array:
        """The same as `permuted` by Floyd's method, whose work does not depend on `most`."""
        found = np.empty((self.n, width), dtype=np.int64)
        u = self.uniform(width)
        for j in range(width):
            limit = most - width + j
            drawn = np.minimum((u[:, j] * (limit + 1)).astype(np.int64), limit)
            taken = (found[:, :j] == drawn[:, None]).any(axis=1)
            found[:, j] = np.where(taken, limit, drawn)
        order = self.permuted(width, width)
        return np.take_along_axis(found, order, axis=1)


def draws_of(random_state: RandomState | RowDraws, n: int) -> RowDraws:
    """The draws themselves, or those of a seed."""
    return random_state if isinstance(random_state, RowDraws) else RowDraws(seed_of(random_state), n)
