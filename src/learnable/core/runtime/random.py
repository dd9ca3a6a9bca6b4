"""Randomness: one generator per unit of work, keyed by its index, so that threads and order cannot matter."""

from __future__ import annotations

import secrets
from numbers import Integral
from operator import index
from typing import Any

import numpy as np

from ..errors import ParameterError, ParameterTypeError, not_fitted
from ..validate.features import Array
from .context import kept_loops
from .memory import memory_of_machine

RandomState = int | np.random.RandomState | np.random.Generator | None


def seed_of(random_state: RandomState) -> int:
    """One integer that stands for `random_state`: itself, a draw from the given generator, or fresh entropy.

    A fit that resumes from a checkpoint keeps its entropy.
    """
    if random_state is None:
        fresh, kept = secrets.randbits(128), kept_loops()
        return fresh if kept is None else kept.seed(fresh)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    try:
        seed = index(random_state)
    except TypeError:
        raise ParameterTypeError(
            f"random_state must be a seed, a generator or None; got {random_state!r:.60}"
        ) from None
    if seed < 0:
        raise ParameterError(f"random_state must be at least 0; got {random_state!r}")
    return seed


def stream(random_state: RandomState) -> np.random.RandomState:
    """NumPy's frozen legacy stream, in which a seed means the same draws as in scikit-learn; None is the global one."""
    if random_state is None:
        return np.random.mtrand._rand  # what `numpy.random.seed` seeds
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.bit_generator)
    if not isinstance(random_state, Integral) or not 0 <= random_state < 2**32:
        raise ParameterError(
            f"random_state must be a whole number from 0 to 2**32 - 1, a generator or None; got {random_state!r:.40}"
        )
    return np.random.RandomState(random_state)


def resumable_stream(random_state: RandomState) -> np.random.RandomState:
    """The same, except that draws without a seed are those that the fit began with, if it goes on from a checkpoint."""
    if random_state is None and kept_loops() is not None:
        return np.random.RandomState(seed_of(None) % 2**32)
    return stream(random_state)


def requested_samples(model: Any, n_samples: Any) -> int:
    """How many rows are to be drawn from a fitted model."""
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    if isinstance(n_samples, bool) or not isinstance(n_samples, Integral) or n_samples < 1:
        raise ParameterError(
            f"{type(model).__name__}: n_samples of sample must be a whole number of at least 1; got {n_samples!r:.40}"
        )
    most = memory_of_machine() // (8 * model.n_features_in_)
    if n_samples > most:
        raise ParameterError(
            f"{type(model).__name__}: n_samples of sample must be at most {most}, for which there is memory; "
            f"got {n_samples!r:.40}"
        )
    return int(n_samples)


def generator(seed: int, *key: int) -> np.random.Generator:
    """The generator of the unit of work `key` under `seed`.

    >>> bool(generator(0, 3).integers(100) == generator(0, 3).integers(100))
    True
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=key)))


def uniforms(seed: int, units: range, width: int, *key: int) -> Array:
    """`width` numbers between 0 and 1 for each unit of work, one row for each, in one call.

    A row depends on `seed`, `key`, `width` and the number of its unit, whichever units are requested together.

    >>> bool((uniforms(0, range(5, 7), 3)[1] == uniforms(0, range(6, 7), 3)[0]).all())
    True
    """
    blocks = -(-width // 4)  # Philox gives four numbers for each value of its counter
    seeds = np.random.SeedSequence(entropy=seed, spawn_key=key).generate_state(2, np.uint64)
    bits = np.random.Philox(key=seeds, counter=units.start * blocks)
    return np.random.Generator(bits).random((len(units), 4 * blocks))[:, :width]
