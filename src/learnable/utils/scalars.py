"""Checks of single numbers and of symmetric matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import DataError, ParameterError, ParameterTypeError
from ..core.declare.checked_functions import checked
from ..core.errors import warn
from .arrays import check_array

Boundaries = Literal["left", "right", "both", "neither"]


@checked()
def check_scalar(
    x: Any,
    name: str,
    target_type: Any,
    *,
    min_val: float | None = None,
    max_val: float | None = None,
    include_boundaries: Boundaries = "both",
) -> Any:
    """`x` itself, if it is of a type (or one of several) and between two numbers, which it may equal as is said.

    >>> check_scalar(3, "degree", int, min_val=1)
    3
    """
    types = target_type if isinstance(target_type, tuple) else (target_type,)
    if not isinstance(x, types):
        listed = " or ".join(kind.__name__ for kind in types)
        raise ParameterTypeError(f"{name} must be an instance of {listed}; got {x!r:.60} of type {type(x).__name__}")
    left, right = include_boundaries in ("left", "both"), include_boundaries in ("right", "both")
    if min_val is not None and not (x >= min_val if left else x > min_val):
        raise ParameterError(f"{name} == {x!r}, must be {'>=' if left else '>'} {min_val}")
    if max_val is not None and not (x <= max_val if right else x < max_val):
        raise ParameterError(f"{name} == {x!r}, must be {'<=' if right else '<'} {max_val}")
    return x


@checked()
def check_symmetric(
    array: Any, *, tol: float = 1e-10, raise_warning: bool = True, raise_exception: bool = False
) -> Any:
    """A square matrix, made symmetric as the mean of itself and its transpose where it is not up to `tol`.

    >>> check_symmetric([[0.0, 2.0], [4.0, 0.0]], raise_warning=False)
    array([[0., 3.],
           [3., 0.]])
    """
    matrix = check_array(array, True)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"check_symmetric: array must be square; its shape is {matrix.shape}")
    apart = matrix - matrix.T
    if not np.abs(apart.data if hasattr(apart, "toarray") else apart).max(initial=0.0) > tol:
        return matrix
    if raise_exception:
        raise DataError("check_symmetric: array must be symmetric; it is not equal to its transpose")
    if raise_warning:
        warn("check_symmetric: array is not symmetric, and is replaced by its mean with its transpose", UserWarning)
    return (matrix + matrix.T) / 2
