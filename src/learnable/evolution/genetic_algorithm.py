"""Genetic algorithms on bits, whole numbers, real numbers and permutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from ..core import REQUIRED, Array, ParameterError, Trace, declaring, param
from ..core.declare.params import learned
from ..core.errors import ParameterTypeError
from ..engines.evolution.breeding import Breeding
from ..engines.evolution.function_search import FunctionSearch, as_numbers, checked_values, values_one_by_one
from ..engines.evolution.generations import Generations
from ..engines.evolution.genes import Genome, are_genes

Fitness = Callable[[Any], Any]


@declaring
class GeneticAlgorithm(FunctionSearch):
    """Genetic algorithm: a population evolves by selection, crossover and mutation.

    maximise f(x) (or minimise) over   x = bits, whole numbers, real numbers, a permutation, or several of these

    Each generation keeps the `n_elite` fittest; the others are children of selected parents. Islands evolve by
    themselves, and every `migration_interval` generations the fittest of each move to the next. The random numbers of
    an individual depend on the seed, its generation and its index alone. `trace_` has the best, mean and worst fitness
    of each generation; after a run `best_` is the best individual, `best_fitness_` its value, `population_` and
    `fitness_` the last generation, `n_evaluations_` how often the function was evaluated. Nothing is proven about the
    distance to the optimum. [Holland, Adaptation in Natural and Artificial Systems, 1975]

    >>> from learnable.evolution import Bits
    >>> search = GeneticAlgorithm(Bits(20), population_size=50, random_state=0).maximize(lambda bits: bits.sum())
    >>> float(search.best_fitness_)
    20.0
    """

    genes: Any = param(
        REQUIRED, "kind of genes: Bits, Integers, Reals or Permutation, or a list of several", kw_only=False,
        accepts=are_genes, says="Bits(n), Integers(low, high, n), Reals(low, high, n), Permutation(n), or a list",
    )  # fmt: skip
    population_size: int = param(100, "number of individuals, on each island", at_least=2)
    max_generations: int = param(100, "number of generations", at_least=1)
    selection: Literal["tournament", "roulette", "rank", "sus"] | Callable[..., Array] = param(
        "tournament", "selection of parents, by name or as a function (fitness, count, draws) -> indices"
    )
    crossover: Any = param(
        "auto", "crossover by name, or a function (first, second, draws) -> two matrices; auto: by the kind of genes",
        accepts=lambda v: callable(v) or v in ("auto", "one_point", "two_point", "uniform", "blend", "sbx", "order",
                                               "pmx"),
        says="auto, one_point, two_point, uniform, blend, sbx, order, pmx or a function",
    )  # fmt: skip
    mutation: Any = param(
        "auto", "mutation by name, or as a function (population, draws) -> population; auto: by the kind of genes",
        accepts=lambda v: callable(v) or v in ("auto", "flip", "reset", "gaussian", "polynomial", "swap"),
        says="auto, flip, reset, gaussian, polynomial, swap or a function",
    )  # fmt: skip
    crossover_rate: float = param(0.9, "probability that a pair of parents is crossed", at_least=0, at_most=1)
    mutation_rate: float | None = param(
        None, "probability that a gene mutates (None: 1 / number of genes), or a permutation (None: 0.2)", at_least=0,
        at_most=1,
    )  # fmt: skip
    n_elite: int = param(1, "number of fittest individuals kept in the next generation", at_least=0)
    n_islands: int = param(1, "number of islands", at_least=1)
    migration_interval: int = param(10, "generations between migrations", at_least=1)
    n_migrants: int = param(1, "individuals that leave an island at a migration", at_least=1)
    patience: int | None = param(None, "stop after this number of generations without a better individual", at_least=1)
    target: float | None = param(None, "stop when the best value reaches this one")
    vectorized: bool = param(False, "whether the function takes the whole population and returns a value for each")

    best_: Any = learned("the best individual")
    best_fitness_: float = learned("its value")
    population_: Any = learned("the individuals of the last generation")
    fitness_: Array = learned("their values", shape="individuals")
    n_evaluations_: int = learned("number of evaluations")

    title = "genetic algorithm"
    reference = "Holland, Adaptation in Natural and Artificial Systems, 1975"

    def maximize(self, fitness: Fitness, *, initial: Any = None) -> Self:
        """Evolve towards the largest fitness; `initial` rows replace random individuals."""
        return self._search(fitness, 1.0, initial)

    def minimize(self, function: Fitness, *, initial: Any = None) -> Self:
        """Evolve towards the least value of the function."""
        return self._search(function, -1.0, initial)

    def _search(self, function: Fitness, sign: float, initial: Any) -> Self:
        if not callable(function):
            raise ParameterTypeError(f"GeneticAlgorithm: a function of an individual is needed; got {function!r:.60}")
        self._function, self._sign, self._initial = function, sign, self._rows(initial)
        try:
            state, _ = self._search_for(self.max_generations, function, sign, self._initial)
        finally:
            del self._function, self._sign, self._initial
        genome = Genome.of(self.genes)
        self.best_, self.best_fitness_ = genome.one(state["best"]), sign * state["best_fitness"]
        self.population_, self.fitness_ = genome.decoded(state["population"]), sign * state["fitness"]
        self.n_evaluations_ = state["evaluations"]
        return self

    def _rows(self, initial: Any) -> Array | None:
        """The given individuals as rows."""
        if initial is None:
            return None
        parts = [initial] if not isinstance(self.genes, (list, tuple)) else initial
        rows = np.hstack([np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in parts])
        width = sum(block.n for block in Genome.of(self.genes).blocks)
        if rows.ndim != 2 or rows.shape[1] != width or not np.isfinite(rows).all():
            raise ParameterError(f"GeneticAlgorithm: initial must hold rows of {width} finite genes; got {rows.shape}")
        return rows

    def _method(self, seed: int) -> Generations:
        if self.n_elite >= self.population_size or self.n_migrants > self.population_size:
            raise ParameterError(
                f"GeneticAlgorithm: n_elite must be below population_size={self.population_size}, and n_migrants not "
                f"above it; got n_elite={self.n_elite}, n_migrants={self.n_migrants}"
            )
        breeding = Breeding.of(
            "GeneticAlgorithm", Genome.of(self.genes), self.selection, self.crossover, self.mutation,
            self.crossover_rate, self.mutation_rate,
        )  # fmt: skip
        return Generations(
            breeding, self._evaluate, seed, self.population_size, self.n_elite, self.n_islands,
            self.migration_interval, self.n_migrants, self.patience, self.target, self._sign, self._initial,
        )  # fmt: skip

    def _evaluate(self, rows: Array) -> Array:
        genes = Genome.of(self.genes).decoded(rows.copy())
        if self.vectorized:
            values = as_numbers("GeneticAlgorithm", self._function(genes))
        else:
            each = genes if isinstance(genes, np.ndarray) else list(zip(*genes, strict=True))
            values = values_one_by_one("GeneticAlgorithm", self._function, each)
        return self._sign * checked_values("GeneticAlgorithm", values, len(rows))

    @property
    def history_(self) -> Trace:
        """The fitness of each generation: best, mean and worst."""
        return self.trace_
