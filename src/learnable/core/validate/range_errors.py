"""Errors for numbers outside the range of floating point: they name the column, target or parameter.

So does a fit that fails on missing or infinite numbers, unless they were searched for before, and one that has no
room for as many of something as a parameter says.

Nothing is scanned before something fails, so that a fit on ordinary data pays nothing for it. Predictions are scanned:
the error for a NaN names the entry that caused it.
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from ..declare import params
from ..errors import DataError, ParameterError
from ..runtime.native import kernels
from ..runtime.trace import Trace
from .features import Array, column_name

ARITHMETIC = (ArithmeticError, np.linalg.LinAlgError, RuntimeWarning)
"""What overflow comes as: Python's own, NumPy's, or NumPy's warning where a user made an error of it."""
LARGEST_PARAMETER = 1e100
MANY_COLUMNS = 10_000


class InRange:
    """Turns a failure of arithmetic in the block into a `DataError` if the `arrays` (X, y, weights) explain it.

    What they do not explain stays what it was, a warning of NumPy a warning.
    """

    __slots__ = ("arrays", "errors", "estimator", "trace")

    def __init__(self, estimator: Any, trace: Trace, arrays: tuple[Any, ...]) -> None:
        self.estimator, self.trace, self.arrays = estimator, trace, arrays
        self.errors = np.errstate(over="call", divide="call", invalid="call", call=self._heard)

    def __enter__(self) -> None:
        self.errors.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: Any) -> None:
        self.errors.__exit__(kind, error, at)
        params.blame_counts(type(self.estimator).__name__, error, params.counts_of(self.estimator))
        if isinstance(error, MemoryError):
            _refuse_columns(type(self.estimator).__name__, self.arrays[0], error)
        failed = error is not None and isinstance(error, ARITHMETIC)
        if failed or (error is None and not _is_finite(self.estimator, self.trace)):
            _refuse_extremes(self.estimator, self.arrays)
            _refuse_parameters(self.estimator)

    def _heard(self, kind: str, flag: int) -> None:
        _refuse_extremes(self.estimator, self.arrays)
        warnings.warn(f"{kind} encountered in {type(self.estimator).__name__}", RuntimeWarning, stacklevel=2)


def check_predictions(estimator: Any, predictions: Any, X: Any) -> Any:
    """The `predictions` for rows `X`; a `DataError` if an entry too large or too small made one NaN."""
    if not _holds_numbers(predictions):
        unknown = np.isnan(predictions).reshape(len(predictions), -1).any(axis=1)
        if unknown.any():
            _refuse_extreme_row(estimator, X, int(np.argmax(unknown)))
    return predictions


def _refuse_columns(owner: str, matrix: Any, error: MemoryError) -> None:
    """Raise a `DataError` in place of an `error` for want of memory that many columns explain."""
    if _is_matrix(matrix) and matrix.shape[1] >= MANY_COLUMNS:
        raise DataError(
            f"{owner}: X has {matrix.shape[1]} columns, and there is not enough memory: {error}; reduce the columns "
            "first, for example by SelectKBest or TruncatedSVD"
        ) from error


def _refuse_extreme_row(estimator: Any, X: Any, row: int) -> None:
    """Raise a `DataError` that names the most extreme number of a row, if any is extreme."""
    if not _is_matrix(X):
        return
    powers = np.abs(_powers(X[[row]]))
    worst = int(powers.argmax())
    if powers[worst] > _most_power(X.dtype):
        where = column_name(estimator.__dict__.get("feature_names_in_"), worst)
        raise DataError(
            f"{type(estimator).__name__}: {where} holds {X[row, worst]:.3g} in row {row} and makes the prediction "
            f"overflow {X.dtype}; check the value or clip it"
        )


def _is_matrix(X: Any) -> bool:
    """Whether these are floats, dense or sparse: no texts, no records, no table of all kinds."""
    return (isinstance(X, np.ndarray) or hasattr(X, "indptr")) and X.dtype in (np.float64, np.float32)


def _most_power(dtype: Any) -> float:
    """The power of ten of numbers whose cubes are in range."""
    return float(np.log10(float(np.finfo(dtype).max)) / 3)


def _is_finite(estimator: Any, trace: Trace) -> bool:
    """Whether what was learned of the columns, and what is proven of it, are numbers."""
    if trace.certificate is not None and not trace.certificate.value < np.inf:
        return False
    return all(_holds_numbers(estimator.__dict__.get(name)) for name in _of_features(type(estimator)))


def _holds_numbers(values: Any) -> bool:
    """Whether no entry is NaN or infinite; what is not an array of numbers has none."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return True
    if values.dtype.char in "fd" and values.flags.forc:
        return kernels.first_non_finite(values) < 0
    return bool(np.isfinite(values).all())


@params.per_class
def _of_features(cls: type) -> list[str]:
    """The learned attributes that have a number for each column."""
    return [name for name, shape in params.learned_shapes(cls).items() if "features" in (shape.axes or ())]


def _refuse_extremes(estimator: Any, arrays: tuple[Any, ...]) -> None:
    """Raise a `DataError` that names the most extreme column, target or weights, if any is extreme at all."""
    matrix, target, weight = arrays[:3]
    if not _is_matrix(matrix):
        return
    names = estimator.__dict__.get("feature_names_in_")
    if estimator.traits.detects_non_finite:
        estimator._validator.refuse_missing(matrix, names)
    powers = np.abs(np.append(_powers(matrix), [_power(target), _power(weight)]))
    worst = int(powers.argmax())
    if powers[worst] <= _most_power(matrix.dtype):
        return
    columns = matrix.shape[1]
    where = column_name(names, worst) if worst < columns else ("the target y", "sample_weight")[worst - columns]
    values = matrix[:, [worst]] if worst < columns else (target, weight)[worst - columns]
    _refuse(type(estimator).__name__, where, float(abs(values).max()), matrix.dtype)


def _refuse_parameters(estimator: Any) -> None:
    """Raise a `ParameterError` that names a number among the parameters that is too large to compute with, if any."""
    for name, field in params.parameters(type(estimator)).items():
        value = getattr(estimator, name)
        if value is not field.default and _size(value) > LARGEST_PARAMETER:
            raise ParameterError(
                f"{type(estimator).__name__}: the fit leaves the range of floats with {name}={value!r}; "
                "give a smaller one"
            )


def _size(value: Any) -> float:
    """The largest number in a parameter, 0 if it holds none."""
    numbers = np.asarray(value) if isinstance(value, (Real, np.ndarray, list, tuple)) else np.zeros(1)
    return float(np.abs(numbers).max(initial=0)) if numbers.dtype.kind in "iuf" else 0.0


def _refuse(owner: str, where: str, largest: float, dtype: Any) -> NoReturn:
    raise DataError(
        f"{owner}: the largest value of {where} is {largest:.3g} in size, and the fit leaves the range of {dtype} "
        f"with it; measure it in another unit, for example divide it by {10.0 ** np.floor(np.log10(largest)):g}"
    )


def _powers(matrix: Any) -> Array:
    """The power of ten of the largest value of each column, 0 where there are only zeros."""
    largest = abs(matrix).max(axis=0)
    return np.asarray(_log10(np.ravel(largest.toarray() if hasattr(largest, "toarray") else largest)))


def _power(values: Array | None) -> float:
    if values is None or values.dtype.kind != "f":
        return 0.0
    return float(_log10(np.abs(values).max(initial=0)))


def _log10(sizes: Any) -> Any:
    """Powers of ten; 0 for what is none, or infinite and let in as such, which no unit would help."""
    return np.log10(np.where((sizes > 0) & (sizes < np.inf), sizes, 1.0).astype(np.float64))
