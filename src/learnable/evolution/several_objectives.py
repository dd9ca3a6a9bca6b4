"""Several objectives at once: NSGA-II."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import REQUIRED, Array, ParameterError, declaring, param
from ..core.declare.checked_functions import checked
from ..engines.evolution.breeding import Breeding
from ..engines.evolution.function_search import FunctionSearch, Optimum, as_numbers
from ..engines.evolution.genes import Genome, are_genes
from ..engines.evolution.non_domination import crowding_distance as crowding_distance
from ..engines.evolution.non_domination import hypervolume as hypervolume
from ..engines.evolution.non_domination import non_dominated_ranks as non_dominated_ranks
from ..engines.evolution.non_domination import refuse_objectives
from ..engines.evolution.row_draws import RowDraws
from ..engines.evolution.selection import Seed
from ..engines.iterate import Progress, State


@checked()
def nsga2(
    func: Callable[[Any], Any],
    genes: Any,
    *,
    population_size: int = 100,
    maxiter: int = 250,
    crossover: Any = "auto",
    mutation: Any = "auto",
    crossover_rate: float = 0.9,
    mutation_rate: float | None = None,
    reference: Any = None,
    vectorized: bool = False,
    rng: Seed = None,
) -> Optimum:
    """NSGA-II: an approximation of the Pareto front of several objectives, all of which are minimised.

    Parents win binary tournaments by front, then by crowding distance; the next generation is the best half of
    parents and children in that order. `func` returns the objectives of an individual; with `vectorized` it takes
    the population and returns a row for each. The result has the front: individuals `x` and objectives `fun`. With a
    `reference` point the trace has the hypervolume of the front. [Deb et al., 2002]

    >>> from learnable.evolution import Reals
    >>> found = nsga2(lambda x: (x[0] ** 2, (x[0] - 2) ** 2), Reals(-10, 10), population_size=40, maxiter=40, rng=0)
    >>> bool((np.abs(np.sqrt(found.fun).sum(axis=1) - 2) < 1e-6).mean() > 0.9)
    True
    """
    return NSGA2(
        func=func, genes=genes, population_size=population_size, maxiter=maxiter, crossover=crossover,
        mutation=mutation, crossover_rate=crossover_rate, mutation_rate=mutation_rate, reference_point=reference,
        vectorized=vectorized, random_state=rng,
    ).solve()  # fmt: skip


@declaring
class NSGA2(FunctionSearch):
    """A run of NSGA-II, as watchers see it."""

    func: Any = param(REQUIRED, "function of the objectives", accepts=callable, says="a function")
    genes: Any = param(
        REQUIRED, "kind of genes, or a list of several", accepts=are_genes,
        says="Bits(n), Integers(low, high, n), Reals(low, high, n), Permutation(n) or a list of these",
    )  # fmt: skip
    population_size: int = param(100, "number of individuals", at_least=4)
    maxiter: int = param(250, "number of generations", at_least=1)
    crossover: Any = param("auto", "crossover by name or as a function")
    mutation: Any = param("auto", "mutation by name or as a function")
    crossover_rate: float = param(0.9, "probability that a pair of parents is crossed", at_least=0, at_most=1)
    mutation_rate: float | None = param(None, "probability that a gene mutates", at_least=0, at_most=1)
    reference_point: Any = param(None, "reference point of the hypervolume")
    vectorized: bool = param(False, "whether the function takes the population")

    def solve(self) -> Optimum:
        """Run the search."""
        from scipy.optimize import OptimizeResult

        state, trace = self._search_for(self.maxiter)
        front = np.flatnonzero(non_dominated_ranks(state["F"]) == 0)
        genome = Genome.of(self.genes)
        return OptimizeResult(
            x=genome.decoded(state["population"][front]), fun=state["F"][front],
            population=genome.decoded(state["population"]), objectives=state["F"],
            nfev=self.population_size * (state["generation"] + 1), nit=state["generation"], trace=trace,
            success=trace.stopped == "limit", message=f"stopped: {trace.stopped}",
        )  # fmt: skip

    def _method(self, seed: int) -> NSGA2Method:
        for name, value in (("crossover", self.crossover), ("mutation", self.mutation)):
            if not isinstance(value, str) and not callable(value):
                raise ParameterError(f"nsga2: {name} must be a name or a function; got {value!r:.40}")
        breeding = Breeding.of(
            "nsga2", Genome.of(self.genes), by_front_and_crowding, self.crossover, self.mutation, self.crossover_rate,
            self.mutation_rate,
        )  # fmt: skip
        return NSGA2Method(self, breeding, seed)

    def objectives_of(self, rows: Array) -> Array:
        """The objectives of individuals."""
        genes = Genome.of(self.genes).decoded(rows.copy())
        if self.vectorized:
            found = as_numbers("nsga2", self.func(genes))
        else:
            each = genes if isinstance(genes, np.ndarray) else list(zip(*genes, strict=True))
            found = as_numbers("nsga2", [np.atleast_1d(as_numbers("nsga2", self.func(one))) for one in each])
        return refuse_objectives("nsga2", found, len(rows))


def by_front_and_crowding(order: Array, count: int, draws: RowDraws) -> Array:
    """Binary tournaments, where `order` has the position of each individual: by front, then by crowding distance."""
    drawn = draws.below(len(order), 2)
    winners: Array = np.where(order[drawn[:, 0]] <= order[drawn[:, 1]], drawn[:, 0], drawn[:, 1])
    return winners


@dataclass(frozen=True)
class NSGA2Method:
    """NSGA-II as a method of `iterate`."""

    search: NSGA2
    breeding: Breeding
    seed: int

    def start(self) -> State:
        """Random individuals."""
        n = self.search.population_size
        population = self.breeding.genome.random(RowDraws(self.seed, n, (0, 0)))
        return {"population": population, "F": self.search.objectives_of(population), "generation": 0}

    def step(self, state: State) -> State:
        """The better half of parents and children."""
        population, F, generation = state["population"], state["F"], state["generation"] + 1
        n = len(population)
        draws = RowDraws(self.seed, n, (generation, 0))
        children, _ = self.breeding.children(population, _positions(F).astype(np.float64), n, draws)
        both, values = np.vstack([population, children]), np.vstack([F, self.search.objectives_of(children)])
        kept = np.argsort(_positions(values), kind="stable")[:n]
        return {"population": both[kept], "F": values[kept], "generation": generation}

    def progress(self, state: State) -> Progress:
        """The hypervolume, negative as it grows, if there is a reference; else how many individuals are dominated."""
        F = state["F"]
        dominated = float((non_dominated_ranks(F) > 0).mean())
        if self.search.reference_point is None:
            return Progress(dominated, 1.0, 0.0, {"dominated": dominated})
        volume = hypervolume(F, self.search.reference_point)
        return Progress(-volume, 1.0, 0.0, {"dominated": dominated, "hypervolume": volume})


def _positions(F: Array) -> Array:
    """The position of each row: by front, then by falling crowding distance within the front."""
    ranks, crowding = non_dominated_ranks(F), np.empty(len(F))
    for front in range(int(ranks.max()) + 1):
        rows = np.flatnonzero(ranks == front)
        crowding[rows] = crowding_distance(F[rows])
    order = np.lexsort((-crowding, ranks))
    positions = np.empty(len(F), dtype=np.int64)
    positions[order] = np.arange(len(F))
    return positions
