"""What can be wrong with a sparse matrix, and sparse matrices as dense arrays where memory allows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from ..errors import DataError
from ..runtime.memory import memory_to_be_had
from .mixed_table import Array
from .targets import ChecksSparse as ChecksSparse
from .targets import checks_sparse as checks_sparse
from .targets import is_sparse
from .targets import refuse_broken_among as refuse_broken_among

INDEX_TYPES = (np.dtype(np.int32), np.dtype(np.int64))  # for which SciPy has compiled code
NUMBERS = "biufc"
WIDE_CELLS = 2**24  # cells
MANY_COLUMNS = 250_000  # from here on, what methods keep for each column of a dense array takes minutes
FEW_BYTES = 2**27  # of an array of that many columns that is still quick to work with
MAX_MEMORY = 0.25  # the fraction of memory that one dense array may take: most methods make others like it
BOUNDS = "an index is out of bounds for shape {}"


def refuse_broken(owner: str, name: str, matrix: Any) -> None:
    """Refuse a sparse matrix, the argument `name` of `owner`, whose arrays do not describe a matrix of its shape."""
    flaw = flaw_of(matrix)
    if flaw:
        raise DataError(
            f"{owner}: {name} is not a valid sparse matrix: {flaw} (format {_format_of(matrix)}); its arrays were "
            "changed after it was made; build it again from the data"
        )


def flaw_of(matrix: Any) -> str:
    """What is wrong with the arrays of a sparse matrix; nothing where SciPy can follow its indices.

    >>> from scipy.sparse import csr_array
    >>> matrix = csr_array([[0.0, 1.0]])
    >>> matrix.indices[0] = 7
    >>> flaw_of(matrix)
    'an index is out of bounds for shape (1, 2)'
    """
    try:
        shape = matrix.shape
        if not isinstance(shape, tuple) or not shape or not all(isinstance(n, int) and n >= 0 for n in shape):
            return f"its shape {shape!r:.60} is not a tuple of lengths"
        return FLAWS[matrix.format](matrix, shape)
    except Exception as error:  # whatever stands in the place of an array
        return f"its arrays cannot be read: {type(error).__name__}: {error}"


def _format_of(matrix: Any) -> str:
    return str(getattr(matrix, "format", "unknown"))


def _flaw_of_compressed(matrix: Any, shape: tuple[int, ...]) -> str:
    """The flaw of a CSR, CSC or BSR matrix; entries beyond the last pointer are spare, as in SciPy."""
    block = tuple(matrix.data.shape[1:])
    if len(block) != (2 if matrix.format == "bsr" else 0):
        return f"data has {matrix.data.ndim} dimensions"
    lines, length = shape if len(shape) == 2 else (1, shape[0])
    if block:
        if 0 in block or lines % block[0] or length % block[1]:
            return f"blocks of shape {block} do not tile shape {shape}"
        lines, length = lines // block[0], length // block[1]
    elif matrix.format == "csc":
        lines, length = length, lines
    ends, indices = matrix.indptr, matrix.indices
    flaw = _flaw_of_indices(indptr=ends, indices=indices) or _flaw_of_values(matrix.data)
    if flaw:
        return flaw
    if len(ends) != lines + 1:
        return f"indptr has {len(ends)} entries for shape {shape}, not {lines + 1}"
    if ends[0] != 0 or ends[-1] < 0 or bool((ends[1:] < ends[:-1]).any()):
        return "indptr must begin at 0 and never decrease"
    if ends[-1] > min(len(indices), len(matrix.data)):
        return f"indptr ends at {ends[-1]}, but there are {len(indices)} indices and {len(matrix.data)} entries"
    return "" if _within(indices[: ends[-1]], length) else BOUNDS.format(shape)


def _flaw_of_coordinates(matrix: Any, shape: tuple[int, ...]) -> str:
    """The flaw of a COO matrix."""
    coordinates = matrix.coords
    flaw = _flaw_of_indices(**{f"coords[{axis}]": one for axis, one in enumerate(coordinates)})
    flaw = flaw or _flaw_of_values(matrix.data)
    if flaw:
        return flaw
    if len(coordinates) != len(shape) or {len(one) for one in coordinates} != {len(matrix.data)}:
        return f"coords and data differ in length: {[len(one) for one in coordinates]} and {len(matrix.data)}"
    return "" if all(map(_within, coordinates, shape)) else BOUNDS.format(shape)


def _flaw_of_diagonals(matrix: Any, shape: tuple[int, ...]) -> str:
    """The flaw of a DIA matrix; SciPy miscounts the entries of diagonals that lie far outside its shape."""
    offsets, data = matrix.offsets, matrix.data
    flaw = _flaw_of_indices(offsets=offsets) or _flaw_of_values(data, dimensions=2)
    if flaw:
        return flaw
    if len(offsets) != len(data) or len(np.unique(offsets)) != len(offsets):
        return f"{len(offsets)} offsets, {len(np.unique(offsets))} of them distinct, for {len(data)} diagonals"
    outside = len(offsets) > 0 and (offsets.min() < -shape[0] or offsets.max() > shape[1])
    return f"a diagonal lies outside shape {shape}" if outside else ""


def _flaw_of_lists(matrix: Any, shape: tuple[int, ...]) -> str:
    """The flaw of a LIL matrix."""
    rows, data = matrix.rows, matrix.data
    for name, lists in (("rows", rows), ("data", data)):
        if not isinstance(lists, np.ndarray) or lists.shape != shape[:1] or any(type(one) is not list for one in lists):
            return f"{name} does not hold {shape[0]} lists"
    lengths, entries = list(map(len, rows)), list(map(len, data))
    if lengths != entries:
        row = next(i for i, pair in enumerate(zip(lengths, entries, strict=True)) if pair[0] != pair[1])
        return f"row {row} has {lengths[row]} indices and {entries[row]} entries"
    indices, values = (np.array(list(chain.from_iterable(lists))) for lists in (rows, data))
    if sum(lengths) and (indices.ndim != 1 or indices.dtype.kind not in "iu"):
        return "rows holds something that is not an index"
    return _flaw_of_values(values) or ("" if _within(indices, shape[1]) else BOUNDS.format(shape))


def _flaw_of_keys(matrix: Any, shape: tuple[int, ...]) -> str:
    """The flaw of a DOK matrix."""
    keys, values = np.array(list(matrix.keys())), np.array(list(matrix.values()))
    if len(keys) == 0:
        return ""
    keys = keys[:, None] if keys.ndim == 1 else keys
    if keys.shape[1:] != (len(shape),) or keys.dtype.kind not in "iu":
        return f"a key does not hold {len(shape)} indices"
    return _flaw_of_values(values) or ("" if all(map(_within, keys.T, shape)) else BOUNDS.format(shape))


FLAWS: dict[str, Callable[[Any, tuple[int, ...]], str]] = {
    "csr": _flaw_of_compressed,
    "csc": _flaw_of_compressed,
    "bsr": _flaw_of_compressed,
    "coo": _flaw_of_coordinates,
    "dia": _flaw_of_diagonals,
    "lil": _flaw_of_lists,
    "dok": _flaw_of_keys,
}


def _flaw_of_indices(**arrays: Array) -> str:
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.ndim != 1:
            return f"{name} is not an array of one dimension"
        if array.dtype not in INDEX_TYPES:
            return f"{name} holds {array.dtype}, not int32 or int64"
    return ""


def _flaw_of_values(data: Any, dimensions: int | None = None) -> str:
    if not isinstance(data, np.ndarray) or data.dtype.kind not in NUMBERS:
        return f"data holds {getattr(data, 'dtype', type(data).__name__)}, not numbers"
    return "" if dimensions in (None, data.ndim) else f"data has {data.ndim} dimensions, not {dimensions}"


def _within(indices: Array, length: int) -> bool:
    return len(indices) == 0 or bool(indices.min() >= 0 and indices.max() < length)


def is_wide(X: Any) -> bool:
    """Whether it is a sparse matrix so large that methods go by its columns with entries alone."""
    return is_sparse(X) and (X.shape[0] * X.shape[1] > WIDE_CELLS or X.shape[1] > MANY_COLUMNS)


def used_columns(X: Any) -> Array:
    """The numbers of the columns of a CSR or CSC matrix that hold an entry."""
    return np.flatnonzero(np.diff(X.indptr)) if X.format == "csc" else np.unique(X.indices)


def as_dense(X: Any, owner: str = "") -> Array:
    """A matrix as a dense array; refused at once where that takes too much memory, or tables of too many columns."""
    if not is_sparse(X):
        return np.asarray(X)
    rows, columns = X.shape
    size = rows * columns * X.dtype.itemsize
    if size > memory_to_be_had() * MAX_MEMORY or (columns > MANY_COLUMNS and size > FEW_BYTES):
        named = f"{owner}: X" if owner else "X"
        raise DataError(
            f"{named} is a sparse matrix of {columns} columns, of which this method makes a dense array, here of "
            f"{size / 2**30:.3g} GiB; reduce the columns first, for example by SelectKBest or TruncatedSVD, or take a "
            "linear model or naive Bayes, which stay sparse"
        )
    return np.asarray(X.toarray())
