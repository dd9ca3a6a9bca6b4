"""Data of the tests of hidden Markov models."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

EARTHQUAKES = np.array(
    [
        13, 14, 8, 10, 16, 26, 32, 27, 18, 32, 36, 24, 22, 23, 22, 18, 25, 21, 21, 14, 8, 11, 14, 23, 18, 17, 19, 20,
        22, 19, 13, 26, 13, 14, 22, 24, 21, 22, 26, 21, 23, 24, 27, 41, 31, 27, 35, 26, 28, 36, 39, 21, 17, 22, 17, 19,
        15, 34, 10, 15, 22, 18, 15, 20, 15, 22, 19, 16, 30, 27, 29, 23, 20, 16, 21, 21, 25, 16, 18, 15, 18, 14, 10, 15,
        8, 15, 6, 11, 8, 7, 18, 16, 13, 12, 13, 20, 15, 16, 12, 18, 15, 16, 13, 15, 16, 11, 11,
    ]
)[:, None]  # fmt: skip
"""Major earthquakes in the world, 1900 to 2006 (US Geological Survey)."""


def switching(steps: int = 240, columns: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows about two levels, and the states that they come from."""
    rng = np.random.default_rng(seed)
    stay = rng.random(steps) < 0.9
    states = np.cumsum(~stay) % 2
    return rng.standard_normal((steps, columns)) + 3.0 * states[:, None], states


def enumerated_likelihood(model: Any, log_density: np.ndarray) -> tuple[float, np.ndarray]:
    """Log likelihood and posteriors of one sequence by the enumeration of all paths, given log densities of rows."""
    steps, states = log_density.shape
    total, posterior = 0.0, np.zeros((steps, states))
    for path in product(range(states), repeat=steps):
        probability = model.startprob_[path[0]] * np.exp(sum(log_density[t, k] for t, k in enumerate(path)))
        for t in range(1, steps):
            probability *= model.transmat_[path[t - 1], path[t]]
        total += probability
        for t, k in enumerate(path):
            posterior[t, k] += probability
    return float(np.log(total)), posterior / total
