"""New rows between old ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, Matrix
from ..core.scaling import unit_of
from ..core.validate.targets import is_sparse

AT_ONCE = 4096  # new rows, which stay near by while they are made


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

    def between(self, X: Matrix) -> Matrix:
        """x + u (x' - x) for each pair; where a parent has a gap, the entry of whichever is nearer, gap or not."""
        return self._between_sparse(X) if is_sparse(X) else self._between_dense(X)

    def _between_sparse(self, X: Matrix) -> Matrix:
        """The same, where rows without missing values share few columns."""
        from scipy.sparse import diags_array

        unit = unit_of(X)
        start = X[self.first] * unit
        share = diags_array(self.share.astype(X.dtype))
        return (start + share @ (X[self.second] * unit - start)) / unit

    def _between_dense(self, X: Array) -> Array:
        holes = bool(np.isnan(X).any())
        unit = X.dtype.type(unit_of(np.nan_to_num(X) if holes else X))
        scaled = X if unit == 1 else X * unit  # differences would leave the range of numbers
        made = np.empty((len(self.first), X.shape[1]), dtype=X.dtype)
        for begin in range(0, len(made), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            start, share, new = scaled[self.first[part]], self.share[part, None].astype(X.dtype), made[part]
            np.subtract(scaled[self.second[part]], start, out=new)
            new *= share
            new += start
        if unit != 1:
            made /= unit
        if holes:
            nearer = np.where(self.share < 0.5, self.first, self.second)
            made = np.where(np.isnan(made), X[nearer], made)
        return made

    def weights(self, weight: Array | None) -> Array | None:
        """Weights on the way between those of the parents."""
        if weight is None:
            return None
        return np.asarray(weight[self.first] + self.share * (weight[self.second] - weight[self.first]))


def filled(X: Matrix) -> Matrix:
    """A sparse table with missing values as a dense one, for neighbours over the known columns."""
    return X.toarray() if is_sparse(X) and np.isnan(X.data).any() else X


def joined(weights: list[Array | None]) -> Array | None:
    """Weights of several sets of rows one after the other; None where there are none."""
    given = [weight for weight in weights if weight is not None]
    return np.concatenate(given) if given else None
