"""Products of columns with residuals along a linear segment of a coefficient path.

On a segment the active coefficients are b - c w, where the level c is the product of every active column with the
residual; so the residual is e + c u, and the product of any column with it is `fixed` + c `rate`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ...core.numeric import TINY
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from .cholesky_update import ChangingRows

MIN_WATCHED = 32
WATCHED_FRACTION = 16  # one column in this many is watched
FEW_ENTRIES = 200_000
LOOKAHEAD = 0.9  # columns are chosen by their products down to this fraction of the level


class Segment(NamedTuple):
    """Products with the residual at level c: fixed + c rate, for some columns and for the active ones.

    The residual sum of squares at level c is `rest` + c^2 `curvature`.
    """

    columns: Array
    fixed: Array
    rate: Array
    fixed_active: Array
    rate_active: Array
    rest: float
    curvature: float


class Products(Protocol):
    """Where the products come from; `active` are the columns that have entered, in order."""

    cross: Array
    norms: Array
    length: float
    active: Array

    def with_all(self, j: int) -> Array:
        """Products of column j with all columns."""

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

    def segment(self, line: Array) -> Segment:
        """The segment with active coefficients b - c w, given as `line` = (b, w), for the columns that are watched."""

    def overlooks_none(self, level: float, next_level: float) -> bool:
        """Whether no column that is not watched can exceed the level before `next_level`, on the last segment."""

    def whole_segment(self, level: float) -> Segment:
        """The last segment for all columns; from now on those are watched that may matter next below `level`."""

    def memory(self) -> dict[str, Any]:
        """The state from which the path resumes with the same bits."""

    def recall(self, memory: dict[str, Any]) -> None:
        """Go on from what `memory` gave."""


class Sizes(Protocol):
    """The lengths of the columns and of the target."""

    norms: Array
    length: float


def relative_rounding(source: Sizes, coefs: Array, dtype: Any) -> float:
    """An upper bound of the change of products with the residual by storing `coefs` (knots, features) in `dtype`.

    It is relative to the lengths of column and target; zero in double precision, where the fit itself rounds by more.
    """
    if dtype == np.float64 or source.length == 0:
        return 0.0
    return float((np.abs(coefs) @ source.norms).max(initial=0.0)) * float(np.finfo(dtype).eps) / 2 / source.length


class GramProducts:
    """Products from a Gram matrix: a segment costs active x features, and every column is watched."""

    def __init__(self, gram: Array, cross: Array, square: float) -> None:
        self.gram, self.cross, self.square = gram, cross, square
        self.norms = np.sqrt(np.maximum(gram.diagonal(), 0.0))
        self.length = float(np.sqrt(max(square, 0.0)))
        self.active = np.empty(0, dtype=np.int64)
        self._all = np.arange(len(gram))
        self._rows = ChangingRows(len(gram))

    def with_all(self, j: int) -> Array:
        """Products of column j with all columns."""
        return np.asarray(self.gram[j])

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""
        return np.ascontiguousarray(self._rows.matrix[:, j])

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""
        rows = self._rows.matrix
        return float(self.gram[j, j] - weights @ (2 * rows[:, j] - rows[:, self.active] @ weights))

    def enter(self, j: int) -> None:
        """Make column j the last active one."""
        self._rows.append(self.gram[j])
        self.active = _longer(self.active, j)

    def leave(self, position: int) -> None:
        """Make an active column inactive."""
        self._rows.delete(position)
        self.active = _shorter(self.active, position)

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""
        products = self.cross - b @ self._rows.matrix
        left = self.square - float(b @ (self.cross[self.active] + products[self.active]))
        return products, max(left, 0.0)

    def segment(self, line: Array) -> Segment:
        """The segment with active coefficients b - c w, for all columns."""
        active, (b, w) = self.active, line
        fitted, rate = line @ self._rows.matrix  # one pass over the rows serves both
        fixed = self.cross - fitted
        fixed_active, rate_active = fixed[active], rate[active]
        rest = max(self.square - float(b @ (self.cross[active] + fixed_active)), 0.0)
        return Segment(self._all, fixed, rate, fixed_active, rate_active, rest, float(w @ rate_active))

    def overlooks_none(self, level: float, next_level: float) -> bool:
        """Whether every column is watched: yes."""
        return True

    def whole_segment(self, level: float) -> Segment:
        """Not needed: every column is watched."""
        raise NotImplementedError

    def memory(self) -> dict[str, Any]:
        """Nothing to keep."""
        return {}

    def recall(self, memory: dict[str, Any]) -> None:
        """Nothing to recall."""


class ColumnProducts:
    """Products from the columns themselves, a contiguous row for each, of which only some are watched.

    All products are known for one segment. On a later one the residual differs from that segment, extended, by some
    vector d, and the product with column x by at most |x| |d|: most columns are thereby proven to stay below the level.
    """

    def __init__(self, columns: Array, target: Array, norms: Array, positive: bool = False) -> None:
        self.columns, self.target, self.norms, self.positive = columns, target, norms, positive
        self.cross = kernels.matvec(columns, target)
        self.length = float(np.linalg.norm(target))
        self.active = np.empty(0, dtype=np.int64)
        self._rows = ChangingRows(len(target))
        self._both = np.stack([target, np.zeros_like(target)])  # what is left at level zero, and its change per level
        self._watched = np.empty(0, dtype=np.int64)

    def with_all(self, j: int) -> Array:
        """Products of column j with all columns."""
        return kernels.matvec(self.columns, self.columns[j])

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""
        return np.asarray(self._rows.matrix @ self.columns[j])

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""
        apart = self.columns[j] - weights @ self._rows.matrix
        return float(apart @ apart)

    def enter(self, j: int) -> None:
        """Make column j the last active one."""
        self._rows.append(self.columns[j])
        self.active = _longer(self.active, j)

    def leave(self, position: int) -> None:
        """Make an active column inactive, and watch it."""
        column = int(self.active[position])
        self.active = _shorter(self.active, position)
        self._rows.delete(position)
        self._watched = _longer(self._watched, column)
        self._watched_columns.append(self.columns[column])

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""
        left = self.target - b @ self._rows.matrix
        return kernels.matvec(self.columns, left), float(left @ left)

    def segment(self, line: Array) -> Segment:
        """The segment with active coefficients b - c w, for the watched columns."""
        if not len(self._watched):
            self._watch(float(self._size(self.cross).max(initial=0.0)), self.cross, np.zeros(len(self.columns)))
        self._both = line @ self._rows.matrix  # one pass over the rows serves both
        np.subtract(self.target, self._both[0], out=self._both[0])
        return self._along(self._watched, self._watched_columns.matrix)

    def overlooks_none(self, level: float, next_level: float) -> bool:
        """Whether no column that is not watched can exceed the level before `next_level`, on the last segment."""
        if not len(self._outside_norms):
            return True
        off = kernels.largest_distance(self._both, self._known, level, next_level)
        fixed, rate, norms = self._outside_fixed, self._outside_rate, self._outside_norms
        return bool(kernels.largest_excess(fixed, rate, norms, off, level, next_level, self.positive) < 0)

    def whole_segment(self, level: float) -> Segment:
        """The last segment for all columns; from now on those are watched that may matter next below `level`."""
        whole = self._along(np.arange(len(self.columns)), self.columns)
        self._watch(level, whole.fixed, whole.rate)
        return whole

    def memory(self) -> dict[str, Any]:
        """Which columns are watched, since which segment; nothing before the first."""
        return {"watched": self._watched, "known": self._known} if len(self._watched) else {}

    def recall(self, memory: dict[str, Any]) -> None:
        """Watch the columns that `memory` names."""
        if memory:
            self._known = memory["known"]
            fixed, rate = _both_products(self.columns, self._known)
            self._watch_columns(memory["watched"], fixed, rate)

    def _watch(self, level: float, fixed: Array, rate: Array) -> None:
        """Watch the columns whose products may reach the level first on this segment."""
        self._known = self._both
        margin = np.minimum(*(c - self._size(fixed + c * rate) for c in (level, LOOKAHEAD * level)))
        margin /= np.maximum(self.norms, TINY)
        margin[self.active] = np.inf
        count = max(MIN_WATCHED, len(self.columns) // WATCHED_FRACTION)
        watched = np.argpartition(margin, count)[:count] if count < len(margin) else np.arange(len(margin))
        self._watch_columns(np.sort(watched), fixed, rate)

    def _along(self, indices: Array, columns: Array) -> Segment:
        rest, curvature = both = self._both
        fixed, rate = _both_products(columns, both)
        fixed_active, rate_active = _both_products(self._rows.matrix, both)
        return Segment(
            indices, fixed, rate, fixed_active, rate_active, float(rest @ rest), float(curvature @ curvature)
        )

    def _watch_columns(self, watched: Array, fixed: Array, rate: Array) -> None:
        self._watched, self._watched_columns = watched, ChangingRows.of(self.columns[watched])
        outside = np.ones(len(self.columns), dtype=bool)
        outside[watched] = outside[self.active] = False
        self._outside_fixed, self._outside_rate = fixed[outside], rate[outside]
        self._outside_norms = self.norms[outside]

    def _size(self, products: Array) -> Array:
        return products if self.positive else np.abs(products)


def _both_products(columns: Array, both: Array) -> tuple[Array, Array]:
    """Products of columns with two vectors: in one go if they fit the cache, where BLAS is quick, else one by one."""
    if columns.size <= FEW_ENTRIES:
        fixed, rate = both @ columns.T
        return fixed, rate
    return kernels.matvec(columns, both[0]), kernels.matvec(columns, both[1])


def _longer(indices: Array, last: int) -> Array:
    return np.concatenate([indices, np.array([last])])


def _shorter(indices: Array, position: int) -> Array:
    return np.concatenate([indices[:position], indices[position + 1 :]])
