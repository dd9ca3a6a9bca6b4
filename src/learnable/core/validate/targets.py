"""Validation of targets: numeric targets, classes and sample weights; and of sparse matrices among any arguments.

SciPy follows the indices of a sparse matrix without checking them, and so does compiled code. Every public entry point
therefore checks them before any method of SciPy is called: methods of estimators, splitters, kernels and displays by
`ChecksSparse`, functions by `checked` or `checks_sparse`. What can be wrong with a matrix stands in `sparse_input`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from inspect import signature
from numbers import Real
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..errors import DataConversionWarning, DataError, DataTypeError, warn
from ..numeric import describe_beyond_floats
from ..runtime.native import kernels
from ..sklearn_api.conditional_methods import Conditional
from .columns import labels_or_none
from .mixed_table import Array, is_missing
from .row_source import COLLECTIONS, EXACT_SUMS, READ_BLOCKS, RowSource, on_blocks

Given = ParamSpec("Given")
Result = TypeVar("Result")
UNCHECKED = ("set_params", "get_params", "clone")  # parameters are checked by `fit`


@dataclass(frozen=True, slots=True)
class TargetValidator:
    """What an estimator lets in beside the rows; `owner` is its name in messages."""

    owner: str

    def target(self, y: Any, rows: int, dtype: Any, several: bool) -> Array:
        """A numeric target of `rows` rows in `dtype`: shape (rows,), or (rows, targets) where `several` are allowed."""
        values = self._shaped_target(y, rows, several)
        numbers = self._numeric_target(values, dtype)
        bad = kernels.first_non_finite(numbers)
        if bad >= 0:
            raise self._bad_target(y, values, bad, numbers.dtype)
        return numbers

    def _bad_target(self, y: Any, values: Array, bad: int, dtype: Any = None) -> DataError:
        """The error for a missing or infinite target, the one at the place `bad` of `values`, which came as `y`."""
        value, (row, *column) = values.ravel()[bad], np.unravel_index(bad, values.shape)
        names = labels_or_none(y) or range(values.shape[-1])
        where = f"row {row}" + "".join(f" of target {names[place]!r}" for place in column)
        size = abs(float(value)) if isinstance(value, Real) else np.nan
        if size == np.inf:
            return DataError(f"{self.owner}: Input y contains infinity in {where}; clip it, or drop the row")
        if size < np.inf:
            return DataError(f"{self.owner}: y holds {value!r} in {where}, too much for {dtype}; use another unit")
        return DataError(f"{self.owner}: Input y contains NaN in {where}; drop the rows without a target")

    def _shaped_target(self, y: Any, rows: int, several: bool) -> Array:
        """`y` as an array with a row for each of `rows`, in one column unless `several` are allowed."""
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
            advice = "; wrap it in a MultiOutputRegressor or MultiOutputClassifier" if values.ndim == 2 else ""
            raise DataError(f"{self.owner}: y should be a 1d array of {rows} entries; got shape {values.shape}{advice}")
        if len(values) != rows:
            raise DataError(f"{self.owner}: X has {rows} rows but y has {len(values)}: inconsistent numbers of samples")
        if values.size == 0:
            raise DataError(f"{self.owner}: y has no columns (shape={values.shape}); give at least one target")
        return values

    def any_target(self, y: Any, rows: int, several: bool = False) -> Array:
        """A target of numbers or labels for `rows` rows, unchanged; missing entries are refused."""
        values = self._shaped_target(y, rows, several)
        if values.dtype.kind == "c":
            raise DataError(f"{self.owner}: Complex data not supported in y")
        if values.dtype.kind in "iub":
            return values
        flat = values.ravel()
        bad = is_missing(flat) | (np.isinf(flat) if flat.dtype.kind == "f" else False)
        if bad.any():
            raise self._bad_target(y, values, int(np.argmax(bad)))
        return values

    def classes(self, y: Any, rows: int, instead: str = "a regressor") -> tuple[Array, Array]:
        """The sorted labels that occur in `y`, and the place of each row's label; `instead` is for numbers."""
        return self._classes_of(self.any_target(y, rows), instead)

    def classes_of_each(self, y: Any, rows: int) -> tuple[Array | list[Array], Array]:
        """The same, and for a `y` of several columns the labels and codes of each."""
        values = self.any_target(y, rows, several=True)
        if values.ndim == 1:
            return self._classes_of(values)
        found = [self._classes_of(column) for column in values.T]
        return [labels for labels, _ in found], np.column_stack([codes for _, codes in found])

    def labels(self, y: Any, rows: int) -> tuple[Array, Array]:
        """The same as `classes`; for zeros and ones in several columns, the numbers of these and what they hold."""
        values = self.any_target(y, rows, several=True)
        if values.ndim == 1 or values.shape[1] == 1:
            return self.classes(y, rows)
        if values.dtype.kind not in "biufO" or not np.isin(values, (0, 1)).all():
            raise DataError(
                f"{self.owner}: y of several columns must hold zeros and ones, a column for each label; for columns "
                "of classes use MultiOutputClassifier"
            )
        return np.arange(values.shape[1]), values.astype(np.int64)

    def _classes_of(self, labels: Array, instead: str = "a regressor") -> tuple[Array, Array]:
        values = _plain(labels)
        if values.dtype.kind == "f" and (values != np.floor(values)).any():
            row = int(np.argmax(values != np.floor(values)))
            raise DataError(
                f"{self.owner}: Unknown label type: continuous. y holds {values[row]:g} in row {row}, and classes are "
                f"text or whole numbers; use {instead}, or bin y"
            )
        try:
            classes, codes = _distinct(values)
        except TypeError:
            kinds = " and ".join(sorted({type(value).__name__ for value in values.tolist()}))
            raise DataError(
                f"{self.owner}: y mixes labels of the types {kinds}, which have no order; make them all text"
            ) from None
        return classes, codes.astype(np.int64, copy=False)

    def _column(self, values: Any, name: str) -> Array:
        """A target or weights given as array, list, Series or frame, as an array."""
        try:
            array = as_column_array(values)
        except ValueError as error:
            kind = DataTypeError if isinstance(error, TypeError) else DataError
            raise kind(f"{self.owner}: {name} cannot be read as an array: {error}") from None
        if array.ndim == 0 and array.dtype == object:
            raise DataError(f"{self.owner}: {name} {no_rows(values, name)}")
        return array

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
        except OverflowError:
            raise DataError(f"{self.owner}: y {describe_beyond_floats(values)}") from None
        for place, value in enumerate(values.ravel().tolist()):
            if value is not None and not isinstance(value, (int, float, np.number)):
                row = np.unravel_index(place, values.shape)[0]
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
            raise (DataTypeError if values.ndim == 0 else DataError)(
                f"{self.owner}: sample_weight must hold one weight for each row, or be a single number; it has the "
                f"shape {values.shape}"
            )
        if len(values) != rows:
            raise DataError(
                f"{self.owner}: X has {rows} rows but sample_weight has shape {values.shape}, expected ({rows},)"
            )
        try:
            return self._checked_weights(np.require(values, np.float64, ["C", "A"]))
        except OverflowError:
            raise DataError(f"{self.owner}: sample_weight {describe_beyond_floats(values)}") from None
        except (TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{self.owner}: sample_weight holds something that is not a number: {error}") from None

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


def _distinct(labels: Array) -> tuple[Array, Array]:
    """The different labels in their order and the place of each; counted instead of sorted where numbers are small."""
    if labels.dtype.kind in "iu" and len(labels) > 0:
        low, high = int(np.minimum.reduce(labels)), int(np.maximum.reduce(labels))
        if high - low < max(4 * len(labels), 1000) and high < 2**62:
            shifted = np.ascontiguousarray(labels, dtype=np.int64)
            if low != 0:
                shifted = shifted - low
            counts = np.bincount(shifted, minlength=high - low + 1)
            if low == 0 and np.count_nonzero(counts) == len(counts):  # the labels are their own codes
                return np.arange(high + 1, dtype=labels.dtype), shifted
            codes = np.cumsum(counts > 0) - 1
            return (np.flatnonzero(counts) + low).astype(labels.dtype), codes[shifted]
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes


def _plain(labels: Array) -> Array:
    """Labels in the byte order of this machine, and whole numbers that came as objects as numbers."""
    if labels.dtype.kind == "O" and all(type(label) in (int, float) for label in labels.tolist()):
        labels = np.array(labels.tolist())
    return labels if labels.dtype.isnative else labels.astype(labels.dtype.newbyteorder("="))


def no_rows(values: Any, name: str) -> str:
    """What something called `name` is that holds no rows, and how to make rows of it."""
    kind = type(values).__name__
    if hasattr(values, "collect"):
        return f"is a {kind}, which is lazy: call {name}.collect() first"
    if isinstance(values, Mapping):
        return f"is a {kind}, not rows: make a table of it, for example with pandas.DataFrame({name})"
    if isinstance(values, (Iterator, Set)):
        return f"is a {kind}, whose entries have no place: make a list of it with list({name})"
    return f"is a {kind}, not rows: make an array, a list or a data frame of it"


def as_column_array(values: Any) -> Array:
    """A target or weights given as array, list, Series, table or masked array, as an array; masked entries are NaN."""
    if is_masked(values):
        return unmasked(values)
    if isinstance(values, np.ndarray):
        return values
    if is_sparse(values):
        raise DataTypeError("it is a sparse matrix; pass it as a dense array with y.toarray()")
    of_arrow = hasattr(values, "to_pylist")  # whose to_numpy refuses what it would have to copy
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") and not of_arrow else values)


def is_masked(values: Any) -> bool:
    """Whether it is a masked array; without an import of numpy.ma there are none."""
    return "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray)


def unmasked(values: Any) -> Array:
    """A masked array with NaN for masked entries; what is not numbers becomes Python objects."""
    kind = np.float64 if values.dtype.kind in "fiub" else object
    return np.asarray(np.ma.filled(values.astype(kind), np.nan))


def is_sparse(X: Any) -> bool:
    """Whether it is a sparse matrix; a program that has not imported them cannot have one."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def shape_of(y: Any) -> tuple[int, ...]:
    """The shape of a target, whatever holds it."""
    return tuple(y.shape) if hasattr(y, "shape") else np.asarray(y).shape


def as_sparse_labels(found: Array) -> Any:
    """Predictions of several targets as a sparse matrix by columns."""
    from scipy.sparse import csc_array

    return csc_array(found)


class ChecksSparse:
    """A base class whose public methods, and those of all subclasses, refuse broken sparse matrices.

    Those that take a table take a row source, which is read in blocks, in its place.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            if (not name.startswith("_") or name == "__call__") and name not in UNCHECKED:
                checking = _checking_member(member)
                if checking is not member:
                    setattr(cls, name, checking)


def _checking_member(member: Any) -> Any:
    """A method with arguments as one that checks them first; everything else as it is."""
    if isinstance(member, classmethod):
        return classmethod(_checking(member.__func__, lambda cls: str(cls.__name__)))
    if isinstance(member, Conditional):
        return Conditional(_checking_member(member.method), member.condition)
    if not isinstance(member, FunctionType) or len(signature(member).parameters) < 2:
        return member
    return _checking(member, lambda instance: type(instance).__name__)


def checks_sparse(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a public function refuse broken sparse matrices among its arguments before it runs."""
    return _checking(function, lambda first: function.__name__)


def _checking(function: Callable[Given, Result], owner: Callable[[Any], str]) -> Callable[Given, Result]:
    """`function`, which refuses broken sparse matrices in the name that `owner` makes of its first argument."""
    reads_blocks, is_fit = function.__name__ in READ_BLOCKS, function.__name__ == "fit"

    @functools.wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        X = (args[1] if len(args) > 1 else kwargs.get("X")) if reads_blocks else None
        if type(X) is not np.ndarray and (isinstance(X, RowSource) or type(X).__module__.startswith(COLLECTIONS)):
            found: Result = on_blocks(args[0], function.__name__, X, *args[2:], **_without_X(kwargs))
            return found
        for value in (*args, *kwargs.values()):
            if value is not None and type(value) is not np.ndarray and any(map(_is_broken, _matrices(value))):
                given = signature(function).bind_partial(*args, **kwargs).arguments
                refuse_broken_among(owner(next(iter(given.values()))), given.items())
        if is_fit and EXACT_SUMS.get() and hasattr(args[0], "_fit_exactly"):
            exact: Result = args[0]._fit_exactly(*args[1:], **kwargs)
            return exact
        return function(*args, **kwargs)

    return call


def _without_X(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kwargs.items() if name != "X"}


def refuse_broken_among(owner: str, arguments: Iterable[tuple[str, Any]]) -> None:
    """Refuse broken sparse matrices among named arguments of `owner`, and inside lists, tuples and dicts of them."""
    for name, value in arguments:
        if value is not None and type(value) is not np.ndarray:
            for matrix in _matrices(value):
                from .sparse_input import refuse_broken

                refuse_broken(owner, name, matrix)


def _is_broken(matrix: Any) -> bool:
    from .sparse_input import flaw_of

    return flaw_of(matrix) != ""


def _matrices(value: Any) -> Iterator[Any]:
    """The sparse matrices that an argument is or directly holds."""
    if is_sparse(value):
        yield value
    elif isinstance(value, dict):
        yield from filter(is_sparse, value.values())
    elif isinstance(value, (list, tuple)) and value and is_sparse(value[0]):  # a list of numbers may be long
        yield from filter(is_sparse, value)
