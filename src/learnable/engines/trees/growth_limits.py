"""What people say of where a tree ends and what it looks at, as the numbers that its growth goes by."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...core.errors import ParameterError
from ...core.numeric import EXACT, MOST, is_fraction
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense

MaxFeatures = int | float | Literal["sqrt", "log2"] | None


def dense(X: Matrix) -> Array:
    """`X` as an array."""
    return as_dense(X)


def stacked(X: Matrix, more: Matrix) -> Matrix:
    """The rows of both, in the precision of the first."""
    more = more.astype(X.dtype)
    if isinstance(X, np.ndarray) and isinstance(more, np.ndarray):
        return np.concatenate([X, more])
    from scipy import sparse

    return sparse.vstack([sparse.csc_array(X), sparse.csc_array(more)], format="csc")


def check_draw_count(number: int, what: str) -> int:
    """The number of draws, which are counted in floats; `what` names it in the message."""
    if number > EXACT:
        raise ParameterError(f"{what} must be at most {EXACT}; got {number}")
    return number


def is_count_or_fraction(asked: object) -> bool:
    """Whether it is no share of more than all."""
    return not is_fraction(asked) or asked <= 1


def resolve_row_count(asked: int | float, n: int, what: str) -> int:
    """A number of rows, or a share of `n`, as a number; `what` asks for them, in messages."""
    if not is_fraction(asked):
        return min(int(asked), MOST // 2)  # as compiled code doubles it
    if asked > 1:
        raise ParameterError(f"{what} must be a whole number of rows or a share of at most 1.0; got {asked!r}")
    return int(np.ceil(asked * n))


def resolve_max_features(asked: MaxFeatures, columns: int, owner: str) -> int:
    """A number of columns, a share of them or a rule as a number of at least one."""
    if asked is None:
        return columns
    if isinstance(asked, str):
        return max(1, int(np.sqrt(columns) if asked == "sqrt" else np.log2(columns)))
    if is_fraction(asked):
        if asked > 1:
            raise ParameterError(
                f"{owner}: max_features must be a share of at most 1.0 or a whole number; got {asked!r}"
            )
        return max(1, int(asked * columns))
    return min(int(asked), columns)


def resolve_monotonic_cst(asked: Array | None, columns: int, outputs: int, owner: str) -> list[int]:
    """In which direction values must go along each column: 1, -1, or 0 for either; empty where none is asked for."""
    if asked is None:
        return []
    wanted = np.asarray(asked)
    if wanted.shape != (columns,):
        raise ParameterError(
            f"{owner}: monotonic_cst has shape {wanted.shape} but the input data X has {columns} features; it must "
            "hold -1, 0 or 1 for each column"
        )
    if not np.isin(wanted, (-1, 0, 1)).all():
        raise ParameterError(f"{owner}: monotonic_cst holds -1, 0 or 1 for each column; got {wanted.tolist()}")
    if outputs > 1:
        raise ParameterError(f"{owner}: monotonic_cst is defined for one target; y has several")
    return [int(value) for value in wanted]
