"""Segments of a path: consecutive steps in one state, and the probability of each."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...core import Array
from ...engines.chain import Chain, offsets
from ...engines.semi_chain import SemiChain


class StateSegment(NamedTuple):
    """Rows `begin` to before `end` of a sequence, and the probability that all of them are in this state."""

    sequence: int
    state: int
    begin: int
    end: int
    probability: float


def find_segments(chain: Chain | SemiChain, path: Array) -> list[StateSegment]:
    """The segments of a path in each sequence, with their posterior probabilities."""
    found = runs_of(path, chain.offset)
    probability = _markov(chain, found) if isinstance(chain, Chain) else _semi_markov(chain, found)
    return [StateSegment(*run, float(p)) for run, p in zip(found, np.clip(probability, 0.0, 1.0), strict=True)]


def runs_of(path: Array, offset: Array) -> list[tuple[int, int, int, int]]:
    """Sequence, state, first step and step after the last of the runs of equal states.

    >>> runs_of(np.array([0, 0, 1, 1]), np.array([0, 3, 4]))
    [(0, 0, 0, 2), (0, 1, 2, 3), (1, 1, 3, 4)]
    """
    changes = np.append(True, path[1:] != path[:-1])
    changes[offset[:-1][np.diff(offset) > 0]] = True
    begin = np.flatnonzero(changes)
    end = np.append(begin[1:], len(path))
    sequence = np.searchsorted(offset, begin, side="right") - 1
    return list(zip(sequence.tolist(), path[begin].tolist(), begin.tolist(), end.tolist(), strict=True))


def _markov(chain: Chain, runs: list[tuple[int, int, int, int]]) -> list[float]:
    """P(z_b = k | x) times  P(z_t = k | z_t+1 = k, x_1..t)  for the steps t before the last, b."""
    posterior, filtered = chain.forward_backward().states, chain.filter()[1]
    with np.errstate(under="ignore"):
        move = np.exp(chain.transition - chain.transition.max())
        later = filtered @ move
    staying = filtered * np.diag(move) / np.where(later > 0, later, 1.0)
    return [float(posterior[end - 1, k] * staying[begin : end - 1, k].prod()) for _, k, begin, end in runs]


def _semi_markov(chain: SemiChain, runs: list[tuple[int, int, int, int]]) -> list[float]:
    """The likelihood of each sequence with all other states forbidden in a run, over the likelihood of all paths."""
    found, whole = [], chain.filter()[0]
    for s, k, begin, end in runs:
        first, last = chain.offset[s : s + 2]
        node = chain.node[first:last].copy()
        node[begin - first : end - first, np.arange(node.shape[1]) != k] = -np.inf
        alone = replace(chain, node=node, offset=offsets(np.array([last - first])))
        found.append(float(np.exp(alone.filter()[0][0] - whole[s])))
    return found
