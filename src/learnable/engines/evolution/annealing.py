"""Simulated annealing as a method of `iterate`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import generator
from ..iterate import Progress, State

Neighbour = Callable[[Any, np.random.Generator], Any]
INITIAL_ACCEPTANCE = 0.8  # of the worse moves this fraction is accepted at the first temperature
TRIAL_MOVES = 100  # moves that find it
SCHEDULES = ("geometric", "logarithmic", "linear")


@dataclass(frozen=True)
class Annealing:
    """A walk through neighbours that accepts worse ones less and less often; a step is all moves at a temperature."""

    function: Callable[[Any], float]
    neighbour: Neighbour
    x0: Any
    moves: int
    levels: int
    temperature: float | None
    schedule: str
    cooling: float
    seed: int

    def start(self) -> State:
        """The first point and the first temperature."""
        value = self.function(self.x0)
        first = self._warm(value) if self.temperature is None else self.temperature
        return {
            "x": self.x0, "value": value, "best": self.x0, "best_value": value, "level": 0, "first": first,
            "temperature": first, "accepted": 0.0, "evaluations": 1 + (TRIAL_MOVES if self.temperature is None else 0),
        }  # fmt: skip

    def step(self, state: State) -> State:
        """All moves at one temperature, and the next temperature."""
        rng = generator(self.seed, 1, state["level"])
        x, value, best, best_value = state["x"], state["value"], state["best"], state["best_value"]
        temperature, accepted = state["temperature"], 0
        for _ in range(self.moves):
            other = self.neighbour(x, rng)
            found, u = self.function(other), rng.random()
            if found <= value or (temperature > 0 and u < np.exp(-(found - value) / temperature)):
                x, value, accepted = other, found, accepted + 1
                if value < best_value:
                    best, best_value = x, value
        level = state["level"] + 1
        return {
            **state, "x": x, "value": value, "best": best, "best_value": best_value, "level": level,
            "temperature": self._temperature(state["first"], level), "accepted": accepted / self.moves,
            "evaluations": state["evaluations"] + self.moves,
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The best value, the present one, the temperature and the rate of acceptance."""
        more = {
            "value": state["value"], "temperature": state["temperature"], "acceptance": state["accepted"],
            "evaluations": float(state["evaluations"]),
        }  # fmt: skip
        return Progress(state["best_value"], float(self.levels - state["level"]), 0.0, more)

    def _temperature(self, first: float, level: int) -> float:
        if self.schedule == "geometric":
            return float(first * self.cooling**level)
        if self.schedule == "logarithmic":
            return float(first / math.log(math.e + level))
        return float(first * (1 - level / self.levels))

    def _warm(self, value: float) -> float:
        """The temperature at which most worse moves are accepted."""
        rng = generator(self.seed, 0)
        changes = np.array([self.function(self.neighbour(self.x0, rng)) - value for _ in range(TRIAL_MOVES)])
        worse = changes[(changes > 0) & np.isfinite(changes)]
        return float(-worse.mean() / np.log(INITIAL_ACCEPTANCE)) if len(worse) else 1.0
