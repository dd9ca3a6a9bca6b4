"""Breeding: parents selected, their genes crossed and mutated, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...core import Array, ParameterError
from .crossover import (
    blend_crossover,
    one_point_crossover,
    order_crossover,
    partially_mapped_crossover,
    simulated_binary_crossover,
    two_point_crossover,
    uniform_crossover,
)
from .genes import Genes, Genome
from .mutation import flip_mutation, gaussian_mutation, polynomial_mutation, reset_mutation, swap_mutation
from .row_draws import RowDraws
from .selection import rank_selection, roulette_selection, stochastic_universal_sampling, tournament_selection

SELECTIONS: dict[str, Callable[..., Array]] = {
    "tournament": tournament_selection,
    "roulette": roulette_selection,
    "rank": rank_selection,
    "sus": stochastic_universal_sampling,
}
CROSSOVERS: dict[str, Callable[..., tuple[Array, Array]]] = {
    "one_point": one_point_crossover,
    "two_point": two_point_crossover,
    "uniform": uniform_crossover,
    "blend": blend_crossover,
    "sbx": simulated_binary_crossover,
    "order": order_crossover,
    "pmx": partially_mapped_crossover,
}
MUTATIONS: dict[str, Callable[..., Array]] = {
    "flip": flip_mutation,
    "reset": reset_mutation,
    "gaussian": gaussian_mutation,
    "polynomial": polynomial_mutation,
    "swap": swap_mutation,
}
BOUNDED = ("sbx", "reset", "gaussian", "polynomial")
SWAP_RATE = 0.2
OURS = frozenset((*CROSSOVERS.values(), *MUTATIONS.values()))


@dataclass(frozen=True)
class Breeding:
    """How children are made of a population: the operators of every block of genes, and their rates."""

    genome: Genome
    select: Callable[..., Array]
    crossovers: tuple[Callable[..., tuple[Array, Array]], ...]
    mutations: tuple[Callable[..., Array], ...]
    crossover_rate: float

    @classmethod
    def of(
        cls, owner: str, genome: Genome, selection: Any, crossover: Any, mutation: Any, crossover_rate: float,
        mutation_rate: float | None,
    ) -> Breeding:  # fmt: skip
        """From names or functions; a name that does not fit a block of genes is refused."""
        crossed = [_operator(owner, "crossover", crossover, block) for block in genome.blocks]
        mutated = [_operator(owner, "mutation", mutation, block) for block in genome.blocks]
        rated = [
            partial(function, probability=_rate(block, mutation_rate)) if not callable(mutation) else function
            for function, block in zip(mutated, genome.blocks, strict=True)
        ]
        select = selection if callable(selection) else SELECTIONS[selection]
        return cls(genome, select, tuple(crossed), tuple(rated), crossover_rate)

    def children(self, population: Array, fitness: Array, count: int, draws: RowDraws) -> tuple[Array, Array]:
        """`count` children, and for each the index of the parent that it began as."""
        parents = np.asarray(self.select(fitness, 2 * ((count + 1) // 2), _twice(draws)), dtype=np.int64)
        mothers, fathers = parents[0::2], parents[1::2]
        pairs = RowDraws(draws.seed, len(mothers), (*draws.key, 1), draws.first)
        crossed = pairs.uniform(1) < self.crossover_rate
        one, two = population[mothers], population[fathers]
        for at, cross, block in zip(self.genome.columns, self.crossovers, self.genome.blocks, strict=True):
            first, second = cross(population[mothers][:, at], population[fathers][:, at], pairs)
            one[:, at], two[:, at] = (
                np.where(crossed, _kept(child, block, cross), old)
                for child, old in ((first, one[:, at]), (second, two[:, at]))
            )
        born = np.empty((2 * len(mothers), population.shape[1]))
        born[0::2], born[1::2] = one, two
        children = born[:count]
        changes = RowDraws(draws.seed, count, (*draws.key, 2), draws.first)
        for at, mutate, block in zip(self.genome.columns, self.mutations, self.genome.blocks, strict=True):
            children[:, at] = _kept(mutate(children[:, at], changes), block, mutate)
        return children, parents[:count]


def _twice(draws: RowDraws) -> RowDraws:
    """Draws of the parents, of which there are as many as children, or one more."""
    return RowDraws(draws.seed, 2 * ((draws.n + 1) // 2), (*draws.key, 0), draws.first)


def _kept(rows: Any, block: Genes, operator: Callable[..., Any]) -> Array:
    """Children as genes of their kind: whatever a function of the caller did, they stay within their bounds."""
    if getattr(operator, "func", operator) in OURS:
        return np.asarray(rows)
    low, high = block.bounds()
    values = np.clip(np.asarray(rows, dtype=np.float64), low, high)
    return values if block.kind == "reals" else np.round(values)


def _operator(owner: str, role: str, requested: Any, block: Genes) -> Callable[..., Any]:
    """The operator of a block, with its bounds where it needs them."""
    if callable(requested):
        return requested  # type: ignore[no-any-return]  # a function of the caller
    fitting = block.crossovers if role == "crossover" else block.mutations
    name = fitting[0] if requested == "auto" else requested
    if name not in fitting:
        raise ParameterError(
            f"{owner}: {role}={name!r} does not fit genes that are {block.kind}; take {' or '.join(fitting)}, or "
            "'auto', which chooses for each block of genes"
        )
    function: Callable[..., Any] = (CROSSOVERS if role == "crossover" else MUTATIONS)[name]
    if name not in BOUNDED:
        return function
    low, high = block.bounds()
    return partial(function, low=low, high=high)


def _rate(block: Genes, rate: float | None) -> float | None:
    """The rate of mutation: of each gene, 1 / n by default; of a permutation as a whole."""
    return SWAP_RATE if rate is None and block.kind == "permutation" else rate
