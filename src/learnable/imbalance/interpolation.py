"""New rows between old ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.design import unit_of


@dataclass(frozen=True, slots=True)
class Pairs:
    """Who the parents of new rows are, and how far the way from the first to the second is gone."""

    first: Array
    second: Array
    share: Array

    @classmethod
    def drawn(cls, neighbours: Array, count: int, rng: np.random.RandomState) -> Pairs:
        """`count` pairs of a row and one of its neighbours, all equally likely, and a uniform share."""
        chosen = rng.randint(low=0, high=neighbours.size, size=count)
        share = rng.uniform(size=count)
        first, place = np.divmod(chosen, neighbours.shape[1])
        return cls(first, neighbours[first, place], share)

    def between(self, X: Array) -> Array:
        """x + u (x' - x) for each pair; where a parent has a gap, the entry of whichever is nearer, gap or not."""
        unit = X.dtype.type(unit_of(np.nan_to_num(X)))
        start, made = X[self.first], X[self.second]
        if unit != 1:  # differences would leave the range of numbers
            start, made = start * unit, made * unit
        share = self.share[:, None].astype(X.dtype)
        made -= start
        made *= share
        made += start
        if unit != 1:
            made /= unit
        gaps = np.isnan(made) if np.isnan(X).any() else None
        if gaps is not None:
            made = np.where(gaps, np.where(share < 0.5, X[self.first], X[self.second]), made)
        return np.asarray(made)

    def weights(self, weight: Array | None) -> Array | None:
        """Weights on the way between those of the parents."""
        if weight is None:
            return None
        return np.asarray(weight[self.first] + self.share * (weight[self.second] - weight[self.first]))


def joined(weights: list[Array | None]) -> Array | None:
    """Weights of several sets of rows one after the other; None where there are none."""
    given = [weight for weight in weights if weight is not None]
    return np.concatenate(given) if given else None
