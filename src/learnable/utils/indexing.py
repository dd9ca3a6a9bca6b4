"""Selection of rows and columns, at scikit-learn's import path."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.validate.columns import column_indices, take_columns
from ..core.validate.rows import check_equal_lengths, row_count, take_rows
from ..core.validate.targets import is_sparse


def indexable(*iterables: Any) -> list[Any]:
    """The tables, of equally many rows each, in a form of which rows can be taken; None stays None.

    >>> indexable([1, 2], None, range(2))
    [[1, 2], None, array([0, 1])]
    """
    found = [_rows_of(table) for table in iterables]
    given = {f"array {place}": table for place, table in enumerate(found) if table is not None}
    if given:
        check_equal_lengths("indexable", **given)
    return found


def _rows_of(table: Any) -> Any:
    if is_sparse(table):
        return table.tocsr()
    kept = table is None or hasattr(table, "shape") or isinstance(table, (list, tuple))
    return table if kept else np.array(table)


def safe_indexing(X: Any, indices: Any, *, axis: Literal[0, 1] = 0) -> Any:
    """Rows (axis 0) or columns (axis 1) of a table by number, mask or range, columns also by name.

    >>> safe_indexing([10, 20, 30], [2, 0])
    [30, 10]
    """
    if axis == 1:
        return take_columns(X, column_indices(X, indices, "_safe_indexing"))
    rows = np.arange(row_count(X))[indices]
    return take_rows(X, np.atleast_1d(rows))


def safe_mask(X: Any, mask: Any) -> Array:
    """A mask that rows of `X` can be taken by: of a sparse matrix, by their numbers.

    >>> safe_mask(np.zeros((2, 1)), [True, False])
    array([ True, False])
    """
    chosen = np.asarray(mask)
    return np.flatnonzero(chosen) if is_sparse(X) and chosen.dtype == bool else chosen


_safe_indexing = safe_indexing
