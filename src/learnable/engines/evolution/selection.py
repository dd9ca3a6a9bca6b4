"""Selection of parents: fitter individuals more often."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...core import Array, DataError
from ...core.declare.annotations import Kind
from ...core.declare.checked_functions import Column, checked, limits, numbers
from .row_draws import RowDraws, draws_of


def _is_seed(value: Any) -> bool:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 0
    return whole or value is None or isinstance(value, (RowDraws, np.random.Generator, np.random.RandomState))


Seed = Annotated[Any, Kind(_is_seed, "a seed, a generator, the draws of a population, or None")]
RULES = {"count": limits(at_least=1), "size": limits(at_least=1), "pressure": limits(at_least=1, at_most=2)}


@checked(**RULES)
def roulette_selection(fitness: Column, count: int, random_state: Seed = None) -> Array:
    """Roulette-wheel selection: `count` indices with probability proportional to fitness, which must not be negative.

    p_i = f_i / sum_j f_j

    If all are 0, every individual is as probable. [Holland, 1975]

    >>> roulette_selection([0.0, 0.0, 5.0], 4, 0)
    array([2, 2, 2, 2])
    """
    values = _not_negative("roulette_selection", fitness)
    return _spun(values, draws_of(random_state, count).uniform(1)[:, 0])


@checked(**RULES)
def stochastic_universal_sampling(fitness: Column, count: int, random_state: Seed = None) -> Array:
    """Stochastic universal sampling: the roulette wheel turned once, with `count` equally spaced pointers.

    An individual is selected floor(count p_i) or ceil(count p_i) times, so that the spread is as small as can be. The
    indices are in random order. [Baker, 1987]

    >>> np.bincount(stochastic_universal_sampling([1.0, 3.0], 8, 0)).tolist()
    [2, 6]
    """
    values = _not_negative("stochastic_universal_sampling", fitness)
    draws = draws_of(random_state, count)
    pointer = (np.arange(count) + draws.uniform(1)[0, 0]) / count
    selected: Array = _spun(values, pointer)[draws.uniform(1)[:, 0].argsort(kind="stable")]
    return selected


@checked(**RULES)
def rank_selection(fitness: Column, count: int, random_state: Seed = None, *, pressure: float = 1.5) -> Array:
    """Linear rank selection: `count` indices with probability linear in the rank of fitness.

    p_i = (2 - s + 2 (s - 1) r_i / (n - 1)) / n    for the rank r_i from 0 (worst) to n - 1, selection pressure s

    Only the order of fitness matters. The best is expected s times among n. [Baker, 1985]

    >>> rank_selection([1.0, 1000.0, 2.0], 4, 0).shape
    (4,)
    """
    values = numbers("rank_selection", "fitness", fitness, None)
    ranks = _mean_ranks(values)
    weights = 2 - pressure + 2 * (pressure - 1) * ranks / max(len(values) - 1, 1)
    return _spun(weights, draws_of(random_state, count).uniform(1)[:, 0])


@checked(**RULES)
def tournament_selection(fitness: Column, count: int, random_state: Seed = None, *, size: int = 3) -> Array:
    """Tournament selection: `count` times the fittest of `size` individuals drawn with replacement.

    p(best) = 1 - (1 - 1 / n)^size

    Only the order of fitness matters; a larger `size` is a higher selection pressure. [Goldberg and Deb, 1991]

    >>> tournament_selection([1.0, 3.0, 2.0], 3, 0, size=50)
    array([1, 1, 1])
    """
    values = numbers("tournament_selection", "fitness", fitness, None)
    drawn = draws_of(random_state, count).below(len(values), size)
    selected: Array = drawn[np.arange(count), values[drawn].argmax(axis=1)]
    return selected


def _not_negative(owner: str, fitness: Any) -> Array:
    values = numbers(owner, "fitness", fitness, None)
    if values.min() < 0:
        index = int(values.argmin())
        raise DataError(
            f"{owner}: fitness must not be negative; got {values[index]:g} for individual {index}; shift the fitness, "
            "or use rank_selection or tournament_selection"
        )
    return values


def _spun(weights: Array, pointers: Array) -> Array:
    """The individual of the wheel at which each pointer, between 0 and 1, stops."""
    largest = weights.max()
    wheel = np.cumsum(weights / largest if largest > 0 else np.ones(len(weights)))
    stopped: Array = np.minimum(np.searchsorted(wheel, pointers * wheel[-1], side="right"), len(weights) - 1)
    return stopped


def _mean_ranks(values: Array) -> Array:
    """Ranks from 0; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    above = np.cumsum(counts)
    ranks: Array = (above - (counts + 1) / 2)[place]
    return ranks
