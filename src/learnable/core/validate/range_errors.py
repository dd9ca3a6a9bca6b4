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
from ..errors import DataError, ErrorOwner, LearnableError, ParameterError
from .features import Array, all_finite, column_name

ARITHMETIC = (ArithmeticError, np.linalg.LinAlgError, RuntimeWarning)
"""What overflow comes as: Python's own, NumPy's, or NumPy's warning where a user made an error of it."""
MAX_PARAMETER = 1e100
MANY_COLUMNS = 10_000


def explain_failure(estimator: Any, arrays: tuple[Any, ...], error: BaseException) -> None:
    """Raise a better error in place of the `error` of a fit on `arrays` (X, y, weights), if they explain it.

    An error of this library names the estimator; an unexplained error is raised unchanged.
    """
    owner = type(estimator).__name__
    with ErrorOwner(owner):
        params.blame_counts(owner, error, params.counts_of(estimator))
        if isinstance(error, MemoryError):
            _refuse_columns(owner, arrays[0], error)
        if isinstance(error, ARITHMETIC):
            refuse_extremes(estimator, arrays)
        if isinstance(error, LearnableError):
            raise error


def refuse_extremes(estimator: Any, arrays: tuple[Any, ...]) -> None:
    """Raise an error that names the column, target, weights or parameter too large or small for a fit, if one is."""
    _refuse_extremes(estimator, arrays)
    _refuse_parameters(estimator)


def refuse_learned(estimator: Any, learned: dict[str, Any], error: BaseException) -> None:
    """Raise a `DataError` in place of an `error` if what was learned before this fit goes on from it is not finite."""
    if not isinstance(error, ARITHMETIC):
        return
    for name, value in learned.items():
        known = isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
        if name.endswith("_") and known and not np.abs(value).max(initial=0) < MAX_PARAMETER:
            raise DataError(
                f"{type(estimator).__name__}: {name} of the previous fit holds numbers that nothing can be computed "
                "with, so partial_fit cannot go on from it; fit a new estimator"
            ) from error


def on_floating_point_error(estimator: Any, arrays: tuple[Any, ...], kind: str, flag: int) -> None:
    """An overflow or an invalid operation of NumPy in a fit: an error if the `arrays` explain it, else a warning."""
    _refuse_extremes(estimator, arrays)
    warnings.warn(f"{kind} encountered in {type(estimator).__name__}", RuntimeWarning, stacklevel=2)


def check_predictions(estimator: Any, predictions: Any, X: Any) -> Any:
    """The `predictions` for rows `X`; a `DataError` if an entry too large or too small made one NaN."""
    if not all_finite(predictions):
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


def _refuse_extremes(estimator: Any, arrays: tuple[Any, ...]) -> None:
    """Raise a `DataError` that names the most extreme column, target or weights, if any is extreme at all."""
    matrix, target, weight = (*arrays, None, None)[:3]
    if not _is_matrix(matrix):
        return
    names = estimator.__dict__.get("feature_names_in_")
    if estimator.traits.detects_non_finite:
        estimator._validator.refuse_missing(matrix, names)
    powers = np.abs(np.append(_powers(matrix), [_power(target), _power(weight)]))
    worst = int(powers.argmax())
    if powers[worst] <= _most_power(matrix.dtype):
        return
    listed = np.ndim(matrix) == 1  # values of tokens
    columns = 1 if listed else matrix.shape[1]
    own = "X" if listed else column_name(names, worst)
    where = own if worst < columns else ("the target y", "sample_weight")[worst - columns]
    matrix = matrix[:, None] if listed else matrix
    values = matrix[:, [worst]] if worst < columns else (target, weight)[worst - columns]
    _refuse(type(estimator).__name__, where, float(abs(values).max()), matrix.dtype)


def _refuse_parameters(estimator: Any) -> None:
    """Raise a `ParameterError` that names a number among the parameters that is too large to compute with, if any."""
    for name, field in params.parameters(type(estimator)).items():
        value = getattr(estimator, name)
        if value is not field.default and _size(value) > MAX_PARAMETER:
            raise ParameterError(
                f"{type(estimator).__name__}: the fit leaves the range of floats with {name}={value!r}; use a smaller "
                "value"
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
