"""Block-alternating minimisation: assign rows to centres, update the centres, until neither changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.runtime.context import give_way
from ..core.validate.features import Array
from .iterate import Progress, State

Block = Callable[[State], State]


@dataclass(frozen=True)
class Alternation:
    """Alternating minimisation of one objective over two blocks of variables, as in k-means.

    `assign` returns the best assignment for the centres of a state and the objective, `update` the best centres for the
    state with this assignment: neither raises the objective. A state has the entries of `initial`; further ones that
    `assign` returns are for `update` alone. A run has converged when the entry `block` changes by at most `tolerance`:
    by the number of entries that differ where these are integers, by the sum of squares otherwise. The entry `change`
    keeps this number; `objective` names that of the objective, whose data are scaled by `unit`.
    """

    initial: State
    assign: Block
    update: Block
    block: str = "labels"
    unit: float = 1.0
    tolerance: float = 0.0
    objective: str = "objective"
    change: str = "changed"

    def start(self) -> State:
        """The initial state."""
        return self.initial

    def step(self, state: State) -> State:
        """The state after one assignment and one update."""
        give_way()
        assigned = {**state, **self.assign(state)}
        after = {**assigned, **self.update(assigned)}
        after[self.change] = _change(state[self.block], after[self.block])
        return {name: after[name] for name in self.initial}

    def progress(self, state: State) -> Progress:
        """The objective in the unit of the data, and the change of the last step."""
        return Progress(state[self.objective] / self.unit / self.unit, float(state[self.change]), self.tolerance)


def labels_and_centres(centres: Array, rows: int) -> State:
    """The initial state of a run from given centres, before any of the rows has a label."""
    return {"centres": centres, "labels": np.full(rows, -1), "objective": 0.0, "changed": rows}


def _change(before: Array, after: Array) -> int | float:
    if after.dtype.kind in "iu":
        return int((after != before).sum())
    return float(((after - before) ** 2).sum())
