"""Ensembles fitted in batches, so that a long fit can be watched, stopped and resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Trace
from ..core.runtime import context
from ..core.runtime.threads import thread_count
from ..core.runtime.trace import EARLY
from ..engines.iterate import Progress, State, iterate
from ..engines.trees.forest import Forest


def grow_forest(grow: Callable[[Array], Forest], seeds: Array, trace: Trace) -> tuple[Forest, Array]:
    """A forest with a tree for each seed, and the seeds of the trees that were grown.

    The batch size does not change any bit, as each tree has its own seed.
    """
    batches: list[tuple[Forest, Array]] = fit_in_batches(
        seeds, lambda few: (grow(few), few), thread_count(), trace, lambda batch: mean_leaf_impurity(batch[0])
    )
    if len(batches) == 1:
        return batches[0]
    trees = [tree for forest, _ in batches for tree in forest.trees()]
    return Forest.of(trees), np.concatenate([own for _, own in batches])


def fit_in_batches(
    work: Sequence[Any] | Array,
    fit: Callable[[Any], Any],
    batch_size: int,
    trace: Trace,
    loss: Callable[[Any], float] = lambda batch: 0.0,
    unit: str = "trees",
) -> list[Any]:
    """The results of `fit` for the work, in one call; in batches if the fit is watched, limited or checkpointed.

    A fit that is stopped keeps the batches done so far.
    """
    if context.undisturbed() or not len(work):
        return [fit(work)]
    batches: list[Any] = iterate(_Batches(work, fit, batch_size, loss, unit), len(work), trace)["parts"]
    return batches


def certify_exact(trace: Trace, sentence: str) -> None:
    """Certify an exact fit; a fit that was stopped keeps its stop reason."""
    if not trace.rows:
        trace.record(0.0)
    if trace.stopped not in EARLY:
        trace.stopped = "exact"
    trace.certify("exact", 0.0, 0.0, sentence)


@dataclass(frozen=True)
class _Batches:
    """The fit of an ensemble as a method of the common loop: each step fits a batch.

    The state holds all draws, so that a resumed fit is the same.
    """

    work: Sequence[Any] | Array
    fit: Callable[[Any], Any]
    batch_size: int
    loss: Callable[[Any], float]
    unit: str

    def start(self) -> State:
        """No batches."""
        return {"parts": [], "done": 0}

    def step(self, state: State) -> State:
        """One more batch."""
        few = self.work[state["done"] : state["done"] + self.batch_size]
        return {"parts": [*state["parts"], self.fit(few)], "done": state["done"] + len(few)}

    def progress(self, state: State) -> Progress:
        """The loss of the last batch, and the number still to be fitted."""
        done = state["done"]
        return Progress(self.loss(state["parts"][-1]), len(self.work) - done, 0.0, {self.unit: done})


def mean_leaf_impurity(forest: Forest) -> float:
    """Mean impurity of the leaves of a forest, weighted by their rows."""
    leaf, weight = forest.stack.left < 0, forest.weighted_n_node_samples
    total = np.einsum("k,k,k->", forest.impurity, weight, leaf)
    return float(total / weight[forest.stack.start[:-1]].sum())
