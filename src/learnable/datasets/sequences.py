"""Sequences from hidden Markov models."""

from __future__ import annotations

import numpy as np

from ..core.errors import ParameterError
from ..core.random import RandomState, stream

Array = np.ndarray


def make_hmm_sequences(
    n_sequences: int = 20,
    length: int = 50,
    *,
    start: Array | None = None,
    transition: Array | None = None,
    emission: Array | None = None,
    means: Array | None = None,
    std: float = 1.0,
    random_state: RandomState = None,
) -> tuple[Array, Array]:
    """What a hidden Markov model emits, and the states it went through; both are sequences by length (by columns).

    s_1 ~ start,   s_t ~ transition[s_{t-1}],   x_t ~ emission[s_t]   or   means[s_t] + std * normal

    By default two states that last about ten steps: a fair and a loaded die with six symbols. Give emission for
    symbols 0, 1, ... or means for numbers.

    >>> X, states = make_hmm_sequences(3, 8, random_state=0)
    >>> X.shape, states.shape
    ((3, 8), (3, 8))
    """
    P = np.array([[0.9, 0.1], [0.1, 0.9]]) if transition is None else np.asarray(transition, dtype=np.float64)
    first = np.full(len(P), 1 / len(P)) if start is None else np.asarray(start, dtype=np.float64)
    if emission is None and means is None:
        emission = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    for name, table in (("start", first), ("transition", P), ("emission", emission)):
        if table is not None and not np.allclose(np.sum(table, axis=-1), 1):
            raise ParameterError(f"make_hmm_sequences: {name} must hold probabilities that sum to 1; got {table!r:.60}")
    draws = stream(random_state)
    states = np.empty((n_sequences, length), dtype=np.int64)
    states[:, 0] = _drawn(np.tile(first, (n_sequences, 1)), draws)
    for t in range(1, length):
        states[:, t] = _drawn(P[states[:, t - 1]], draws)
    if means is not None:
        centre = np.asarray(means, dtype=np.float64)[states]
        return centre + std * draws.standard_normal(centre.shape), states
    return _drawn(np.asarray(emission)[states.ravel()], draws).reshape(states.shape), states


def _drawn(probability: Array, draws: np.random.RandomState) -> Array:
    """One outcome for each row of probabilities."""
    passed = np.cumsum(probability, axis=1) < draws.uniform(size=(len(probability), 1))
    outcome: Array = np.minimum(passed.sum(axis=1), probability.shape[1] - 1)
    return outcome
