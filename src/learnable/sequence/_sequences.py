"""Input of sequence models: rows of one or several sequences, labels of their steps, weights of sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError, Estimator
from ..core.validate.dataframes import is_frame


class Sequences(NamedTuple):
    """The rows of all sequences one after the other, the length of each sequence, and the column names."""

    X: Array
    lengths: Array
    names: list[str] | None

    def per_row(self, weight: Array) -> Array:
        """The weight of its sequence for each row."""
        return np.repeat(weight, self.lengths)

    def only(self, chosen: Array) -> Sequences:
        """Those sequences whose entry of `chosen` is true."""
        return self._replace(X=self.X[np.repeat(chosen, self.lengths)], lengths=self.lengths[chosen])


def read_sequences(model: Estimator, X: Any, lengths: Any) -> Sequences:
    """`X` as rows of sequences: a table with `lengths`, a list of tables, or an array (sequences, steps, columns)."""
    owner = type(model).__name__
    if _is_several(X):
        if lengths is not None:
            raise DataError(f"{owner}: X is a list of sequences, which have lengths of their own; leave out lengths")
        tables = [model._enter(table) for table in X]
        columns = [(table.shape[1], names) for table, names in tables]
        for s, found in enumerate(columns):
            if found != columns[0]:
                raise DataError(f"{owner}: sequence {s} of X has other columns than the first: {found}, {columns[0]}")
        rows = np.concatenate([table for table, _ in tables]).astype(np.float64)
        return Sequences(rows, np.array([len(table) for table, _ in tables]), columns[0][1])
    rows, names = model._enter(X)
    return Sequences(rows.astype(np.float64, copy=False), checked_lengths(owner, lengths, rows.shape[0]), names)


def _is_several(X: Any) -> bool:
    """Whether `X` is a list of tables, or a stack of them."""
    if isinstance(X, np.ndarray):
        return X.ndim == 3
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(is_frame(x) or np.ndim(x) == 2 for x in X)


def checked_lengths(owner: str, lengths: Any, rows: int) -> Array:
    """The lengths of sequences that have `rows` rows together; None is a single sequence."""
    if lengths is None:
        return np.array([rows])
    found = np.asarray(lengths)
    if found.ndim != 1 or len(found) == 0 or found.dtype.kind not in "iu" or (found < 1).any():
        raise DataError(
            f"{owner}: lengths must be the number of rows of each sequence, whole numbers from 1; got {lengths!r:.60}"
        )
    if found.sum() != rows:
        raise DataError(f"{owner}: lengths add up to {found.sum()}, but X has {rows} rows")
    return found.astype(np.int64)


def checked_states(owner: str, y: Any, rows: int, states: int) -> Array | None:
    """The known states of the rows as codes, -1 where unknown; None if none is known."""
    if y is None:
        return None
    found = np.concatenate([np.asarray(each) for each in y]) if _is_ragged(y) else np.asarray(y)
    if found.shape != (rows,):
        raise DataError(f"{owner}: y must have a state for each of the {rows} rows; it has the shape {found.shape}")
    if found.dtype.kind not in "iuf" or not np.isin(found, np.arange(-1, states)).all():
        raise DataError(
            f"{owner}: y must hold states from 0 to {states - 1} (n_components={states}), and -1 where the state is "
            f"unknown; got {np.unique(found)[:10].tolist()}"
        )
    return None if (found == -1).all() else found.astype(np.int64)


def _is_ragged(y: Any) -> bool:
    return isinstance(y, (list, tuple)) and len(y) > 0 and all(np.ndim(each) == 1 for each in y)


def sequence_weights(owner: str, sample_weight: Any, sequences: int) -> Array:
    """The weight of each sequence; None: all one."""
    if sample_weight is None:
        return np.ones(sequences)
    found = np.asarray(sample_weight, dtype=np.float64)
    if found.shape != (sequences,):
        raise DataError(
            f"{owner}: sample_weight must have a number for each of the {sequences} sequences; it has the shape "
            f"{found.shape}"
        )
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise DataError(f"{owner}: sample_weight must be at least 0, finite, and above 0 for at least one sequence")
    return found
