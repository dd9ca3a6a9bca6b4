"""Sequences from hidden Markov models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.declare.checked_functions import numbers
from ..core.errors import ParameterError
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray
STAYING = ((0.9, 0.1), (0.1, 0.9))
DICE = ((1 / 6,) * 6, (0.1,) * 5 + (0.5,))


@generating()
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
    """Sequences drawn from a hidden Markov model, and their hidden states; both are sequences by length (by columns).

    s_1 ~ start,   s_t ~ transition[s_{t-1}],   x_t ~ emission[s_t]   or   means[s_t] + std * normal

    By default two states that last about ten steps: a fair and a loaded die with six symbols. Give emission for
    symbols 0, 1, ... or means for numbers.

    >>> X, states = make_hmm_sequences(3, 8, random_state=0)
    >>> X.shape, states.shape
    ((3, 8), (3, 8))
    """
    P = _law("transition", STAYING if transition is None else transition, None, None)
    first = _law("start", np.full(len(P), 1 / len(P)) if start is None else start, len(P))
    draws = stream(random_state)
    states = np.empty((n_sequences, length), dtype=np.int64)
    states[:, 0] = _drawn(np.tile(first, (n_sequences, 1)), draws)
    for t in range(1, length):
        states[:, t] = _drawn(P[states[:, t - 1]], draws)
    if means is not None:
        columns = [None] if all(map(np.iterable, means)) else []
        centre = numbers("make_hmm_sequences", "means", means, len(P), *columns)[states]
        return centre + std * draws.standard_normal(centre.shape), states
    symbols = _law("emission", DICE if emission is None else emission, len(P), None)
    return _drawn(symbols[states.ravel()], draws).reshape(states.shape), states


def _law(name: str, given: Any, *shape: int | None) -> Array:
    """Rows of probabilities."""
    table = numbers("make_hmm_sequences", name, given, *shape)
    if (table < 0).any() or not np.allclose(table.sum(axis=-1), 1):
        raise ParameterError(f"make_hmm_sequences: {name} must hold probabilities that sum to 1; got {given!r:.60}")
    return table


def _drawn(probability: Array, draws: np.random.RandomState) -> Array:
    """One outcome for each row of probabilities."""
    passed = np.cumsum(probability, axis=1) < draws.uniform(size=(len(probability), 1))
    outcome: Array = np.minimum(passed.sum(axis=1), probability.shape[1] - 1)
    return outcome
