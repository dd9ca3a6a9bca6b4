"""Mutation: small random changes of individuals, for all rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, DataError
from ...core.declare.checked_functions import Rows, checked, limits
from .crossover import bounds_of_genes
from .row_draws import draws_of
from .selection import Seed

RULES = {
    "probability": limits(at_least=0, at_most=1),
    "scale": limits(above=0),
    "eta": limits(at_least=0),
}


@checked(**RULES)
def flip_mutation(population: Rows, random_state: Seed = None, *, probability: float | None = None) -> Array:
    """Bit-flip mutation: each bit changes with `probability`, by default one divided by their number.

    >>> flip_mutation([[0, 1, 1]], 0, probability=1.0)
    array([[1, 0, 0]])
    """
    bits = _individuals("flip_mutation", population)
    flipped: Array = (bits != _mutated(bits, random_state, probability)).astype(bits.dtype)
    return flipped


@checked(**RULES)
def reset_mutation(
    population: Rows, random_state: Seed = None, *, low: Any, high: Any, probability: float | None = None
) -> Array:
    """Random reset: each whole number is drawn again from low..high with `probability`, by default 1 / their number.

    >>> bool((reset_mutation([[9, 9]], 0, low=0, high=3, probability=1.0) <= 3).all())
    True
    """
    values = _individuals("reset_mutation", population)
    draws = draws_of(random_state, len(values))
    least, most = bounds_of_genes("reset_mutation", low, high, values.shape[1])
    drawn = np.minimum(least + np.floor(draws.uniform(values.shape[1]) * (most - least + 1)), most)
    return np.where(_mutated(values, draws, probability), drawn, values).astype(values.dtype)


@checked(**RULES)
def gaussian_mutation(
    population: Rows,
    random_state: Seed = None,
    *,
    scale: float = 0.1,
    probability: float | None = None,
    low: Any = -np.inf,
    high: Any = np.inf,
) -> Array:
    """Gaussian mutation: normal noise on each gene with `probability`, by default one divided by their number.

    x <- clip(x + scale (high - low) e),   e standard normal; without bounds the standard deviation is `scale`

    >>> bool(abs(gaussian_mutation([[0.5]], 0, low=0.0, high=1.0, probability=1.0)[0, 0] - 0.5) < 0.5)
    True
    """
    values = _individuals("gaussian_mutation", population).astype(np.float64)
    draws = draws_of(random_state, len(values))
    least, most = bounds_of_genes("gaussian_mutation", low, high, values.shape[1])
    width = most - least
    noise = scale * np.where(np.isfinite(width), width, 1.0) * draws.normal(values.shape[1])
    return np.where(_mutated(values, draws, probability), np.clip(values + noise, least, most), values)


@checked(**RULES)
def polynomial_mutation(
    population: Rows, random_state: Seed = None, *, low: Any, high: Any, eta: float = 20.0,
    probability: float | None = None,
) -> Array:  # fmt: skip
    """Polynomial mutation within bounds: small changes are the more probable, the larger eta.

    x <- x + d (high - low),   density of d proportional to (1 - |d|)^eta on what the bounds leave

    [Deb and Goyal, 1996]

    >>> mutated = polynomial_mutation([[0.0, 0.5]], 0, low=0.0, high=1.0, probability=1.0)
    >>> bool(((mutated >= 0) & (mutated <= 1)).all())
    True
    """
    values = _individuals("polynomial_mutation", population).astype(np.float64)
    draws = draws_of(random_state, len(values))
    least, most = bounds_of_genes("polynomial_mutation", low, high, values.shape[1])
    width, u = np.where(most > least, most - least, 1.0), draws.uniform(values.shape[1])
    down = (2 * u + (1 - 2 * u) * np.clip(1 - (values - least) / width, 0, 1) ** (eta + 1)).clip(0)
    up = (2 * (1 - u) + (2 * u - 1) * np.clip(1 - (most - values) / width, 0, 1) ** (eta + 1)).clip(0)
    step = np.where(u < 0.5, down ** (1 / (eta + 1)) - 1, 1 - up ** (1 / (eta + 1)))
    changed = np.clip(values + step * width, least, most)
    return np.where(_mutated(values, draws, probability), changed, values)


@checked(**RULES)
def swap_mutation(population: Rows, random_state: Seed = None, *, probability: float = 0.2) -> Array:
    """Swap mutation of permutations: two random genes of an individual are exchanged with `probability`.

    >>> sorted(swap_mutation([[0, 1, 2, 3]], 0, probability=1.0)[0].tolist())
    [0, 1, 2, 3]
    """
    values = _individuals("swap_mutation", population)
    draws = draws_of(random_state, len(values))
    if values.shape[1] < 2:
        return values.copy()
    pairs = draws.permuted_few(values.shape[1], 2)
    changed = draws.uniform(1) < probability
    swapped = values.copy()
    turned = np.take_along_axis(values, pairs[:, ::-1], axis=1)
    np.put_along_axis(swapped, pairs, np.where(changed, turned, np.take_along_axis(values, pairs, axis=1)), axis=1)
    return swapped


def _mutated(values: Array, random_state: Any, probability: float | None) -> Array:
    """Which genes change."""
    share = 1 / values.shape[1] if probability is None else probability
    return draws_of(random_state, len(values)).uniform(values.shape[1]) < share


def _individuals(owner: str, population: Any) -> Array:
    values = np.asarray(population)
    if values.ndim != 2 or values.size == 0 or values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        raise DataError(
            f"{owner}: population must be a matrix of finite numbers, a row for each individual; got {values.dtype} "
            f"{values.shape}"
        )
    return values
