"""Learners fitted a few at a time, so that a fit of many can be watched, stopped and resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, Trace
from ..core.runtime import context
from ..core.runtime.threads import thread_count
from ..core.runtime.trace import EARLY
from ..engines.iterate import Progress, State, iterate
from ..engines.trees.builder import TreeGrower
from ..engines.trees.forest import Forest


def grow_forest(
    grower: TreeGrower, seeds: Array, grow: Callable[[TreeGrower], Forest], trace: Trace
) -> tuple[Forest, Array]:
    """A tree for each seed, and the seeds of those that there was time for.

    No bit depends on how many grow together, as each tree draws by its own seed.
    """

    def some(few: Array) -> tuple[Forest, Array]:
        return grow(replace(grower, seeds=few)), few

    parts: list[tuple[Forest, Array]]
    parts = in_parts(seeds, some, thread_count(), trace, lambda part: left_over(part[0]))
    if len(parts) == 1:
        return parts[0]
    trees = [tree for forest, _ in parts for tree in forest.trees()]
    return Forest.of(trees), np.concatenate([own for _, own in parts])


def in_parts(
    work: Sequence[Any] | Array,
    some: Callable[[Any], Any],
    together: int,
    trace: Trace,
    loss: Callable[[Any], float] = lambda part: 0.0,
    unit: str = "trees",
) -> list[Any]:
    """What `some` makes of the work, all by one call; of a few at a time where somebody watches, limits or keeps it.

    A fit that is stopped has what was made until then.
    """
    if context.undisturbed() or not len(work):
        return [some(work)]
    parts: list[Any] = iterate(_Parts(work, some, together, loss, unit), len(work), trace)["parts"]
    return parts


def tell_of_growth(trace: Trace, sentence: str) -> None:
    """Say that what was fitted is exact, and the whole of it unless the fit was stopped."""
    if not trace.rows:
        trace.record(0.0)
    if trace.stopped not in EARLY:
        trace.stopped = "exact"
    trace.certify("exact", 0.0, 0.0, sentence)


@dataclass(frozen=True)
class _Parts:
    """The fit of many learners as a loop: each step fits as many as there are workers.

    The state holds all that was drawn for them, as a fit that is resumed may draw anew.
    """

    work: Sequence[Any] | Array
    some: Callable[[Any], Any]
    together: int
    loss: Callable[[Any], float]
    unit: str

    def start(self) -> State:
        """Nothing fitted yet."""
        return {"parts": [], "done": 0}

    def step(self, state: State) -> State:
        """A few learners more."""
        few = self.work[state["done"] : state["done"] + self.together]
        return {"parts": [*state["parts"], self.some(few)], "done": state["done"] + len(few)}

    def progress(self, state: State) -> Progress:
        """What the newest learners lose, and how many are missing."""
        done = state["done"]
        return Progress(self.loss(state["parts"][-1]), len(self.work) - done, 0.0, {self.unit: done})


def left_over(forest: Forest) -> float:
    """The mean impurity of the rows of trees in their leaves."""
    leaf, weight = forest.stack.left < 0, forest.weighted_n_node_samples
    total = np.einsum("k,k,k->", forest.impurity, weight, leaf)
    return float(total / weight[forest.stack.start[:-1]].sum())
