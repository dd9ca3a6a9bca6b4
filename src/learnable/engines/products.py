"""Products of columns with residuals along a straight stretch of a coefficient path.

On a stretch the active coefficients are b - c w, where the level c is the product of every active column with the
residual; so the residual is e + c u, and the product of any column with it is `fixed` + c `slope`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..core.data import Array
from ..core.native import kernels
from .factor import Rows

FEWEST_WATCHED = 128
SHARE = 16
AHEAD = 0.9  # columns are chosen by what happens down to this share of the level


@dataclass(frozen=True, slots=True)
class Stretch:
    """Products with the residual at level c: fixed + c slope, for some columns and for the active ones.

    The residual sum of squares at level c is `rest` + c^2 `bend`.
    """

    columns: Array
    fixed: Array
    slope: Array
    fixed_active: Array
    slope_active: Array
    rest: float
    bend: float


class Products(Protocol):
    """Where the products come from."""

    cross: Array
    norms: Array
    length: float

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""

    def enter(self, j: int) -> None:
        """Make column j the last active one."""

    def leave(self, position: int) -> None:
        """Make an active column inactive."""

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""

    def stretch(self, active: list[int], b: Array, w: Array) -> Stretch:
        """The stretch with active coefficients b - c w, for the columns that are watched."""

    def overlooks_none(self, level: float, next_level: float) -> bool:
        """Whether no column that is not watched can exceed the level before `next_level`, on the last stretch."""

    def whole_stretch(self, level: float) -> Stretch:
        """The last stretch for all columns; from now on those are watched that may matter next below `level`."""

    def memory(self) -> dict[str, Any]:
        """What must be kept to go on later with the same bits."""

    def recall(self, memory: dict[str, Any]) -> None:
        """Go on from what `memory` gave."""


class GramProducts:
    """Products from a Gram matrix: a stretch costs active x features, and every column is watched."""

    def __init__(self, gram: Array, cross: Array, square: float) -> None:
        self.gram, self.cross, self.square = gram, cross, square
        self.norms = np.sqrt(np.maximum(gram.diagonal(), 0.0))
        self.length = float(np.sqrt(max(square, 0.0)))
        self._all = np.arange(len(gram))
        self._rows = Rows(len(gram))
        self._active: list[int] = []

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""
        return self.gram[j, self._active]

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""
        rows = self._rows.matrix
        return float(self.gram[j, j] - weights @ (2 * rows[:, j] - rows[:, self._active] @ weights))

    def enter(self, j: int) -> None:
        """Make column j the last active one."""
        self._rows.append(self.gram[j])
        self._active.append(j)

    def leave(self, position: int) -> None:
        """Make an active column inactive."""
        self._rows.delete(position)
        del self._active[position]

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""
        products = self.cross - b @ self._rows.matrix
        left = self.square - float(b @ (self.cross[self._active] + products[self._active]))
        return products, max(left, 0.0)

    def stretch(self, active: list[int], b: Array, w: Array) -> Stretch:
        """The stretch with active coefficients b - c w, for all columns."""
        rows = self._rows.matrix
        fitted, slope = np.stack([b, w]) @ rows  # one pass over the rows serves both
        fixed = self.cross - fitted
        rest = max(self.square - float(b @ (self.cross[active] + fixed[active])), 0.0)
        return Stretch(self._all, fixed, slope, fixed[active], slope[active], rest, float(w @ slope[active]))

    def overlooks_none(self, level: float, next_level: float) -> bool:
        """Whether every column is watched: yes."""
        return True

    def whole_stretch(self, level: float) -> Stretch:
        """Never asked for."""
        raise NotImplementedError

    def memory(self) -> dict[str, Any]:
        """Nothing to keep."""
        return {}

    def recall(self, memory: dict[str, Any]) -> None:
        """Nothing to recall."""


class ColumnProducts:
    """Products from the columns themselves, of which only some are watched.

    All products are known for one stretch. On a later one the residual differs from that stretch, extended, by some
    vector d, and the product with column x by at most |x| |d|: most columns are thereby proven to stay below the level.
    """

    def __init__(self, columns: Array, target: Array, norms: Array, positive: bool) -> None:
        self.columns, self.target, self.norms, self.positive = columns, target, norms, positive
        self.cross = columns @ target
        self.length = float(np.linalg.norm(target))
        self._rows, self._active = Rows(len(target)), list[int]()
        self._rest, self._bend = target, np.zeros_like(target)
        self._watch(float(self._size(self.cross).max(initial=0.0)), self.cross, np.zeros(len(columns)))

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""
        return self._rows.matrix @ self.columns[j]

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""
        apart = self.columns[j] - weights @ self._rows.matrix
        return float(apart @ apart)

    def enter(self, j: int) -> None:
        """Make column j the last active one."""
        self._rows.append(self.columns[j])
        self._active.append(j)

    def leave(self, position: int) -> None:
        """Make an active column inactive, and watch it."""
        column = self._active.pop(position)
        self._rows.delete(position)
        self._watched.append(column)
        self._watched_columns.append(self.columns[column])

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""
        left = self.target - b @ self._rows.matrix
        return self.columns @ left, _square(left)

    def stretch(self, active: list[int], b: Array, w: Array) -> Stretch:
        """The stretch with active coefficients b - c w, for the watched columns."""
        fitted, bend = np.stack([b, w]) @ self._rows.matrix  # one pass over the rows serves both
        self._rest, self._bend = self.target - fitted, bend
        return self._along(np.array(self._watched, dtype=np.int64), self._watched_columns.matrix)

    def overlooks_none(self, level: float, next_level: float) -> bool:
        """Whether no column that is not watched can exceed the level before `next_level`, on the last stretch."""
        if not len(self._outside_norms):
            return True
        apart, turned = self._rest - self._known_rest, self._bend - self._known_bend
        off = np.sqrt(max(_square(apart + c * turned) for c in (level, next_level)))
        excess = kernels.largest_excess(
            self._outside_fixed, self._outside_slope, self._outside_norms, off, level, next_level, self.positive
        )
        return bool(excess < 0)

    def whole_stretch(self, level: float) -> Stretch:
        """The last stretch for all columns; from now on those are watched that may matter next below `level`."""
        whole = self._along(np.arange(len(self.columns)), self.columns)
        self._watch(level, whole.fixed, whole.slope)
        return whole

    def memory(self) -> dict[str, Any]:
        """Which columns are watched, since which stretch."""
        return {"watched": list(self._watched), "rest": self._known_rest, "bend": self._known_bend}

    def recall(self, memory: dict[str, Any]) -> None:
        """Watch the columns that `memory` names."""
        self._known_rest, self._known_bend = memory["rest"], memory["bend"]
        self._look_at(memory["watched"], self.columns @ self._known_rest, self.columns @ self._known_bend)

    def _watch(self, level: float, fixed: Array, slope: Array) -> None:
        """Watch the columns whose products may soonest come up to the level, if this stretch goes on."""
        self._known_rest, self._known_bend = self._rest, self._bend
        margin = np.minimum(*(c - self._size(fixed + c * slope) for c in (level, AHEAD * level)))
        margin /= np.maximum(self.norms, 1e-300)
        margin[self._active] = np.inf
        count = max(FEWEST_WATCHED, len(self.columns) // SHARE)
        watched = np.argpartition(margin, count)[:count] if count < len(margin) else np.arange(len(margin))
        self._look_at(sorted(watched.tolist()), fixed, slope)

    def _along(self, indices: Array, columns: Array) -> Stretch:
        rest, bend = self._rest, self._bend
        both = np.stack([rest, bend])
        fixed, slope = both @ columns.T
        fixed_active, slope_active = both @ self._rows.matrix.T
        return Stretch(indices, fixed, slope, fixed_active, slope_active, float(rest @ rest), float(bend @ bend))

    def _look_at(self, watched: list[int], fixed: Array, slope: Array) -> None:
        self._watched, self._watched_columns = watched, Rows.of(self.columns[watched])
        outside = np.ones(len(self.columns), dtype=bool)
        outside[watched] = outside[self._active] = False
        self._outside_fixed, self._outside_slope = fixed[outside], slope[outside]
        self._outside_norms = self.norms[outside]

    def _size(self, products: Array) -> Array:
        return products if self.positive else np.abs(products)


def _square(vector: Array) -> float:
    return float(vector @ vector)
