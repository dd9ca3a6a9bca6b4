"""All combinations of values of parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..core.errors import ParameterError, ParameterTypeError


class ParameterGrid:
    """Grid of hyperparameters: every combination of the listed values; of several grids, one after the other.

    >>> list(ParameterGrid({"b": [1, 2], "a": ["x"]}))
    [{'a': 'x', 'b': 1}, {'a': 'x', 'b': 2}]
    """

    def __init__(self, param_grid: Any) -> None:
        if not isinstance(param_grid, Mapping) and not hasattr(param_grid, "__iter__"):
            raise ParameterTypeError(
                f"ParameterGrid: a grid is a dict of lists, or a list of those; got {param_grid!r}"
            )
        self.param_grid = [param_grid] if isinstance(param_grid, Mapping) else list(param_grid)
        for grid in self.param_grid:
            if not isinstance(grid, dict):
                raise ParameterTypeError(f"ParameterGrid: Parameter grid is not a dict ({grid!r})")
            for name, values in grid.items():
                _check_values(name, values)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The combinations, the last parameter by name changing first."""
        for grid in self.param_grid:
            names = sorted(grid)
            for values in product(*(grid[name] for name in names)):
                yield dict(zip(names, values, strict=True))

    def __len__(self) -> int:
        """How many combinations there are."""
        return sum(math.prod(len(values) for values in grid.values()) for grid in self.param_grid)

    def __getitem__(self, place: int) -> dict[str, Any]:
        """The combination at an index of the iteration."""
        for grid in self.param_grid:
            size = math.prod(len(values) for values in grid.values())
            if place < size:
                found = {}
                for name in sorted(grid, reverse=True):
                    place, offset = divmod(int(place), len(grid[name]))
                    found[name] = grid[name][offset]
                return found
            place -= size
        raise IndexError(f"a grid of {len(self)} candidates does not have that index")


def are_spaces(given: Any) -> bool:
    """Whether it is a dictionary of values by parameter, or several."""
    return isinstance(given, dict) or (isinstance(given, (list, tuple)) and all(isinstance(g, dict) for g in given))


def _check_values(name: str, values: Any) -> None:
    if isinstance(values, np.ndarray) and values.ndim > 1:
        raise ParameterError(
            f"ParameterGrid: the values of {name!r} must be one-dimensional; they have the shape {values.shape}"
        )
    if isinstance(values, str) or not isinstance(values, (np.ndarray, Sequence)):
        raise ParameterTypeError(
            f"ParameterGrid: the values of {name!r} must be a list or an array, even a single value; got "
            f"{values!r:.60} "
            f"of type {type(values).__name__}"
        )
    if len(values) == 0:
        raise ParameterError(f"ParameterGrid: the values of {name!r} are empty: {values!r}")
