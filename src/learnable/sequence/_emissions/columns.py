"""Emissions of independent columns, each with a family of distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from ...core import Array
from ...engines.iterate import State
from .column_families import ColumnFamily

EMPTY = 1e-12  # fraction of the rows below which a state keeps its parameters


@dataclass(frozen=True)
class ColumnEmissions:
    """Independent columns given the state; `parameters` is (states, columns, most parameters of a family)."""

    families: tuple[ColumnFamily, ...]
    name: str = "parameters"

    @property
    def names(self) -> tuple[str, ...]:
        """The single array of parameters."""
        return (self.name,)

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Parameters for responsibilities that are mixed with random ones, so that no state lacks a value."""
        mixed = weights + 0.2 * rng.dirichlet(np.ones(weights.shape[1]), len(X))
        return {self.name: self._estimate(X, mixed, None)}

    def _estimate(self, X: Array, weights: Array, before: Array | None) -> Array:
        most = max(family.count for family in self.families)
        found = np.zeros((weights.shape[1], len(self.families), most)) if before is None else before.copy()
        for j, family in enumerate(self.families):
            seen = ~np.isnan(X[:, j])
            own = weights[seen]
            total = own.sum(axis=0)
            filled = total > EMPTY * max(float(total.sum()), 1e-300)
            if filled.any():
                found[filled, j, : family.count] = family.estimate(X[seen, j], own[:, filled])
        return found

    def log_density(self, X: Array, parameters: State) -> Array:
        """Sums of the log densities of the observed entries."""
        known = cast(Array, parameters[self.name])
        found = np.zeros((len(X), len(known)))
        for j, family in enumerate(self.families):
            seen = ~np.isnan(X[:, j])
            found[seen] += family.log_density(X[seen, j], known[:, j, : family.count])
        return found

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Maximum likelihood in each column; a state without weight keeps its parameters."""
        return {self.name: self._estimate(X, weights, parameters[self.name])}

    def log_prior(self, parameters: State) -> float:
        """A uniform prior."""
        return 0.0

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Rows drawn in a state."""
        own = parameters[self.name][state]
        drawn = [family.draw(own[j, : family.count], count, rng) for j, family in enumerate(self.families)]
        return np.stack(drawn, axis=1)

    def free_parameters(self, parameters: State) -> int:
        """Those of all columns."""
        return len(parameters[self.name]) * sum(family.free() for family in self.families)
