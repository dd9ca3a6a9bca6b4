"""Transitions that are computed in Python, one chain after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ..core import Array, generator
from ..engines.iterate import State
from ._target import TargetDensity

STREAM = 2  # of the seed of a chain: 0 gives its starts


class ChainByChain(ABC):
    """Positions and log densities of all chains as plain data, and blocks of draws by `run`."""

    statistic: ClassVar[str] = "acceptance_rate"

    def __init__(self, target: TargetDensity) -> None:
        self.value, self.size = target.value, target.layout.size

    def breaks(self, tune: int) -> list[int]:
        """Blocks may end anywhere."""
        return []

    def start(self, positions: Array, seeds: list[int]) -> State:
        """At the starts."""
        values = np.array([self.value(position) for position in positions])
        return {"seeds": list(seeds), "position": positions.copy(), "lp": values, **self.further(positions)}

    def further(self, positions: Array) -> State:
        """What else belongs to the state: arrays with a row per chain, and numbers."""
        return {}

    def block(self, state: State, first: int, count: int, tuning: bool) -> tuple[State, Array, dict[str, Array]]:
        """The next draws of each chain, and adapted proposals."""
        chains = len(state["position"])
        draws, stats = np.empty((chains, count, self.size)), np.empty((2, chains, count))
        after = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
        for chain in range(chains):
            random = generator(state["seeds"][chain], STREAM, first)
            self.run(after, chain, random, first, tuning, draws[chain], *stats[:, chain])
        if tuning:
            after |= self.adapted(after, draws, first + count)
        return after, draws, {"lp": stats[0], self.statistic: stats[1]}

    @abstractmethod
    def run(
        self, state: State, chain: int, random: Any, first: int, tuning: bool, draws: Array, lp: Array, stat: Array
    ) -> None:
        """Continue a chain in place; write its draws, their log densities and the statistic."""

    def adapted(self, state: State, draws: Array, done: int) -> State:
        """What changes of the state after a block of the warm-up."""
        return {}
