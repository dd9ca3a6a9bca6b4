"""Gamma emissions."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...engines.iterate import State
from .column_families import GammaFamily
from .columns import ColumnEmissions


class GammaEmissions:
    """A gamma distribution for each column, independent given the state."""

    names = ("shapes", "rates")

    def __init__(self, columns: int) -> None:
        self.columns = ColumnEmissions((GammaFamily(),) * columns)

    @staticmethod
    def _joined(parameters: State) -> State:
        return {"parameters": np.stack([parameters["shapes"], parameters["rates"]], axis=2)}

    @staticmethod
    def _split(parameters: State) -> State:
        return {"shapes": parameters["parameters"][:, :, 0], "rates": parameters["parameters"][:, :, 1]}

    def initial(self, X: Array, heavy: Array, rng: np.random.Generator) -> State:
        """Parameters for responsibilities that are mixed with random ones."""
        return self._split(self.columns.initial(X, heavy, rng))

    def log_density(self, X: Array, parameters: State) -> Array:
        """Sums of the log densities of the observed entries."""
        return self.columns.log_density(X, self._joined(parameters))

    def maximise(self, X: Array, heavy: Array, parameters: State, update: frozenset[str]) -> State:
        """Maximum likelihood; where shapes are fixed, rates are shape over mean."""
        found = self._split(self.columns.maximise(X, heavy, self._joined(parameters), update))
        if "shapes" not in update:
            found["rates"] = parameters["shapes"] * found["rates"] / found["shapes"]
        return found

    def log_prior(self, parameters: State) -> float:
        """A uniform prior."""
        return 0.0

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Rows drawn in a state."""
        return self.columns.draw(self._joined(parameters), state, count, rng)

    def free_parameters(self, parameters: State) -> int:
        """Shapes and rates."""
        return int(2 * parameters["shapes"].size)
