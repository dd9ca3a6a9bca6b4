"""Input of sequence models: rows of one or several sequences, labels of their steps, weights of sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError, Estimator
from ..core.validate.dataframes import is_frame, opened


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
    """`X` as rows of sequences: a table with `lengths`, a list of tables, or an array (sequences, steps, columns).

    `lengths` may name a column of a data frame that has the same value in all rows of a sequence.
    """
    owner = type(model).__name__
    if isinstance(lengths, str):
        X, lengths = split_by_column(owner, X, lengths)
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


def split_by_column(owner: str, table: Any, name: str) -> tuple[Any, Array]:
    """A data frame without the column `name`, and the lengths of the runs of its values, of which each is one sequence.

    >>> import pandas as pd
    >>> table, lengths = split_by_column("GaussianHMM", pd.DataFrame({"day": [1, 1, 2], "x": [3, 4, 5]}), "day")
    >>> list(table.columns), lengths.tolist()
    (['x'], [2, 1])
    """
    if not is_frame(table):
        kind = type(table).__name__
        raise DataError(f"{owner}: lengths={name!r:.40} is for a data frame with a column of this name; got {kind}")
    frame = opened(table)
    if name not in frame.columns:
        known = f"{list(frame.columns)!r:.80}"
        raise DataError(f"{owner}: X has no column {name!r:.40}, which lengths names; it has {known}")
    values = frame.get_column(name).to_list()
    begins = [row for row, value in enumerate(values) if row == 0 or value != values[row - 1]]
    seen: set[Any] = set()
    for row in begins:
        value = values[row]
        if value is None or value != value:
            raise DataError(f"{owner}: column {name!r:.40} says which sequence a row is of; row {row} has no value")
        if value in seen:
            raise DataError(
                f"{owner}: the rows of X with {name}={value!r:.40} are not together: row {row} comes after another "
                f"sequence; sort the table by {name!r:.40} first"
            )
        seen.add(value)
    return frame.drop(name).to_native(), np.diff([*begins, len(values)])


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
    total = sum(found.tolist())  # which no sum of 8 bytes can hide
    if total != rows:
        raise DataError(f"{owner}: lengths add up to {total}, but X has {rows} rows")
    return found.astype(np.int64)


def checked_states(owner: str, y: Any, rows: int, states: int) -> Array | None:
    """The known states of the rows as codes, -1 where unknown; None if none is known.

    A boolean table (rows, states) says which states each row may have, and stays as it is.
    """
    if y is None:
        return None
    if np.ndim(y) == 2 and np.asarray(y).dtype == bool:
        return _checked_mask(owner, np.asarray(y), rows, states)
    found = np.concatenate([np.asarray(each) for each in y]) if _is_ragged(y) else np.asarray(y)
    if found.shape != (rows,):
        raise DataError(f"{owner}: y must have a state for each of the {rows} rows; it has the shape {found.shape}")
    if found.dtype.kind not in "iuf" or not np.isin(found, np.arange(-1, states)).all():
        raise DataError(
            f"{owner}: y must hold states from 0 to {states - 1} (n_components={states}), and -1 where the state is "
            f"unknown; got {np.unique(found)[:10].tolist()}"
        )
    return None if (found == -1).all() else found.astype(np.int64)


def _checked_mask(owner: str, allowed: Array, rows: int, states: int) -> Array | None:
    if allowed.shape != (rows, states):
        raise DataError(
            f"{owner}: a boolean y must have a row for each row of X and a column for each of n_components={states} "
            f"states, ({rows}, {states}); it has the shape {allowed.shape}"
        )
    if not allowed.any(axis=1).all():
        raise DataError(f"{owner}: y allows no state in row {int(np.argmin(allowed.any(axis=1)))}")
    return None if allowed.all() else allowed


def forbid_states(node: Array, states: Array | None) -> Array:
    """Log potentials of the states of each row, -inf for those that known `states` or a table of allowed ones rule out.

    >>> forbid_states(np.zeros((2, 2)), np.array([1, -1])).tolist()
    [[-inf, 0.0], [0.0, 0.0]]
    """
    if states is None:
        return node
    if states.ndim == 2:
        return np.where(states, node, -np.inf)
    others = np.arange(node.shape[1]) != states[:, None]
    return np.where(others & (states >= 0)[:, None], -np.inf, node)


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
