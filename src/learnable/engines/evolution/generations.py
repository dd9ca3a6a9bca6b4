"""Generations of a genetic algorithm on islands, as a method of `iterate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ..iterate import Progress, State
from .breeding import Breeding
from .row_draws import RowDraws

Evaluate = Callable[[Array], Array]
INITIAL = 0  # the generation of the draws of the first population


@dataclass(frozen=True)
class Generations:
    """A genetic algorithm: islands of `size` individuals, of which the fittest are kept and the others replaced.

    `evaluate` gives the fitness of rows, which is maximised; `sign` is -1 where the caller minimises. Every
    `interval` generations the `migrants` fittest of an island replace the least fit of the next one.
    """

    breeding: Breeding
    evaluate: Evaluate
    seed: int
    size: int
    n_elite: int = 1
    islands: int = 1
    interval: int = 10
    migrants: int = 1
    patience: int | None = None
    target: float | None = None
    sign: float = 1.0
    initial: Array | None = None

    def start(self) -> State:
        """Islands of random individuals, the first of which are the `initial` ones."""
        genome = self.breeding.genome
        rows = [genome.random(RowDraws(self.seed, self.size, (INITIAL, island))) for island in range(self.islands)]
        population = np.vstack(rows)
        if self.initial is not None:
            population[: len(self.initial)] = self.initial[: len(population)]
        fitness = self.evaluate(population)
        return self._with_best(
            {
                "population": population, "fitness": fitness, "generation": 0, "evaluations": len(population),
                "best": population[0], "best_fitness": -np.inf, "stale": 0,
            }
        )  # fmt: skip

    def step(self, state: State) -> State:
        """The next generation of every island."""
        generation = state["generation"] + 1
        population, fitness = state["population"].copy(), state["fitness"].copy()
        if self.islands > 1 and generation % self.interval == 0:
            self._migrate(population, fitness)
        born, known = [], []
        for island in range(self.islands):
            rows = slice(island * self.size, (island + 1) * self.size)
            draws = RowDraws(self.seed, self.size - self.n_elite, (generation, island))
            children, parent = self.breeding.children(population[rows], _finite(fitness[rows]), draws.n, draws)
            same = (children == population[rows][parent]).all(axis=1)
            elite = np.argsort(-fitness[rows], kind="stable")[: self.n_elite]
            born += [population[rows][elite], children]
            known += [fitness[rows][elite], np.where(same, fitness[rows][parent], np.nan)]
        population, fitness = np.vstack(born), np.concatenate(known)
        unknown = np.isnan(fitness)
        if unknown.any():
            fitness[unknown] = self.evaluate(population[unknown])
        return self._with_best(
            {
                **state, "population": population, "fitness": fitness, "generation": generation,
                "evaluations": state["evaluations"] + int(unknown.sum()),
            }
        )  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The best fitness so far, with the mean and the least of this generation."""
        best, fitness = state["best_fitness"], state["fitness"]
        missing = max(self.sign * self.target - best, 0.0) if self.target is not None else 1.0
        seen = fitness[np.isfinite(fitness)]
        more = {
            "best": self.sign * float(fitness.max()), "mean": self.sign * float(seen.mean()) if len(seen) else np.nan,
            "worst": self.sign * float(fitness.min()), "evaluations": float(state["evaluations"]),
        }  # fmt: skip
        tired = self.patience is not None and state["stale"] >= self.patience
        return Progress(self.sign * best, missing, 0.0, more, patience=tired)

    def _with_best(self, state: State) -> State:
        """The state with the best individual of all generations."""
        index = int(state["fitness"].argmax())
        better = state["fitness"][index] > state["best_fitness"]
        if better:
            best = {"best": state["population"][index].copy(), "best_fitness": float(state["fitness"][index])}
            return {**state, **best, "stale": 0}
        return {**state, "stale": state["stale"] + 1}

    def _migrate(self, population: Array, fitness: Array) -> None:
        """The fittest of each island replace the least fit of the next one."""
        orders = [np.argsort(-part, kind="stable") for part in fitness.reshape(self.islands, self.size)]
        leaving = [i * self.size + order[: self.migrants] for i, order in enumerate(orders)]
        rows, values = [population[index].copy() for index in leaving], [fitness[index].copy() for index in leaving]
        for island in range(self.islands):
            after = (island + 1) % self.islands
            replaced = after * self.size + orders[after][self.size - self.migrants :]
            population[replaced], fitness[replaced] = rows[island], values[island]


def _finite(fitness: Array) -> Array:
    """Fitness for selection, with infinite values replaced by the worst and the best of the others."""
    seen = fitness[np.isfinite(fitness)]
    return np.clip(fitness, seen.min(), seen.max()) if len(seen) else np.zeros(len(fitness))
