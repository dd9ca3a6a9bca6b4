"""Randomness: one generator per unit of work, keyed by its index, so that threads and order cannot matter."""

from __future__ import annotations

import numpy as np

from .errors import ParameterError

RandomState = int | np.random.RandomState | np.random.Generator | None


def seed_of(random_state: RandomState) -> int:
    """One integer that stands for `random_state`: itself, a draw from the given generator, or fresh entropy."""
    if random_state is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]  # without arguments it is an int
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if random_state < 0:
        raise ParameterError(f"random_state must be at least 0; got {random_state!r}")
    return int(random_state)


def generator(seed: int, *key: int) -> np.random.Generator:
    """The generator of the unit of work `key` under `seed`.

    >>> bool(generator(0, 3).integers(100) == generator(0, 3).integers(100))
    True
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=key)))
