"""The table of five users and six films of the course, and larger ratings with a known model."""

from __future__ import annotations

import numpy as np

FILMS = {
    "A": {"SW1": 4, "TW": 4},
    "B": {"SW1": 5, "SW2": 5, "BM": 5},
    "C": {"HP1": 4, "BM": 5},
    "D": {"TW": 5},
    "E": {"SW2": 5, "HP1": 5, "HP2": 5},
}
X_FILMS = [[user, film] for user, row in FILMS.items() for film in row]
Y_FILMS = [float(rating) for row in FILMS.values() for rating in row.values()]


def planted(users: int = 60, items: int = 40, k: int = 3, seen: float = 0.4, noise: float = 0.1, seed: int = 0):
    """Ratings by biases and factors, some of them hidden: pairs, ratings, hidden pairs and theirs."""
    rng = np.random.default_rng(seed)
    full = 3 + 0.5 * rng.standard_normal((users, 1)) + 0.5 * rng.standard_normal(items)
    full = full + rng.standard_normal((users, k)) @ rng.standard_normal((k, items)) * 0.6
    full += noise * rng.standard_normal(full.shape)
    mask = rng.random(full.shape) < seen
    there, hidden = np.argwhere(mask), np.argwhere(~mask)
    return there, full[mask], hidden, full[~mask]


def dense(X, y, users: int = 60, items: int = 40) -> np.ndarray:
    """The ratings as a matrix with NaN for those that are not there."""
    R = np.full((users, items), np.nan)
    R[tuple(np.asarray(X).T)] = y
    return R
