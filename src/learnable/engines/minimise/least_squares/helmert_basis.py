"""Centred rows in the coordinates of a basis of the space that centring leaves, one dimension less.

Centring takes one of n dimensions away, that of the roots of the weights. In the coordinates of the others nothing is
zero by construction, so that no rounding error in place of a zero enters the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Coordinates of centred, root-weighted rows; those of rows that are not centred are the rows themselves.

    `axis` is the unit vector of the reflection that takes the roots of the weights to the first axis, None if nothing
    is centred.
    """

    axis: Array | None

    @classmethod
    def of(cls, root: Array, centred: bool) -> Contrasts:
        """The contrasts of rows with these roots of weights."""
        if not centred:
            return cls(None)
        axis = root / np.linalg.norm(root)
        axis[0] += 1
        return cls(axis / np.linalg.norm(axis))

    def coordinates(self, rows: Array) -> Array:
        """The coordinates of vectors over the rows, which are columns; the same for the same vectors."""
        if self.axis is None:
            return rows
        along = (self.axis[:, None] * rows).sum(axis=0)
        return np.asarray(rows[1:] - np.outer(2 * self.axis[1:], along))

    def rows(self, coordinates: Array) -> Array:
        """The vectors over the rows that have these coordinates."""
        if self.axis is None:
            return coordinates
        vectors = -np.outer(2 * self.axis, self.axis[1:] @ coordinates)
        vectors[1:] += coordinates
        return vectors

    def of_pairs(self, kernel: Array) -> Array:
        """Products of pairs of coordinates from those of pairs of rows."""
        return np.ascontiguousarray(self.coordinates(self.coordinates(kernel).T))
