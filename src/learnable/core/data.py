"""The one door through which data comes in: any table becomes a checked matrix with column names.

Accepted: NumPy arrays of any order and dtype, SciPy sparse, pandas, polars and pyarrow tables, lists.
float32 stays float32, everything else becomes float64, and nothing is copied that need not be.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from .errors import DataConversionWarning, DataError, warn
from .frames import is_frame, numbers_of
from .native import kernels

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Matrix: TypeAlias = Any  # numpy.ndarray or a SciPy sparse CSR/CSC array
Missing = Literal["refuse", "native"]
Storage = Literal["csr", "csc"]


@dataclass(frozen=True, slots=True)
class Data:
    """A checked training set: matrix, target, weights (None: all one) and column names (None: unnamed)."""

    X: Matrix
    y: Array
    weight: Array | None
    names: list[str] | None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def p(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])


@dataclass(frozen=True, slots=True)
class Door:
    """What an estimator lets in; `owner` is its name in messages."""

    owner: str
    sparse: bool = False
    storage: Storage = "csc"
    missing: Missing = "refuse"

    def matrix(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix of finite numbers, and its column names if it has any."""
        if type(X) is not np.ndarray:
            X, names = self._unwrapped(X)
        else:
            names = None
        if type(X) is np.ndarray or isinstance(X, np.ndarray):
            X = self._dense(X, names)
            values = X
        else:
            X = self._sparse(X)
            values = X.data
        self._refuse_missing(X, values, names)
        return X, names

    def _unwrapped(self, X: Any) -> tuple[Any, list[str] | None]:
        """The array or sparse matrix inside `X`, with its column names."""
        if isinstance(X, np.ndarray) or _is_sparse(X):
            return X, None
        if is_frame(X):
            return numbers_of(X, self.owner)
        if isinstance(X, (str, bytes)) or X is None or np.isscalar(X):
            raise DataError(f"{self.owner}: X must be a table of numbers; got {type(X).__name__} {X!r:.40}")
        return self._from_rows(X), None

    def _from_rows(self, rows: Any) -> Array:
        """A list of rows, or whatever NumPy can read as a table."""
        try:
            return np.asarray(rows)
        except ValueError:
            lengths = [len(row) if hasattr(row, "__len__") else 1 for row in rows]
            odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
            raise DataError(
                f"{self.owner}: the rows of X differ in length: row 0 has {lengths[0]} entries, "
                f"row {odd} has {lengths[odd]}"
            ) from None

    def _dense(self, X: Array, names: list[str] | None) -> Array:
        if X.ndim != 2:
            raise DataError(
                f"{self.owner}: X must have 2 dimensions, rows and columns; got {X.ndim}. Reshape your data: "
                "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
            )
        n, p = X.shape
        if n == 0:
            raise DataError(
                f"{self.owner}: X has no rows: 0 sample(s) (shape={X.shape}) while a minimum of 1 is required."
            )
        if p == 0:
            raise DataError(
                f"{self.owner}: X has no columns: 0 feature(s) (shape={X.shape}) while a minimum of 1 is required."
            )
        return self._real(X, names)

    def _real(self, X: Array, names: list[str] | None) -> Array:
        """`X` in float32 or float64, in an order that kernels can walk."""
        if _is_masked(X):
            X = np.ma.filled(X.astype(np.float64), np.nan)
        if X.dtype.kind not in "fiubO":
            raise DataError(self._kind_message(X, names))
        if X.dtype != np.float64 and X.dtype != np.float32:
            try:
                X = np.asarray(X, dtype=np.float64)
            except TypeError as error:
                raise TypeError(
                    f"{self.owner}: argument must be a string or a real number in every cell of X: {error}"
                ) from None
            except ValueError:
                raise DataError(self._text_message(X, names)) from None
        if X.flags.aligned and (X.flags.c_contiguous or X.flags.f_contiguous) and X.dtype.isnative:
            return X if type(X) is np.ndarray else X.view(np.ndarray)
        return np.require(X, X.dtype.newbyteorder("="), ["C", "A"])

    def _kind_message(self, X: Array, names: list[str] | None) -> str:
        if X.dtype.kind == "c":
            return f"{self.owner}: Complex data not supported; split X into its real and imaginary columns"
        return (
            f"{self.owner}: X holds {X.dtype}, not numbers ({X[0, 0]!r:.40} in {column_name(names, 0)}, row 0); "
            "encode it as numbers or drop it"
        )

    def _text_message(self, X: Array, names: list[str] | None) -> str:
        for j in range(X.shape[1]):
            for i in range(X.shape[0]):
                try:
                    float(X[i, j])
                except (TypeError, ValueError):
                    where, remedy = column_name(names, j), "encode the column as numbers or drop it"
                    return f"{self.owner}: {where} holds {X[i, j]!r:.40} in row {i}, not a number; {remedy}"
        return f"{self.owner}: X cannot be read as numbers"

    def _sparse(self, X: Any) -> Any:
        if not self.sparse:
            raise TypeError(
                f"{self.owner} needs dense data, but X is a sparse matrix; use X.toarray() if it fits in memory"
            )
        if X.ndim != 2 or 0 in X.shape:
            raise DataError(
                f"{self.owner}: X has shape {X.shape}: 0 sample(s) or 0 feature(s) "
                "while a minimum of 1 is required of each"
            )
        if X.dtype.kind not in "fiub":
            raise DataError(f"{self.owner}: X holds {X.dtype}. Complex data not supported; use real numbers")
        self._check_indices(X)
        matrix = X.asformat(self.storage)
        if matrix.dtype not in (np.float64, np.float32):
            matrix = matrix.astype(np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy() if matrix is X else matrix
            matrix.sum_duplicates()
        return matrix

    def _check_indices(self, matrix: Any) -> None:
        """Compiled code trusts the index arrays of a sparse matrix, so they are looked at before it sees them."""
        rows, columns = matrix.shape
        if matrix.format == "coo":
            sound = _within(matrix.row, rows) and _within(matrix.col, columns)
        elif matrix.format in ("csr", "csc"):
            ends = matrix.indptr
            sound = _within(matrix.indices, columns if matrix.format == "csr" else rows)
            sound = sound and ends[0] == 0 and ends[-1] <= len(matrix.indices) and bool((ends[1:] >= ends[:-1]).all())
        else:
            return
        if not sound:
            raise DataError(
                f"{self.owner}: X is a broken sparse matrix: an index points outside its shape {matrix.shape}"
            )

    def _refuse_missing(self, X: Matrix, values: Array, names: list[str] | None) -> None:
        first = kernels.first_non_finite(values)
        if first >= 0 and self.missing == "native":
            first = kernels.first_non_finite(np.where(np.isnan(values), 0, values))
        if first < 0:
            return
        row, column = self._position(X, first)
        value = values.ravel(order="K")[first]
        word = "NaN" if np.isnan(value) else "infinity"
        remedy = "fill or drop missing values first" if np.isnan(value) else "clip or remove it"
        count = int(np.count_nonzero(~np.isfinite(values)))
        raise DataError(
            f"{self.owner}: X contains {word} in {column_name(names, column)}, row {row} "
            f"({count} bad value{'s' if count > 1 else ''} in all); {remedy}"
        )

    def _position(self, X: Matrix, flat: int) -> tuple[int, int]:
        if isinstance(X, np.ndarray):
            order: Literal["C", "F"] = "C" if X.flags.c_contiguous else "F"
            row, column = np.unravel_index(flat, X.shape, order=order)
            return int(row), int(column)
        coordinates = X.tocoo()
        return int(coordinates.row[flat]), int(coordinates.col[flat])

    def target(self, y: Any, rows: int, dtype: Any, several: bool) -> Array:
        """A numeric target of `rows` rows in `dtype`: shape (rows,), or (rows, targets) where `several` are allowed."""
        if y is None:
            raise DataError(f"{self.owner} requires y to be passed, but the target y is None; call fit(X, y)")
        values = self._column(y, "y")
        if values.ndim == 2 and values.shape[1] == 1 and not several:
            warn(
                f"A column-vector y was passed when a 1d array was expected by {self.owner}: "
                f"shape {values.shape}; use y.ravel()",
                DataConversionWarning,
            )
            values = values[:, 0]
        if values.ndim == 0 or values.ndim > 2 or (values.ndim == 2 and not several):
            raise DataError(f"{self.owner}: y should be a 1d array of {rows} numbers; got shape {values.shape}")
        if len(values) != rows:
            raise DataError(f"{self.owner}: X has {rows} rows but y has {len(values)}: inconsistent numbers of samples")
        numbers = self._numeric_target(values, dtype)
        bad = kernels.first_non_finite(numbers)
        if bad >= 0:
            word = "NaN" if np.isnan(numbers.ravel()[bad]) else "infinity"
            row = bad // max(1, numbers.size // rows)
            raise DataError(f"{self.owner}: Input y contains {word} in row {row}; drop the rows without a target")
        return numbers

    def _column(self, values: Any, name: str) -> Array:
        """A target or weights given as array, list, Series or frame, as an array."""
        try:
            return as_column_array(values)
        except ValueError as error:
            raise DataError(f"{self.owner}: {name} cannot be read as an array: {error}") from None

    def _numeric_target(self, values: Array, dtype: Any) -> Array:
        if values.dtype == dtype and values.flags.carray and type(values) is np.ndarray:
            return values
        if values.dtype.kind == "c":
            raise DataError(f"{self.owner}: Complex data not supported in y")
        try:
            if values.dtype.kind in "fiubO":
                with np.errstate(over="ignore"):  # too large for float32 is found as an infinity
                    return np.require(values, dtype, ["C", "A"])
        except (TypeError, ValueError):
            pass
        for row, value in enumerate(values.ravel().tolist()):
            if value is not None and not isinstance(value, (int, float, np.number)):
                raise DataError(
                    f"{self.owner}: y holds {value!r:.40} in row {row}, not a number: "
                    "Unknown label type for regression; use a classifier, or encode y as numbers"
                )
        raise DataError(f"{self.owner}: y cannot be read as numbers")

    def weights(self, weight: Any, rows: int) -> Array | None:
        """Sample weights in float64, or None where all rows count alike."""
        if weight is None:
            return None
        values = np.full(rows, weight) if np.isscalar(weight) else self._column(weight, "sample_weight")
        if values.dtype.kind not in "fiubO":
            raise DataError(f"{self.owner}: sample_weight holds {values.dtype}, not numbers")
        if values.ndim != 1:
            raise DataError(
                f"{self.owner}: Sample weights must be 1D array or scalar; got sample_weight of shape {values.shape}"
            )
        if len(values) != rows:
            raise DataError(
                f"{self.owner}: X has {rows} rows but sample_weight has shape {values.shape}, expected ({rows},)"
            )
        return self._checked_weights(np.require(values, np.float64, ["C", "A"]))

    def _checked_weights(self, values: Array) -> Array:
        bad = kernels.first_non_finite(values)
        if bad >= 0:
            raise DataError(
                f"{self.owner}: Input sample_weight contains {values[bad]} in row {bad}; every weight must be finite"
            )
        if (values < 0).any():
            row = int(np.argmax(values < 0))
            raise DataError(
                f"{self.owner}: Negative values in data passed to `sample_weight`: {values[row]:g} in row {row}; "
                "weights count rows"
            )
        if not values.any():
            raise DataError(f"{self.owner}: sample_weight is zero for every row; at least one sample must count")
        return values


def column_name(names: Sequence[str] | None, j: int) -> str:
    """How messages call column `j`."""
    return f"column {names[j]!r}" if names is not None else f"column {j}"


def as_column_array(values: Any) -> Array:
    """A target or weights given as array, list, Series, table or masked array, as an array; masked entries are NaN."""
    if _is_masked(values):
        return np.ma.filled(values.astype(np.float64), np.nan)
    if isinstance(values, np.ndarray):
        return values
    if _is_sparse(values):
        raise DataError("it is a sparse matrix; pass it as a dense array with y.toarray()")
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def _within(indices: Array, length: int) -> bool:
    return len(indices) == 0 or bool(indices.min() >= 0 and indices.max() < length)


def _is_masked(values: Any) -> bool:
    """Whether it is a masked array; nobody who has not imported them can have one."""
    return "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray)


def _is_sparse(X: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))
