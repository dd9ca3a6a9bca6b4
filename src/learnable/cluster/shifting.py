"""Places that climb to where rows are densest: each moves to the mean of the rows round it, again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.ambient import give_way
from ..core.arguments import Rows, checked, limits
from ..core.data import Door
from ..core.random import RandomState, stream
from ..engines.iterate import Progress, State
from ..engines.neighbours import Comparison, Search, TreeSearch

STRAIGHT = Comparison(power=2.0)
TOGETHER = 20  # places that move at a time, so that lists of their neighbours stay short


@dataclass(frozen=True)
class Shifting:
    """The loop: places that still move by more than a thousandth of the bandwidth go on."""

    search: TreeSearch
    X: Array
    seeds: Array
    bandwidth: float

    def start(self) -> State:
        """Places at the seeds."""
        count = len(self.seeds)
        return {
            "places": self.seeds.astype(np.float64),
            "rows": np.zeros(count),
            "moved": np.full(count, np.inf),
            "steps": np.zeros(count),
        }

    def step(self, state: State) -> State:
        """Every place that moves at the mean of the rows within the bandwidth; one without any stays where it is."""
        after = {name: value.copy() for name, value in state.items()}
        moving = np.flatnonzero(self._moves(state))
        for begin in range(0, len(moving), TOGETHER):
            give_way()
            chosen = moving[begin : begin + TOGETHER]
            _, rows, start = self.search.within(after["places"][chosen], self.bandwidth)
            counts = np.diff(start)
            owner = np.repeat(np.arange(len(chosen)), counts)
            sums = np.stack([np.bincount(owner, column[rows], len(chosen)) for column in self.X.T], axis=1)
            moves = (counts[:, None] > 0) & (self.bandwidth > 0)  # equal rows are their mean, which may round
            means = np.where(moves, sums / np.maximum(counts, 1)[:, None], after["places"][chosen])
            after["moved"][chosen] = np.linalg.norm(means - after["places"][chosen], axis=1)
            after["places"][chosen], after["rows"][chosen] = means, counts
        after["steps"] += self._moves(after)
        return after

    def progress(self, state: State) -> Progress:
        """How many rows the places have round them, and how far the fastest still moves."""
        return Progress(float(state["rows"].mean()), float(state["moved"].max()), self._enough)

    @property
    def _enough(self) -> float:
        return 1e-3 * self.bandwidth

    def _moves(self, state: State) -> Array:
        return np.asarray(state["moved"] > self._enough)


def summits(places: Array, rows: Array, bandwidth: float) -> Array:
    """Places with rows round them, the densest first, without those within the bandwidth of a denser one."""
    places, first = np.unique(places[rows > 0], axis=0, return_index=True)
    rows = rows[rows > 0][first]
    places = places[np.lexsort((*places.T[::-1], rows))[::-1]]
    search = Search.of(places, STRAIGHT)
    kept = np.ones(len(places), dtype=bool)
    for i in range(len(places)):
        if kept[i]:
            near = search.within(places[[i]], bandwidth)[1]
            kept[near] = False
            kept[i] = True
    return np.asarray(places[kept])


@checked(quantile=limits(at_least=0, at_most=1), n_samples=limits(at_least=1))
def estimate_bandwidth(
    X: Rows,
    *,
    quantile: float = 0.3,
    n_samples: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> float:
    """A bandwidth for `MeanShift`: the mean distance to the neighbour that is farther than a share of all rows.

    bandwidth = mean over rows of the distance to the neighbour number quantile * n

    >>> estimate_bandwidth([[0.0], [1.0], [2.0], [10.0]], quantile=0.5)
    2.75
    """
    rows, _ = Door("estimate_bandwidth").matrix(X)
    if n_samples is not None:
        rows = rows[stream(random_state).permutation(len(rows))[:n_samples]]
    k = max(1, int(len(rows) * quantile))
    search, total = TreeSearch(rows, STRAIGHT), 0.0  # many neighbours are quickest by a tree
    for begin in range(0, len(rows), TOGETHER):
        give_way()
        total += float(search.nearest(rows[begin : begin + TOGETHER], k)[0][:, -1].sum())
    return total / len(rows)


@checked(bin_size=limits(at_least=0), min_bin_freq=limits(at_least=1))
def get_bin_seeds(X: Rows, bin_size: float, min_bin_freq: int = 1) -> Array:
    """Middles of the cells of a grid with at least min_bin_freq rows: fewer places to begin from than rows.

    seeds = bin_size times the rounded X / bin_size, each once

    >>> get_bin_seeds([[0.1], [0.2], [1.1]], 1.0).tolist()
    [[0.0], [1.0]]
    """
    rows, _ = Door("get_bin_seeds").matrix(X)
    if bin_size == 0:
        return np.asarray(rows)
    cells, counts = np.unique(np.round(rows / bin_size), axis=0, return_counts=True)
    seeds = cells[counts >= min_bin_freq] * bin_size
    return np.asarray(rows if len(seeds) == len(rows) else seeds)
