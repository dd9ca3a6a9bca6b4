"""Checks of tables for custom estimators: what holds numbers becomes an array, all else an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import checked
from ..core.validate.dataframes import is_frame, numbers_of
from ..core.validate.features import FeatureValidator
from ..core.validate.rows import check_equal_lengths
from ..core.validate.targets import is_sparse

Finite = bool | Literal["allow-nan"]


@checked()
def check_array(
    array: Any,
    accept_sparse: bool | str | Sequence[str] = False,
    *,
    accept_large_sparse: bool = True,
    dtype: Any = "numeric",
    order: Literal["C", "F"] | None = None,
    copy: bool = False,
    force_writeable: bool = False,
    ensure_all_finite: Finite = True,
    ensure_non_negative: bool = False,
    ensure_2d: bool = True,
    allow_nd: bool = False,
    ensure_min_samples: int = 1,
    ensure_min_features: int = 1,
    estimator: Any = None,
    input_name: str = "",
) -> Any:
    """A table as an array, or as a sparse matrix of an accepted format; what is not a table of numbers is refused.

    dtype "numeric" keeps numbers and reads objects as numbers, None keeps everything, a type is what the array becomes,
    and of several types the first, unless it has one of them. `estimator` and `input_name` are named in messages.

    >>> check_array([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    what = _Named(estimator, input_name or "X")
    if is_sparse(array):
        table = _accepted(array, accept_sparse, dtype, copy, what)
        values = table.data
    else:
        table = values = _dense(array, dtype, order, copy or force_writeable, what)
        what.check_axes(table, ensure_2d, allow_nd)
    what.check_finite(values, ensure_all_finite)
    what.check_size(table.shape, ensure_min_samples, ensure_min_features if table.ndim == 2 else 0)
    if ensure_non_negative and values.size and values.min() < 0:
        raise DataError(f"Negative values in data passed to {what}; make them 0 or more")
    return table


@checked()
def check_X_y(
    X: Any, y: Any, accept_sparse: bool | str | Sequence[str] = False, *, accept_large_sparse: bool = True,
    dtype: Any = "numeric", order: Literal["C", "F"] | None = None, copy: bool = False, force_writeable: bool = False,
    ensure_all_finite: Finite = True, ensure_2d: bool = True, allow_nd: bool = False, multi_output: bool = False,
    ensure_min_samples: int = 1, ensure_min_features: int = 1, y_numeric: bool = False, estimator: Any = None,
) -> tuple[Any, Array]:  # fmt: skip
    """A table and its target, each checked, with equally many rows; see `check_array`.

    >>> X, y = check_X_y([[1.0], [2.0]], ["a", "b"])
    >>> X.shape, y.tolist()
    ((2, 1), ['a', 'b'])
    """
    validator = FeatureValidator(_owner(estimator))
    if y is None:
        raise DataError(f"{validator.owner} requires y to be passed, but the target y is None")
    table = check_array(
        X, accept_sparse, dtype=dtype, order=order, copy=copy, force_writeable=force_writeable,
        ensure_all_finite=ensure_all_finite, ensure_2d=ensure_2d, allow_nd=allow_nd, estimator=estimator,
        ensure_min_samples=ensure_min_samples, ensure_min_features=ensure_min_features, input_name="X",
    )  # fmt: skip
    rows = check_equal_lengths(validator.owner, X=table, y=y)
    if y_numeric:
        return table, validator.target(y, rows, np.float64, multi_output)
    return table, validator.any_target(y, rows, multi_output)


@checked()
def as_float_array(X: Any, *, copy: bool = True, ensure_all_finite: Finite = True) -> Any:
    """A table of numbers in single or double precision.

    >>> as_float_array([[1, 2]])
    array([[1., 2.]])
    """
    types = [np.float64, np.float32]
    return check_array(X, True, dtype=types, copy=copy, ensure_all_finite=ensure_all_finite, ensure_2d=False)


@checked()
def assert_all_finite(
    X: Any, *, allow_nan: bool = False, estimator_name: str | None = None, input_name: str = ""
) -> None:
    """Refuse NaN, unless they are allowed, and infinity.

    >>> assert_all_finite([[0.0, 1.0]])
    """
    what = _Named(estimator_name, input_name or "X")
    values = X.data if is_sparse(X) else _dense(X, None, None, False, what)
    what.check_finite(values, "allow-nan" if allow_nan else True)


@checked()
def check_consistent_length(*arrays: Any) -> None:
    """Raise an error if tables differ in their number of rows; None entries are ignored.

    >>> check_consistent_length([1, 2], [3, 4])
    """
    given = {f"array {place}": array for place, array in enumerate(arrays) if array is not None}
    if given:
        check_equal_lengths("check_consistent_length", **given)


@checked()
def column_or_1d(y: Any, *, dtype: Any = None, input_name: str = "y", warn: bool = False) -> Array:
    """A target as an array with one axis; one column of several rows is flattened, with a warning if `warn`.

    >>> column_or_1d([[1], [2]])
    array([1, 2])
    """
    values = np.asarray(check_array(y, dtype=dtype, ensure_2d=False, ensure_all_finite=False, input_name=input_name,
                                    allow_nd=True, ensure_min_samples=0))  # fmt: skip
    if values.ndim == 2 and values.shape[1] == 1:
        if warn:
            from ..core.errors import DataConversionWarning
            from ..core.errors import warn as warn_of

            warn_of("A column-vector y was passed when a 1d array was expected; use y.ravel()", DataConversionWarning)
        return values[:, 0]
    if values.ndim != 1:
        raise DataError(f"{input_name} must be one column; its shape is {values.shape}")
    return values


def _owner(estimator: Any) -> str:
    if estimator is None:
        return "check_array"
    return estimator if isinstance(estimator, str) else type(estimator).__name__


class _Named:
    """The table that messages name, and the caller."""

    def __init__(self, estimator: Any, name: str) -> None:
        self.owner, self.name = _owner(estimator), name

    def __str__(self) -> str:
        return f"{self.owner} (input {self.name})"

    def check_axes(self, table: Array, two: bool, more: bool) -> None:
        """Rows and columns, and further axes where those are allowed."""
        if two and table.ndim < 2:
            raise DataError(
                f"{self.owner}: {self.name} must be a table of rows and columns, not "
                f"{'a number' if table.ndim == 0 else 'one line of numbers'}. Reshape your data: array.reshape(-1, 1) "
                "makes a column, array.reshape(1, -1) a row."
            )
        if not more and table.ndim >= 3:
            raise DataError(
                f"{self.owner}: Found array with dim {table.ndim} as {self.name}, while dim <= 2 is required"
            )

    def check_finite(self, values: Array, requested: Finite) -> None:
        """No infinite numbers, and no missing ones unless they are allowed."""
        if requested is False or values.dtype.kind not in "fcO":
            return
        if values.dtype.kind == "O":
            missing, infinite = np.array([value != value for value in values.ravel().tolist()], dtype=bool), None
        else:
            missing, infinite = np.isnan(values), np.isinf(values)
        if requested is True and missing.any():
            raise DataError(f"Input {self.name} contains NaN ({self.owner}); fill or drop missing values first")
        if infinite is not None and infinite.any():
            raise DataError(
                f"Input {self.name} contains infinity or a value too large ({self.owner}); clip or remove it"
            )

    def check_size(self, shape: tuple[int, ...], rows: int, columns: int) -> None:
        """Check the minimum number of rows and columns."""
        if rows > 0 and len(shape) == 0:
            raise TypeError(f"{self.owner}: {self.name} is a single value, not a list of them")
        for length, least, word in zip(shape, (rows, columns), ("sample", "feature"), strict=False):
            if length < least:
                raise DataError(
                    f"Found array with {length} {word}(s) (shape={shape}) while a minimum of {least} is required by "
                    f"{self.owner}."
                )


def _accepted(matrix: Any, formats: bool | str | Sequence[str], dtype: Any, copy: bool, what: _Named) -> Any:
    """A sparse matrix in one of the accepted formats and types."""
    if formats is False:
        raise TypeError(f"{what.owner}: {what.name} is sparse, and a dense array is needed: use X.toarray()")
    known = [formats] if isinstance(formats, str) else list(formats) if formats is not True else [matrix.format]
    found = matrix if matrix.format in known else matrix.asformat(known[0])
    requested = _type(found.dtype, dtype)
    if requested is not None and requested != found.dtype:
        return found.astype(requested)
    return found.copy() if copy and found is matrix else found


def _dense(array: Any, dtype: Any, order: Any, copy: bool, what: _Named) -> Array:
    try:
        values = numbers_of(array, what.owner)[0] if is_frame(array) and dtype is not None else np.asarray(array)
    except DataError:
        raise
    except ValueError:
        raise DataError(f"{what.owner}: the rows of {what.name} differ in length") from None
    if values.dtype.kind == "c":
        raise DataError(f"{what.owner}: Complex data not supported in {what.name}")
    requested = _type(values.dtype, dtype)
    try:
        with np.errstate(over="ignore"):
            found = np.asarray(values, dtype=requested, order=order)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else DataError
        raise kind(f"{what.owner}: {what.name} cannot be read as numbers: {error}") from None
    if dtype == "numeric" and found.dtype.kind in "USVmM":
        raise DataError(f"{what.owner}: {what.name} holds {found.dtype}, which is not numeric")
    return found.copy(order="K") if copy and np.may_share_memory(found, array) else found


def _type(own: np.dtype[Any], requested: Any) -> Any:
    """The type that an array of type `own` becomes; None keeps it."""
    if isinstance(requested, str) and requested == "numeric":
        return np.dtype(np.float64) if own.kind == "O" else None
    try:
        if isinstance(requested, (list, tuple)):
            return None if own in [np.dtype(kind) for kind in requested] else np.dtype(requested[0])
        return None if requested is None else np.dtype(requested)
    except (TypeError, ValueError, IndexError):
        raise ParameterError(
            f'dtype must be "numeric", None, a type of NumPy or some of them; got {requested!r}'
        ) from None
