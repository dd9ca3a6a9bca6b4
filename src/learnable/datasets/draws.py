"""The random stream of the generators."""

from __future__ import annotations

import numpy as np

Seed = int | np.random.RandomState | np.random.Generator | None


def stream(random_state: Seed) -> np.random.RandomState:
    """NumPy's frozen legacy stream, so that a seed means the same data here as in scikit-learn."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.bit_generator)
    return np.random.RandomState(random_state)
