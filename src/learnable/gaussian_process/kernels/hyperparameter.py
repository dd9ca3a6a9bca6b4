"""Hyperparameters of kernels."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ...core import Array
from ...core.errors import ParameterError

Bounds = Any  # a pair of numbers, one pair for each element, or "fixed"


class _Fields(NamedTuple):
    name: str
    value_type: str
    bounds: Array | Literal["fixed"]
    n_elements: int
    fixed: bool


class Hyperparameter(_Fields):
    """Hyperparameter of a kernel: its name, its bounds, the number of its elements, and whether it is fixed.

    >>> Hyperparameter("length_scale", "numeric", (0.1, 10.0), 2).bounds
    array([[ 0.1, 10. ],
           [ 0.1, 10. ]])
    """

    __slots__ = ()

    def __new__(
        cls, name: str, value_type: str, bounds: Bounds, n_elements: int = 1, fixed: bool | None = None
    ) -> Hyperparameter:
        """One pair of bounds holds for all elements; "fixed" keeps the value as it is."""
        is_fixed = isinstance(bounds, str) and bounds == "fixed"
        if not is_fixed:
            bounds = _pairs(name, bounds)
            if n_elements > 1 and len(bounds) == 1:
                bounds = np.repeat(bounds, n_elements, 0)
            elif n_elements > 1 and len(bounds) != n_elements:
                raise ParameterError(
                    f"Bounds on {name} should have either 1 or {n_elements} dimensions. Given are {len(bounds)}"
                )
        return super().__new__(cls, name, value_type, bounds, n_elements, is_fixed if fixed is None else fixed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hyperparameter):
            return NotImplemented
        same = self[:2] == other[:2] and self[3:] == other[3:]
        return same and np.array_equal(np.asarray(self.bounds), np.asarray(other.bounds))

    __hash__ = None  # type: ignore[assignment]  # bounds are an array


def _pairs(name: str, bounds: Any) -> Array:
    """Bounds as rows of a lower and an upper one."""
    try:
        pairs = np.atleast_2d(np.asarray(bounds, dtype=np.float64))
    except (TypeError, ValueError):
        pairs = np.empty((0, 0))
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not (pairs[:, 0] <= pairs[:, 1]).all() or not (pairs >= 0).all():
        raise ParameterError(
            f'Bounds on {name} must be "fixed", or a lower and an upper number of at least 0; got {bounds!r:.60}'
        )
    return pairs
