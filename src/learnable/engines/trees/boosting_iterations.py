"""What boosting is to the common loop, whatever trees it grows: stages that follow one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.validate.features import Array
from ..iterate import State
from .tree import Tree


class BoostingIterations:
    """Trees that add up to scores, which have a row for each output and a column for each row.

    State holds the trees alone: scores follow from them, and are kept here as long as stages follow one another.
    """

    def __init__(self, loss: Any, start: Array) -> None:
        self.loss, self.begin, self.score = loss, start, np.array(start)
        self.before: list[Tree] = []
        self.stages = -1  # whose scores these are: of none, before the loop begins

    @property
    def outputs(self) -> int:
        """How many trees a stage has."""
        return len(self.begin)

    def begun(self, loss: float) -> State:
        """The state of the trees that there are before, whose mean loss is known."""
        self.stages = len(self.before) // self.outputs
        return {"trees": list(self.before), "stages": self.stages, "loss": loss, "first": loss, "rise": 0.0}

    def grown(self, state: State, trees: list[Tree], loss: float) -> State:
        """The state after one more stage: all its trees, and their mean loss."""
        self.stages += 1
        rise = max(state["rise"], loss - state["loss"])
        return {"trees": trees, "stages": self.stages, "loss": loss, "first": state["first"], "rise": rise}

    def follow(self, trees: Sequence[Tree], rows: Array) -> None:
        """Scores of rows after some trees, added up one by one as if they had just grown."""
        self.score = np.array(self.begin)
        for k, tree in enumerate(trees):
            self.score[k % self.outputs] += tree.predict(rows)[:, 0, 0]
        self.stages = len(trees) // self.outputs
