"""Random combinations of values of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..core import RandomState
from ..core.errors import ParameterTypeError, warn
from ..core.runtime.random import stream
from .parameter_grid import ParameterGrid


class ParameterSampler:
    """Random sampler of hyperparameters.

    `n_iter` combinations from lists (without replacement) or distributions (with `rvs`).

    The same seed draws what it draws in scikit-learn.

    >>> list(ParameterSampler({"a": [1, 2, 3]}, n_iter=2, random_state=0))
    [{'a': 3}, {'a': 2}]
    """

    def __init__(self, param_distributions: Any, n_iter: int, *, random_state: RandomState = None) -> None:
        single = isinstance(param_distributions, Mapping)
        if not single and not hasattr(param_distributions, "__iter__"):
            raise ParameterTypeError(
                "ParameterSampler: distributions are a dict from name to list or distribution, or a list of those; got "
                f"{param_distributions!r:.60}"
            )
        self.param_distributions = [param_distributions] if single else list(param_distributions)
        for space in self.param_distributions:
            if not isinstance(space, dict):
                raise ParameterTypeError(f"ParameterSampler: Parameter distribution is not a dict ({space!r:.60})")
            for name, values in space.items():
                if not hasattr(values, "rvs") and (isinstance(values, str) or not hasattr(values, "__len__")):
                    raise ParameterTypeError(
                        f"ParameterSampler: {name!r} needs a list, or a distribution with `rvs`; got {values!r:.60}"
                    )
        self.n_iter, self.random_state = n_iter, random_state

    @property
    def _listed(self) -> bool:
        """Whether there are lists only, so that all combinations can be numbered."""
        return all(not hasattr(values, "rvs") for space in self.param_distributions for values in space.values())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The draws."""
        rng = stream(self.random_state)
        if self._listed:
            grid = ParameterGrid(self.param_distributions)
            if len(grid) < self.n_iter:
                warn(
                    f"There are {len(grid)} candidates in all, fewer than n_iter={self.n_iter}: each is tried once, as "
                    "GridSearchCV would.",
                    UserWarning,
                )
            for place in _distinct(len(grid), min(self.n_iter, len(grid)), rng):
                yield grid[place]
            return
        for _ in range(self.n_iter):
            space = rng.choice(self.param_distributions)
            yield {name: _drawn(values, rng) for name, values in sorted(space.items())}

    def __len__(self) -> int:
        """Number of splits."""
        return min(self.n_iter, len(ParameterGrid(self.param_distributions))) if self._listed else self.n_iter


def _drawn(values: Any, rng: np.random.RandomState) -> Any:
    return values.rvs(random_state=rng) if hasattr(values, "rvs") else values[rng.randint(len(values))]


def _distinct(size: int, count: int, rng: np.random.RandomState) -> list[int]:
    """`count` different numbers below `size`, in scikit-learn's way for every share of them."""
    share = count / size if size else 1.0
    if 0.01 < share < 0.99:
        return list(rng.permutation(size)[:count])
    if share < 0.2:
        found: dict[int, None] = {}
        while len(found) < count:
            found[int(rng.randint(size))] = None
        return list(found)
    reservoir = list(range(count))
    for place in range(count, size):
        chosen = int(rng.randint(0, place + 1))
        if chosen < count:
            reservoir[chosen] = place
    return reservoir
