"""Trees grown a few at a time, so that a fit can be watched, stopped and resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..core import Array, Trace, ambient
from ..core.threads import thread_count
from ..engines.forest_nodes import Forest
from ..engines.iterate import Progress, State, iterate
from ..engines.trees import Ground


def planted(ground: Ground, seeds: Array, grow: Callable[[Ground], Forest], trace: Trace) -> Forest:
    """A tree for each seed, all by one call; a few at a time where somebody watches, limits or keeps the fit.

    No bit depends on that, as each tree draws by its own seed. A fit that is stopped keeps the trees that it has.
    """
    if ambient.undisturbed():
        return grow(ground)
    state = iterate(Planting(ground, seeds, grow, thread_count()), len(seeds), trace)
    return Forest.of([tree for part in state["parts"] for tree in part.trees()])


@dataclass(frozen=True)
class Planting:
    """A forest as a loop: each step grows as many trees as there are threads."""

    ground: Ground
    seeds: Array
    grow: Callable[[Ground], Forest]
    together: int

    def start(self) -> State:
        """Nothing grown yet."""
        return {"parts": []}

    def step(self, state: State) -> State:
        """A few trees more."""
        first = _trees(state)
        few = replace(self.ground, seeds=self.seeds[first : first + self.together])
        return {"parts": [*state["parts"], self.grow(few)]}

    def progress(self, state: State) -> Progress:
        """The impurity that the newest trees leave, and how many trees are missing."""
        trees = _trees(state)
        return Progress(left_over(state["parts"][-1]), len(self.seeds) - trees, 0.0, {"trees": trees})


def _trees(state: State) -> int:
    return sum(map(len, state["parts"]))


def left_over(forest: Forest) -> float:
    """The mean impurity of the rows of trees in their leaves."""
    leaf, weight = forest.stack.left < 0, forest.weighted_n_node_samples
    total = np.einsum("k,k,k->", forest.impurity, weight, leaf)
    return float(total / weight[forest.stack.start[:-1]].sum())
