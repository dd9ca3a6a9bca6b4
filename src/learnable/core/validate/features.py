"""Validation of features: any table becomes a checked matrix with column names.

Accepted: NumPy arrays of any order and dtype, SciPy sparse, pandas, polars and pyarrow tables, lists.
float32 stays float32, everything else becomes float64, and nothing is copied that need not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import DataError
from ..numeric import describe_beyond_floats
from ..runtime.native import kernels
from .dataframes import is_frame, labels_of, names_among, numbers_of
from .mixed_table import Array as Array
from .mixed_table import CategoricalColumn, Table, columns_of_array, is_missing, parts_of_frame
from .sparse_input import as_dense, refuse_broken
from .targets import TargetValidator, is_masked, is_sparse, no_rows, unmasked

MAX_LINES = 2**31 - 1  # rows or columns of a sparse matrix, which compiled code counts in 32 bits
Matrix: TypeAlias = Any  # numpy.ndarray or a SciPy sparse CSR/CSC array
Missing = Literal["refuse", "native"]
Storage = Literal["csr", "csc", "given"]  # one of both, or CSC where X is that and CSR otherwise


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
    def total_weight(self) -> int | float:
        """How many rows there are, each as often as its weight says; a whole number wherever it is one."""
        total = self.n if self.weight is None else float(self.weight.sum())
        return int(total) if total == int(total) else total

    @property
    def p(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])


@dataclass(frozen=True, slots=True)
class FeatureValidator(TargetValidator):
    """What an estimator lets in."""

    sparse: bool = False
    storage: Storage = "csc"
    missing: Missing = "refuse"
    infinite: bool = False

    def matrix(self, X: Any, unseen: bool = False) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix of numbers, finite unless others are let in, and its column names if it has any.

        Whether they are finite is left `unseen` for estimators that detect it and call `refuse_missing`.
        """
        if type(X) is not np.ndarray:
            X, names = self._unwrapped(X)
        else:
            names = None
        if type(X) is np.ndarray or isinstance(X, np.ndarray):
            X = self._dense(X, names)
        else:
            X = self._sparse(X)
        if not unseen:
            self.refuse_missing(X, names)
        return X, names

    def table(self, X: Any) -> tuple[Table, list[str] | None]:
        """`X` as columns of any kind, and their names if they have any."""
        if is_sparse(X):
            X, _ = self.matrix(X)  # says what is wrong, or makes numbers of it
            X = as_dense(X, self.owner)
        if is_frame(X):
            labels = labels_of(X, self.owner)
            names = names_among(labels, self.owner)
            self.refuse_empty((len(X), len(labels)))
            columns: Any = parts_of_frame(X, labels)
        else:
            names = None
            columns = columns_of_array(self.objects(X))
        for j, column in enumerate(columns):
            self._refuse_missing_in(column, j, names)
        return Table(columns, names), names

    def objects(self, X: Any) -> Array:
        """A matrix of numbers, or of Python objects where some entries are not numbers."""
        if isinstance(X, (str, bytes)) or X is None or np.isscalar(X):
            raise DataError(f"{self.owner}: X must be a table; got {type(X).__name__} {X!r:.40}")
        X = unmasked(X) if is_masked(X) else X
        values = np.asarray(X) if isinstance(X, np.ndarray) else self._from_rows(X)
        if values.dtype.kind in "US" and not isinstance(X, np.ndarray):
            values = np.array(X, dtype=object)  # numbers beside text stay numbers
        self._refuse_flat(values)
        self.refuse_empty(values.shape)
        if values.dtype.kind == "c":
            raise DataError(self._kind_message(values, None))
        return values

    def _refuse_missing_in(self, column: Array | CategoricalColumn, j: int, names: list[str] | None) -> None:
        """Refuse infinite numbers in a column, and missing entries where they are not handled."""
        if not self.infinite and isinstance(column, np.ndarray) and column.dtype.kind == "f" and np.isinf(column).any():
            row = int(np.argmax(np.isinf(column)))
            raise DataError(
                f"{self.owner}: X contains infinity in {column_name(names, j)}, row {row}; clip or remove it"
            )
        if self.missing == "refuse" and is_missing(column).any():
            row = int(np.argmax(is_missing(column)))
            raise DataError(
                f"{self.owner}: X contains NaN in {column_name(names, j)}, row {row}; fill or drop missing values first"
            )

    def _unwrapped(self, X: Any) -> tuple[Any, list[str] | None]:
        """The array or sparse matrix inside `X`, with its column names."""
        if isinstance(X, np.ndarray) or is_sparse(X):
            return X, None
        if is_frame(X):
            return numbers_of(X, self.owner)
        if isinstance(X, (str, bytes)) or X is None or np.isscalar(X):
            raise DataError(f"{self.owner}: X must be a table of numbers; got {type(X).__name__} {X!r:.40}")
        return self._from_rows(X), None

    def _from_rows(self, rows: Any) -> Array:
        """A list of rows, or whatever NumPy can read as a table."""
        try:
            values = np.asarray(rows)
        except ValueError:
            lengths = [len(row) if hasattr(row, "__len__") else 1 for row in rows]
            odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
            raise DataError(
                f"{self.owner}: the rows of X differ in length: row 0 has {lengths[0]} entries, "
                f"row {odd} has {lengths[odd]}"
            ) from None
        if values.ndim == 0:
            raise DataError(f"{self.owner}: X {no_rows(rows, 'X')}")
        return values

    def _dense(self, X: Array, names: list[str] | None) -> Array:
        self._refuse_flat(X)
        self.refuse_empty(X.shape)
        return self._real(X, names)

    def _refuse_flat(self, X: Matrix) -> None:
        if X.ndim != 2:
            raise DataError(
                f"{self.owner}: X must have 2 dimensions, rows and columns; got {X.ndim}. Reshape your data: "
                "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
            )

    def refuse_empty(self, shape: tuple[int, ...]) -> None:
        """Refuse a table without rows or columns."""
        for length, many, one in zip(shape, ("rows", "columns"), ("sample", "feature"), strict=True):
            if length == 0:
                raise DataError(
                    f"{self.owner}: X has no {many}: 0 {one}(s) (shape={shape}) while a minimum of 1 is required."
                )

    def _real(self, X: Array, names: list[str] | None) -> Array:
        """`X` in float32 or float64, in an order that kernels can walk."""
        if is_masked(X):
            X = unmasked(X)
        if X.dtype.kind not in "fiubO":
            raise DataError(self._kind_message(X, names))
        if X.dtype != np.float64 and X.dtype != np.float32 and X.dtype.newbyteorder("=") != np.float32:
            try:
                X = np.asarray(X, dtype=np.float64)
            except TypeError as error:
                raise TypeError(
                    f"{self.owner}: argument must be a string or a real number in every cell of X: {error}"
                ) from None
            except (ValueError, OverflowError):
                raise DataError(self._odd_entry(X, names) or f"{self.owner}: X cannot be read as numbers") from None
        if X.flags.aligned and (X.flags.c_contiguous or X.flags.f_contiguous) and X.dtype.isnative:
            return X if type(X) is np.ndarray else X.view(np.ndarray)
        return np.require(X, X.dtype.newbyteorder("="), ["C", "A"])

    def _kind_message(self, X: Array, names: list[str] | None) -> str:
        if X.dtype.kind == "c":
            return f"{self.owner}: Complex data not supported; split X into its real and imaginary columns"
        text = X.dtype.kind in "US"  # of numbers as well, where some entries of a list are texts
        return (self._odd_entry(X, names) if text else "") or (
            f"{self.owner}: X holds {'text' if text else X.dtype}, not numbers ({X[0, 0]!r:.40} in "
            f"{column_name(names, 0)}, row 0); encode it as numbers or drop it"
        )

    def _odd_entry(self, X: Array, names: list[str] | None) -> str:
        """What is wrong with the first entry that is not a number, if there is one."""
        for j in range(X.shape[1]):
            where = f"{self.owner}: {column_name(names, j)}"
            for i in range(X.shape[0]):
                try:
                    float(X[i, j])
                except OverflowError:
                    return f"{where} {describe_beyond_floats(X[:, j])}"
                except (TypeError, ValueError):
                    remedy = "encode the column as numbers or drop it"
                    return f"{where} holds {X[i, j]!r:.40} in row {i}, not a number; {remedy}"
        return ""

    def _sparse(self, X: Any) -> Any:
        if not self.sparse:
            raise TypeError(
                f"{self.owner} needs dense data, but X is a sparse matrix; use X.toarray() if it fits in memory"
            )
        refuse_broken(self.owner, "X", X)
        self._refuse_flat(X)
        self.refuse_empty(X.shape)
        if X.dtype.kind not in "fiub":
            raise DataError(f"{self.owner}: X holds {X.dtype}. Complex data not supported; use real numbers")
        if max(X.shape) > MAX_LINES:
            raise DataError(
                f"{self.owner}: X is a sparse matrix of shape {X.shape}, and at most {MAX_LINES} rows or columns can "
                "be indexed; leave out columns that are empty, or hash them"
            )
        matrix = _fresh(X, self.storage)
        if matrix.dtype not in (np.float64, np.float32):
            matrix = matrix.astype(np.float64)
        if not all(_is_contiguous(part) for part in (matrix.data, matrix.indices, matrix.indptr)):
            matrix = matrix.copy()
        if not matrix.has_canonical_format:
            matrix = matrix.copy() if X.format == matrix.format else matrix
            matrix.sum_duplicates()
        return matrix

    def refuse_missing(self, X: Matrix, names: Sequence[str] | None) -> None:
        """Refuse numbers that are not finite, unless these are let in, and say where the first one is."""
        values = X if isinstance(X, np.ndarray) else X.data
        first = kernels.first_non_finite(values)
        if first >= 0 and self.missing == "native":
            first = -1 if self.infinite else kernels.first_non_finite(np.where(np.isnan(values), 0, values))
        if first < 0:
            return
        row, column = self._position(X, first)
        value = values.ravel(order="K")[first]
        word = "NaN" if np.isnan(value) else "infinity"
        remedy = "fill or drop missing values first" if np.isnan(value) else "clip or remove it"
        count = int(np.count_nonzero(np.isinf(values) if self.missing == "native" else ~np.isfinite(values)))
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


def all_finite(values: Any) -> bool:
    """Whether no entry is NaN or infinite; what is not an array of numbers has none."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return True
    if values.dtype.char in "fd" and values.flags.forc:
        return kernels.first_non_finite(values) < 0
    return bool(np.isfinite(values).all())


def column_name(names: Sequence[str] | None, j: int) -> str:
    """How messages call column `j`."""
    return f"column {names[j]!r}" if names is not None else f"column {j}"


def _fresh(X: Any, storage: Storage) -> Any:
    """A sparse matrix in a format, without spare entries, and without what it remembers of the order of its indices."""
    storage = (X.format if X.format == "csc" else "csr") if storage == "given" else storage
    if X.format not in ("csr", "csc"):
        return X.asformat(storage)
    used = int(X.indptr[-1])
    data, indices = (part if len(part) == used else part[:used] for part in (X.data, X.indices))
    return type(X)((data, indices, X.indptr), shape=X.shape).asformat(storage)


def _is_contiguous(part: Array) -> bool:
    """Whether compiled code can read an array of a sparse matrix: contiguous and aligned."""
    return bool(part.flags.c_contiguous and part.flags.aligned)
