"""What the generators share: shuffled rows and the sizes of two groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.errors import ParameterError


def shuffled(draws: np.random.RandomState, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays with their rows in one random order."""
    order = np.arange(len(arrays[0]))
    draws.shuffle(order)
    return tuple(array[order] for array in arrays)


def two_sizes(owner: str, n_samples: int | Sequence[int]) -> tuple[int, int]:
    """How many rows each of two groups has: halves of a number, or the two numbers given."""
    if isinstance(n_samples, (int, np.integer)):
        return int(n_samples) // 2, int(n_samples) - int(n_samples) // 2
    if len(n_samples) != 2:
        raise ParameterError(f"{owner}: n_samples must be a number or two numbers; got {n_samples!r}")
    return n_samples[0], n_samples[1]
