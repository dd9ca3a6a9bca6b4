"""What a simulation of learning draws from: a law of the data that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import limits, not_empty
from ..core.roles.estimator import cloned
from ..core.validate.sparse_input import ChecksSparse

Truth = Callable[[Array], Array]
Draw = Callable[[np.random.Generator, int], Array]
Generate = Callable[[np.random.Generator, int], tuple[Array, Array]]
"""Makes n rows and their targets, `generate(rng, n) -> X, y`."""

some = limits(at_least=1, accepts=not_empty, says="not empty")
RULES = dict.fromkeys(["n", "repeats", "n_test", "sizes", "folds", "dimensions", "estimators"], some)
"""What the arguments of simulations keep, whichever of them has one of these names."""


def uniform_column(rng: np.random.Generator, n: int) -> Array:
    """n rows of one column between -1 and 1."""
    return rng.uniform(-1, 1, (n, 1))


@dataclass(frozen=True)
class NoisyFunction(ChecksSparse):
    """Known data-generating process: rows from `draw(rng, n)`, targets `truth(X)` plus normal noise.

    y = truth(x) + noise e,   e normal with mean 0 and variance 1

    Without `draw` there is one column, uniform between -1 and 1.

    >>> X, y = NoisyFunction(lambda X: X[:, 0] ** 3, noise=0.1)(np.random.default_rng(0), 5)
    >>> X.shape, y.shape
    ((5, 1), (5,))
    """

    truth: Truth
    noise: float = 0.0
    draw: Draw = uniform_column

    def __call__(self, rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        """n rows and their targets."""
        X = self.draw(rng, n)
        return X, self.targets(rng, X)

    def targets(self, rng: np.random.Generator, X: Array) -> Array:
        """Targets of given rows, drawn again at each call."""
        return self.at(X) + self.noise * rng.standard_normal(len(X))

    def at(self, X: Array) -> Array:
        """The truth at rows: a number for each."""
        values = np.asarray(self.truth(X), dtype=np.float64)
        if values.shape != (len(X),):
            raise ParameterError(
                f"NoisyFunction: truth(X) must give a number for each row of X, such as X[:, 0] ** 2; got shape "
                f"{values.shape} for {len(X)} rows"
            )
        return values


def fitted(estimator: Any, X: Array, y: Array) -> Any:
    """A copy of the estimator, ours or another library's, fitted to (X, y)."""
    return cloned(estimator).fit(X, y)
