"""Several chains as a method of the iterate loop: blocks of draws, adaptation first, and convergence at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..core import Array, DataError, Trace, generator
from ..core.runtime import context
from ..engines.iterate import Progress, State, iterate
from ._convergence import Convergence
from ._layout import Layout
from .draws import Draws, entry_names

BLOCK = 25  # draws of every chain in one step of the loop
TRIES = 100  # of a random start with a finite density


class Transition(Protocol):
    """What a sampler does: plain-data state of all chains, and blocks of draws from it."""

    def start(self, positions: Array, seeds: list[int]) -> State:
        """The state at the starts, (chain, parameter)."""

    def block(self, state: State, first: int, count: int, tuning: bool) -> tuple[State, Array, dict[str, Array]]:
        """The next state, draws (chain, count, parameter) and statistics (chain, count) by name, such as `lp`."""

    def breaks(self, tune: int) -> list[int]:
        """The draws of the warm-up at which a block must end."""


@dataclass
class Chains:
    """Chains of one sampler as a method of `iterate`."""

    transition: Transition
    layout: Layout
    positions: Array
    seeds: list[int]
    draws: int
    tune: int

    def start(self) -> State:
        """Before the first draw."""
        return {"inner": self.transition.start(self.positions, self.seeds), "done": 0, "draws": [], "stats": []}

    def step(self, state: State) -> State:
        """One more block of draws of all chains."""
        done, tuning = state["done"], state["done"] < self.tune
        count = self._next_break(done) - done
        inner, draws, stats = self.transition.block(state["inner"], done, count, tuning)
        before = ([], []) if done <= self.tune else (state["draws"], state["stats"])  # of the warm-up the last block
        kept = [*before[0], draws], [*before[1], stats]
        objective = -float(np.mean(stats["lp"])) if "lp" in stats else 0.0
        return {"inner": inner, "done": done + count, "draws": kept[0], "stats": kept[1], "objective": objective}

    def _next_break(self, done: int) -> int:
        ends = [self.tune, self.tune + self.draws, *self.transition.breaks(self.tune)]
        return min(done + BLOCK, *(end for end in ends if end > done))

    def progress(self, state: State) -> Progress:
        """Converged if, after the last draw, R-hat and the effective sample sizes keep their limits."""
        done, total = state["done"], self.tune + self.draws
        counts = {"draws": float(done)}
        if done < total:
            return Progress(state["objective"], np.inf, 1.0, counts)
        posterior = self.layout.by_name(np.concatenate(state["draws"], axis=1))
        worst = Convergence.of(*_side_by_side(posterior)).badness.max()
        return Progress(state["objective"], float(min(worst, 1e300)), 1.0, counts, exhausted=True)

    def result(self, state: State, trace: Trace) -> Draws:
        """The draws after the warm-up; of chains that were stopped during it, its last draws."""
        stats = {name: np.concatenate([one[name] for one in state["stats"]], axis=1) for name in state["stats"][0]}
        if "diverging" in stats:
            stats["diverging"] = stats["diverging"] > 0
        return Draws(self.layout.by_name(np.concatenate(state["draws"], axis=1)), stats, trace)


def _side_by_side(posterior: dict[str, Array]) -> tuple[Array, list[str]]:
    parts = [values.reshape(*values.shape[:2], -1) for values in posterior.values()]
    names = [entry for name, values in posterior.items() for entry in entry_names(name, values.shape[2:])]
    return np.concatenate(parts, axis=2), names


def run_chains(chains: Chains, trace: Trace) -> Draws:
    """All draws, or those until a budget or a watcher stops the chains; within the scope of a fit."""
    return chains.result(iterate(chains, chains.tune + chains.draws, trace), trace)


def run_alone(owner: Any, chains: Chains, *arrays: Any) -> Draws:
    """The same outside a fit, with its own scope; `arrays` identify the run in a checkpoint."""
    trace = Trace(owner)
    known = (*arrays, chains.positions, chains.draws, chains.tune, chains.seeds)
    with context.Fitting(owner, known, False), np.errstate(all="ignore"):
        draws = run_chains(chains, trace)
    trace.owner = None
    return draws


def chain_seeds(seed: int, chains: int) -> list[int]:
    """The seed of every chain, which does not depend on how many there are."""
    return [int(generator(seed, chain).integers(2**63)) for chain in range(chains)]


def random_starts(value: Any, starts: Array, each: bool, seeds: list[int], jitter: float) -> Array:
    """A start for each chain with a finite density: around the given one, or as given for each."""
    if not each:
        starts = np.array([_near(value, starts[0], seed, jitter) for seed in seeds])
    for chain, start in enumerate(starts):
        if not np.isfinite(value(start)):
            raise DataError(
                f"sample: the log density at the start of chain {chain} is {value(start)}; give an initial point "
                "inside the support"
            )
    return starts


def _near(value: Any, start: Array, seed: int, jitter: float) -> Array:
    random = generator(seed, 1)
    for tried in range(TRIES):
        near: Array = start + jitter * 0.9**tried * random.uniform(-1, 1, len(start))
        if np.isfinite(value(near)):
            return near
    return start
