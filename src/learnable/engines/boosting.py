"""Boosting: trees that grow one after the other, each from the gradients that those before it leave.

A loss enters as gradient and curvature of each row; where its second derivative is zero, leaves take the best constant
of their rows instead of a Newton step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..core.data import Array
from ..core.native import kernels
from ..core.random import generator
from ..parts.losses import Logistic, Multinomial, Squared
from .histograms import HistogramRules, grower, is_narrow, tree_of
from .iterate import Progress, State
from .tree_stack import TreeStack
from .trees import Tree

COMPILED: dict[type, str] = {Squared: "squared", Logistic: "logistic", Multinomial: "multinomial"}
TOGETHER = 16_384  # rows whose slopes are found at once
TREES, ROWS = 2, 3  # keys of draws


class Sample(Protocol):
    """Which rows a stage learns from; it may change their slopes."""

    def __call__(self, slopes: Array, rows: Array, seed: int, stage: int) -> Array: ...


@dataclass(frozen=True)
class Lesson:
    """What is to be learned: targets, weights (None: ones), rows to learn from and to validate on (None: no such)."""

    y: Array
    weight: Array | None
    rows: Array | None
    held_out: Array | None

    def weights(self, rows: Array | None) -> Array | None:
        """The weights of some rows, or all."""
        return self.weight if rows is None or self.weight is None else self.weight[rows]

    def total(self, rows: Array | None) -> float:
        """The weight of some rows, or all."""
        weight = self.weights(rows)
        count = len(self.y) if rows is None else len(rows)
        return float(count if weight is None else weight.sum())

    @property
    def copies(self) -> Array | None:
        """As how many rows each counts where a leaf must have some; only whole weights count rows."""
        whole = self.weight is not None and bool((self.weight == np.floor(self.weight)).all())
        return self.weight if whole else None


@dataclass(frozen=True)
class Patience:
    """Ends boosting when none of the last `rounds` stages has scored more than `tol` above the one before them."""

    score: Callable[[Array, Array | None], float]
    rounds: int
    tol: float

    def gain(self, scores: Sequence[float]) -> float:
        """The most that the last rounds have gained, infinite before there are as many."""
        if len(scores) <= self.rounds:
            return float("inf")
        return max(scores[-self.rounds :]) - scores[-self.rounds - 1]


def mean_loss(loss: Any, y: Array, score: Array, weight: Array | None) -> float:
    """The mean loss of scores, which have a row for each output."""
    z = score[0] if len(score) == 1 else np.ascontiguousarray(score.T)
    return float(np.average(loss.value(y, z), weights=weight))


def find_slopes(loss: Any, lesson: Lesson, score: Array, slopes: Array) -> float:
    """Writes weighted gradients and curvatures of the rows to learn from; the sum of their losses."""
    kind = COMPILED.get(type(loss))
    if kind is not None:
        return float(kernels.loss_slopes(kind, lesson.y, score, lesson.weight, lesson.rows, slopes))
    rows = np.arange(len(lesson.y)) if lesson.rows is None else lesson.rows
    total = 0.0
    for begin in range(0, len(rows), TOGETHER):
        here = rows[begin : begin + TOGETHER]
        y, z = lesson.y[here], score[0, here]
        weight = 1.0 if lesson.weight is None else lesson.weight[here]
        slopes[0, here, 0] = weight * loss.gradient(y, z)
        slopes[0, here, 1] = weight * (loss.curvature(y, z) if by_newton(loss) else 1.0)
        total += float(np.sum(weight * loss.value(y, z)))
    return total


def by_newton(loss: Any) -> bool:
    """Whether leaves take a Newton step: the loss bends wherever it is looked at."""
    return bool(loss.smooth)


class Boosting:
    """Stages of trees as a method of the common loop; scores have a row for each output and a column for each row.

    State holds the trees alone: scores follow from them, and are kept here as long as stages follow one another.
    """

    def __init__(
        self, loss: Any, lesson: Lesson, table: Any, start: Array, rate: float, rules: HistogramRules, seed: int
    ) -> None:
        self.loss, self.lesson, self.rate, self.rules, self.seed = loss, lesson, rate, rules, seed
        self.begin = start
        self.narrow = is_narrow(len(lesson.y))
        self.grower = grower(table, rules, self.narrow)
        self.score = np.array(start)
        self.slopes = np.zeros((*start.shape, 2), dtype=np.float32 if self.narrow else np.float64)
        self.patience: Patience | None = None
        self.sample: Sample | None = None
        self.follow: Callable[[list[Tree]], Array] | None = None
        self.before: list[Tree] = []
        self.stages = 0

    @property
    def outputs(self) -> int:
        """How many trees a stage has."""
        return len(self.begin)

    def start(self) -> State:
        """The trees that there are before."""
        state: State = {"trees": list(self.before), "stages": len(self.before) // self.outputs}
        self.stages = int(state["stages"])
        loss = find_slopes(self.loss, self.lesson, self.score, self.slopes)
        self.total = self.lesson.total(self.lesson.rows)
        state |= {"loss": loss / self.total, "rise": 0.0}
        return {**state, "scores": [self._validated(state)]}

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self._restore(state)
        stage = self.stages
        trees = [self._grow(output, stage) for output in range(self.outputs)]
        self.stages = stage + 1
        loss = find_slopes(self.loss, self.lesson, self.score, self.slopes) / self.total
        found: State = {"trees": [*state["trees"], *trees], "stages": self.stages, "loss": loss}
        found["rise"] = max(state["rise"], loss - state["loss"])
        found["scores"] = [*state["scores"], self._validated(found)]
        return found

    def progress(self, state: State) -> Progress:
        """Done when the validation score rises no more."""
        more = {"leaves": float(sum(tree.n_leaves for tree in state["trees"][-self.outputs :]))}
        if self.patience is None:
            return Progress(state["loss"], 1.0, 0.0, more)
        more["validation"] = -state["scores"][-1]
        gain = self.patience.gain(state["scores"])
        return Progress(state["loss"], gain - self.patience.tol, 0.0, more)

    def _validated(self, state: State) -> float:
        if self.patience is None:
            return -float(state["loss"])
        if self.lesson.held_out is None:
            return self.patience.score(self.score, self.lesson.rows)
        return self.patience.score(self.score, self.lesson.held_out)

    def _restore(self, state: State) -> None:
        """Scores and slopes as they were after the stages of a state that was stored."""
        self.score[:] = self.begin
        for k, tree in enumerate(state["trees"]):
            self.score[k % self.outputs] += self.follow([tree])[:, 0]  # type: ignore[misc]  # set with every table
        find_slopes(self.loss, self.lesson, self.score, self.slopes)
        self.stages = state["stages"]

    def _grow(self, output: int, stage: int) -> Tree:
        lesson, slopes = self.lesson, self.slopes[output]
        rows = lesson.rows
        if self.sample is not None:
            known = np.arange(len(lesson.y), dtype=np.uint32) if rows is None else rows
            rows = self.sample(slopes, known, self.seed, stage).astype(np.uint32)
        seed = int(generator(self.seed, TREES, stage, output).integers(2**63))
        counted = _flat(self.loss) and lesson.copies is lesson.weight and self.sample is None
        found = self.grower.grow(slopes, rows, lesson.copies, counted, seed)
        value = self._values(found, output) * self.rate
        score = self.score[output]
        if self.sample is None:
            self.grower.add(value, score)
        else:
            self.grower.add_elsewhere(value, lesson.rows, score)
        if lesson.held_out is not None:
            self.grower.add_elsewhere(value, lesson.held_out, score)
        return tree_of(found, value, self.rules.l2)

    def _values(self, found: dict[str, Array], output: int) -> Array:
        """The values of all nodes; for a loss that does not bend, the best constants of the rows of leaves."""
        if by_newton(self.loss):
            return found["value"]
        order, begin, end = self.grower.rows()
        value, score = found["value"].copy(), self.score[output]
        for leaf in np.flatnonzero(found["left"] < 0):
            rows = order[begin[leaf] : end[leaf]]
            value[leaf] = self.loss.best_leaf(self.lesson.y[rows], score[rows], self.lesson.weights(rows))
        return value


def _flat(loss: Any) -> bool:
    """Whether the curvature of a row is its weight."""
    return isinstance(loss, Squared) or not by_newton(loss)


def stacked(trees: Sequence[Tree], outputs: int) -> TreeStack:
    """The trees of all stages for prediction, those of a stage one for each output."""
    return TreeStack.of(trees, np.arange(len(trees), dtype=np.int32) % outputs)
