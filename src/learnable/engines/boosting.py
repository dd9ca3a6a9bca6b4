"""Boosting: trees that grow one after the other, each from the gradients that those before it leave.

A loss enters as gradient and curvature of each row; where its second derivative is zero, leaves take the best constant
of their rows instead of a Newton step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..core.data import Array, Matrix
from ..core.native import kernels
from ..core.random import generator
from ..parts.losses import Logistic, Multinomial, Squared
from .growth_limits import dense
from .histograms import HistogramRules, grower, is_narrow, tree_of
from .iterate import Progress, State
from .trees import Tree

COMPILED: dict[type, str] = {Squared: "squared", Logistic: "logistic", Multinomial: "multinomial"}
TOGETHER = 16_384  # rows whose slopes are found at once
TREES, ROWS, DROPS = 2, 3, 5  # keys of draws


class Sample(Protocol):
    """Which rows a stage learns from; it may change their slopes."""

    def __call__(self, slopes: Array, rows: Array, seed: int, stage: int) -> Array: ...


@dataclass(frozen=True)
class RowSample:
    """A share of the rows, without replacement."""

    share: float

    def __call__(self, slopes: Array, rows: Array, seed: int, stage: int) -> Array:
        count = max(1, round(self.share * len(rows)))
        return np.sort(generator(seed, ROWS, stage).choice(rows, count, replace=False, shuffle=False))


@dataclass(frozen=True)
class GradientSample:
    """The rows of the largest gradients, and some of the others, which count for all others. [Ke et al., 2017]"""

    top: float
    other: float

    def __call__(self, slopes: Array, rows: Array, seed: int, stage: int) -> Array:
        n = len(rows)
        first, second = max(1, round(self.top * n)), max(1, round(self.other * n))
        if first + second >= n:
            return rows
        order = np.argsort(-np.abs(slopes[rows, 0]), kind="stable")
        others = generator(seed, ROWS, stage).choice(order[first:], second, replace=False, shuffle=False)
        slopes[rows[others]] *= (n - first) / second
        return np.sort(rows[np.concatenate([order[:first], others])])


@dataclass(frozen=True)
class Dropout:
    """Each stage may forget each one before it with a chance of `rate`, none with a chance of `skip`. [Rashmi, 2015]"""

    rate: float
    skip: float

    def __call__(self, stages: int, seed: int) -> list[int]:
        """The stages that are forgotten by the next."""
        draws = generator(seed, DROPS, stages).random(stages + 1)
        return [] if draws[-1] < self.skip else np.flatnonzero(draws[:-1] < self.rate).tolist()


@dataclass(frozen=True)
class Lesson:
    """What is to be learned: targets, weights (None: ones), rows to learn from and to validate on (None: no such).

    A loss of one is `unit` in the eyes of the user, whose targets may have been scaled.
    """

    y: Array
    weight: Array | None
    rows: Array | None
    held_out: Array | None
    unit: float = 1.0

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
    by_loss: bool = True

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
        self.dropout: Dropout | None = None
        self.data: Matrix = np.empty((0, 0))
        self.before: list[Tree] = []
        self.scored: tuple[list[float], list[float]] = [], []
        self.stages = 0

    @cached_property
    def rows(self) -> Array:
        """The data as trees read them that have grown before."""
        return dense(self.data)

    @property
    def outputs(self) -> int:
        """How many trees a stage has."""
        return len(self.begin)

    def resume(self, trees: list[Tree], training: Array, validation: Array) -> None:
        """Start from the trees and scores of an earlier fit to the same rows, `data`."""
        self.before, self.scored = trees, (training.tolist(), validation.tolist())
        self._follow(trees)

    def start(self) -> State:
        """The trees that there are before."""
        self.stages = len(self.before) // self.outputs
        self.total = self.lesson.total(self.lesson.rows)
        loss = self._find_slopes()
        state: State = {"trees": list(self.before), "stages": self.stages, "loss": loss, "first": loss, "rise": 0.0}
        training, scores = self.scored
        return {**state, "training": training or [self._training(loss)], "scores": scores or [self._validated(loss)]}

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self._restore(state)
        before = list(state["trees"])
        gone = [] if self.dropout is None else self.dropout(self.stages, self.seed)
        missed = self._forget(before, gone)
        rate = self.rate / (len(gone) + self.rate) if gone else self.rate
        trees = [self._grow(output, self.stages, rate) for output in range(self.outputs)]
        for k, answer in missed.items():
            self.score[k % self.outputs] += answer
        self.stages += 1
        loss = self._find_slopes()
        return {
            "trees": [*before, *trees],
            "stages": self.stages,
            "loss": loss,
            "first": state["first"],
            "rise": max(state["rise"], loss - state["loss"]),
            "training": [*state["training"], self._training(loss)],
            "scores": [*state["scores"], self._validated(loss)],
        }

    def progress(self, state: State) -> Progress:
        """Done when the validation score rises no more."""
        more = {"leaves": float(sum(tree.n_leaves for tree in state["trees"][-self.outputs :]))}
        if self.patience is None:
            return Progress(state["loss"], 1.0, 0.0, more)
        more["validation"] = -state["scores"][-1]
        gain = self.patience.gain(state["scores"])
        return Progress(state["loss"], gain - self.patience.tol, 0.0, more)

    def _find_slopes(self) -> float:
        """Gradients and curvatures at the scores; the mean loss there."""
        return find_slopes(self.loss, self.lesson, self.score, self.slopes) / self.total * self.lesson.unit

    def _training(self, loss: float) -> float:
        """The score of the rows to learn from."""
        if self.patience is None or self.patience.by_loss:
            return -float(loss)
        return self.patience.score(self.score, self.lesson.rows)

    def _validated(self, loss: float) -> float:
        """The score of the rows held out, or if there are none, of those to learn from."""
        if self.patience is None or self.lesson.held_out is None:
            return self._training(loss)
        return self.patience.score(self.score, self.lesson.held_out)

    def _restore(self, state: State) -> None:
        """Scores and slopes as they were after the stages of a state that was stored."""
        self._follow(state["trees"])
        self.stages, self.total = state["stages"], self.lesson.total(self.lesson.rows)
        self._find_slopes()

    def _follow(self, trees: Sequence[Tree]) -> None:
        """Scores after some trees, added up one by one as if they had just grown."""
        self.score[:] = self.begin
        for k, tree in enumerate(trees):
            self.score[k % self.outputs] += tree.predict(self.rows)[:, 0, 0]

    def _forget(self, trees: list[Tree], stages: list[int]) -> dict[int, Array]:
        """Takes stages out of the scores while the next one grows; what they add afterwards, less for its sake."""
        if not stages:
            return {}
        kept = len(stages) / (len(stages) + self.rate)
        missed = {}
        for k in (stage * self.outputs + output for stage in stages for output in range(self.outputs)):
            answer = trees[k].predict(self.rows)[:, 0, 0]
            self.score[k % self.outputs] -= answer
            trees[k] = replace(trees[k], value=trees[k].value * kept)
            missed[k] = answer * kept
        self._find_slopes()
        return missed

    def _grow(self, output: int, stage: int, rate: float) -> Tree:
        lesson, slopes = self.lesson, self.slopes[output]
        rows = lesson.rows
        if self.sample is not None:
            known = np.arange(len(lesson.y), dtype=np.uint32) if rows is None else rows
            rows = self.sample(slopes, known, self.seed, stage).astype(np.uint32)
        seed = int(generator(self.seed, TREES, stage, output).integers(2**63)) if self.rules.draws else 0
        counted = _flat(self.loss) and lesson.copies is lesson.weight and self.sample is None
        found = self.grower.grow(slopes, rows, lesson.copies, counted, seed)
        value = self._values(found, output) * rate
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
