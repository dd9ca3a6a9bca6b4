"""Random numbers of layers in training, keyed by seed, step, layer, row and entry: the same in every executor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.validate.features import Array


def scrambled(key: Array) -> Array:
    """A number that looks random for every key, as the kernels have it."""
    with np.errstate(over="ignore"):
        key = key + np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found: Array = key ^ (key >> np.uint64(31))
        return found


@dataclass(frozen=True, slots=True)
class LayerDraws:
    """The draws of layer `number` in a step of training, for `rows` rows."""

    seed: int
    step: int
    number: int
    rows: int

    def bits(self, width: int) -> Array:
        """Whole numbers of 64 bits, `width` for each row."""
        key = np.array([self.seed], dtype=np.uint64)
        for part in (self.step, self.number):
            key = scrambled(key) + np.uint64(part)
        key = scrambled(key)
        columns = np.arange(width, dtype=np.uint64)
        return scrambled(key + ((np.arange(self.rows, dtype=np.uint64)[:, None] << np.uint64(32)) + columns))

    def uniform(self, width: int) -> Array:
        """Numbers strictly between 0 and 1.

        >>> draws = LayerDraws(0, 0, 0, 1000).uniform(3)
        >>> draws.shape, bool(abs(draws.mean() - 0.5) < 0.02)
        ((1000, 3), True)
        """
        return ((self.bits(width) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53

    def normal(self, width: int) -> Array:
        """Numbers of the standard normal distribution."""
        from scipy.special import ndtri

        found: Array = ndtri(self.uniform(width))
        return found

    def kept(self, rate: float, width: int) -> Array:
        """Zero for values that are dropped, and 1 / (1 - rate) for others."""
        chosen = self.bits(width) >> np.uint64(32) >= np.uint64(int(rate * 4294967296.0))
        return np.where(chosen, 1 / (1 - rate), 0.0)
