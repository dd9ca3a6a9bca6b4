"""Boosting: trees that grow one after the other, each from the gradients that those before it leave.

A loss enters as gradient and curvature of each row; where its second derivative is zero, leaves take the best constant
of their rows instead of a Newton step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from ...core.runtime.native import kernels
from ...core.runtime.random import generator
from ...core.validate.features import Array, Matrix
from ...parts.losses import Logistic, Multinomial, Squared
from ..iterate import Progress, State
from ..sampling.canonical_order import counts_copies
from .boosting_iterations import BoostingIterations
from .growth_limits import dense
from .histograms import HistogramConfig, grower, tree_from_arrays
from .leaf_values import monotonic_values
from .tree import Tree

COMPILED: dict[type, str] = {Squared: "squared", Logistic: "logistic", Multinomial: "multinomial"}
TOGETHER = 16_384  # rows whose slopes are found at once
NARROW_FROM = 50_000  # rows from which on slopes may be kept in single precision
TREES, ROWS, DROPS = 2, 3, 5  # keys of draws


class Sample(Protocol):
    """Which rows a stage learns from; one that `scales` changes their slopes, as some rows count for others."""

    scales: ClassVar[bool]

    def __call__(self, slopes: Array, rows: Array, seed: int, stage: int) -> Array: ...


@dataclass(frozen=True)
class RowSubsample:
    """A share of the rows, without replacement."""

    share: float

    scales: ClassVar[bool] = False

    def __call__(self, slopes: Array, rows: Array, seed: int, stage: int) -> Array:
        count = max(1, round(self.share * len(rows)))
        return np.sort(generator(seed, ROWS, stage).choice(rows, count, replace=False, shuffle=False))


@dataclass(frozen=True)
class GradientSampling:
    """The rows of the largest gradients, and some of the others, which count for all others. [Ke et al., 2017]"""

    top: float
    other: float

    scales: ClassVar[bool] = True

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
class BoostingConfig:
    """How stages grow: the share of a tree that is added, rules of trees, draws, and which rows or stages they miss."""

    rate: float
    rules: HistogramConfig
    seed: int
    sample: Sample | None = None
    dropout: Dropout | None = None


@dataclass(frozen=True)
class TrainingSet:
    """What is to be learned: targets, weights (None: ones), rows to learn from and to validate on (None: no such).

    A loss of one is `unit` in the eyes of the user, whose targets may have been scaled. `given` are the weights of rows
    without those of their classes.
    """

    y: Array
    weight: Array | None
    rows: Array | None
    held_out: Array | None
    unit: float = 1.0
    given: Array | None = None

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
        found = (weight for weight in (self.weight, self.given) if weight is not None and counts_copies(weight))
        return next(found, None)


@dataclass(frozen=True)
class EarlyStopping:
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


def compute_grad_hess(loss: Any, lesson: TrainingSet, score: Array, slopes: Array) -> float:
    """Writes weighted gradients and curvatures of the rows to learn from; the sum of their losses."""
    kind = COMPILED.get(type(loss))
    if kind is not None:
        return float(kernels.loss_gradients(kind, lesson.y, score, lesson.weight, lesson.rows, slopes))
    rows = np.arange(len(lesson.y)) if lesson.rows is None else lesson.rows
    total = 0.0
    for begin in range(0, len(rows), TOGETHER):
        here = rows[begin : begin + TOGETHER]
        y, z = lesson.y[here], score[0, here]
        weight = 1.0 if lesson.weight is None else lesson.weight[here]
        slopes[0, here, 0] = weight * loss.gradient(y, z)
        slopes[0, here, 1] = weight * (loss.curvature(y, z) if uses_newton_step(loss) else 1.0)
        total += float(np.sum(weight * loss.value(y, z)))
    return total


def uses_newton_step(loss: Any) -> bool:
    """Whether leaves take a Newton step: the loss bends wherever it is looked at."""
    return bool(loss.smooth)


class Boosting(BoostingIterations):
    """Stages of trees over bins as a method of the common loop."""

    def __init__(self, loss: Any, lesson: TrainingSet, table: Any, start: Array, course: BoostingConfig) -> None:
        super().__init__(loss, start)
        self.lesson, self.course = lesson, course
        self.grower = grower(table, course.rules, len(lesson.y) >= NARROW_FROM)
        self.slopes = np.zeros((*start.shape, 2), dtype=np.float32 if self.grower.f32 else np.float64)
        self.total = lesson.total(lesson.rows)
        self.copies = lesson.copies
        self.patience: EarlyStopping | None = None
        self.data: Matrix = np.empty((0, 0))
        self.scored: tuple[list[float], list[float]] = [], []

    @cached_property
    def rows(self) -> Array:
        """The data as trees read them that have grown before."""
        return dense(self.data)

    def resume(self, trees: list[Tree], training: Array, validation: Array) -> None:
        """Start from the trees and scores of an earlier fit to the same rows, `data`."""
        judged = training if self.lesson.held_out is None else validation
        self.before, self.scored = trees, (training.tolist(), judged.tolist())

    def start(self) -> State:
        """The trees that there are before."""
        if self.before:
            self.follow(self.before, self.rows)
        loss = self._find_slopes()
        training, scores = self.scored
        lists = {"training": training or [self._training(loss)], "scores": scores or [self._validated(loss)]}
        return {**self.begun(loss), **lists, "best": list(self.before)}

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self.follow(state["trees"], self.rows)
            self._find_slopes()
        dropout, rate = self.course.dropout, self.course.rate
        gone = [] if dropout is None else dropout(self.stages, self.course.seed)
        before, whole = self._forget(state["trees"], gone)
        rate = rate / (len(gone) + rate) if gone else rate
        trees = [*before, *(self._grow(output, rate, whole[output]) for output in range(self.outputs))]
        self.score = whole
        loss = self._find_slopes()
        found = self.grown(state, trees, loss)
        found["training"] = [*state["training"], self._training(loss)]
        found["scores"] = [*state["scores"], self._validated(loss)]
        found["best"] = self._best(state, found)
        return found

    def progress(self, state: State) -> Progress:
        """Done when the validation score rises no more."""
        more = {"leaves": float(sum(tree.n_leaves for tree in state["trees"][-self.outputs :]))}
        if self.patience is None:
            return Progress(state["loss"], 1.0, 0.0, more)
        more["validation"] = -state["scores"][-1]
        gain = self.patience.gain(state["scores"])
        return Progress(state["loss"], gain - self.patience.tol, 0.0, more)

    def best_trees(self, state: State) -> list[Tree]:
        """The trees of the stage that scored best, of one at least."""
        scores = state["scores"]
        first = state["stages"] + 1 - len(scores)  # the stages that nothing was scored of
        at = max(int(np.argmax(scores)), 1 - first)
        trees: list[Tree] = state["trees"] if self.course.dropout is None else state["best"]
        return trees[: (first + at) * self.outputs]

    def _best(self, state: State, found: State) -> list[Tree]:
        """The trees of the best stage where later ones change them, as they do if some are forgotten."""
        if self.patience is None or self.course.dropout is None:
            return []
        others = state["scores"] if self.before else state["scores"][1:]
        best: list[Tree] = found["trees"] if found["scores"][-1] > max(others, default=-np.inf) else state["best"]
        return best

    def _find_slopes(self) -> float:
        """Gradients and curvatures at the scores; the mean loss there."""
        return compute_grad_hess(self.loss, self.lesson, self.score, self.slopes) / self.total * self.lesson.unit

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

    def _forget(self, trees: list[Tree], stages: list[int]) -> tuple[list[Tree], Array]:
        """Takes stages out of the scores while the next one grows; all trees, less of these, and the scores they give.

        Both are added up anew, in the order of the stages, so that they are those of the trees to the last bit.
        """
        if not stages:
            return trees, self.score
        kept = len(stages) / (len(stages) + self.course.rate)
        gone = {stage * self.outputs + output for stage in stages for output in range(self.outputs)}
        trees = [replace(tree, value=tree.value * kept) if k in gone else tree for k, tree in enumerate(trees)]
        self.score, whole = np.array(self.begin), np.array(self.begin)
        for k, tree in enumerate(trees):
            answer = tree.predict(self.rows)[:, 0, 0]
            whole[k % self.outputs] += answer
            if k not in gone:
                self.score[k % self.outputs] += answer
        self._find_slopes()
        return trees, whole

    def _grow(self, output: int, rate: float, score: Array) -> Tree:
        """A tree of the slopes of an output, which is added to its scores."""
        lesson, course, slopes = self.lesson, self.course, self.slopes[output]
        rows = lesson.rows
        if course.sample is not None:
            known = np.arange(len(lesson.y), dtype=np.uint32) if rows is None else rows
            rows = course.sample(slopes, known, course.seed, self.stages).astype(np.uint32)
        seed = int(generator(course.seed, TREES, self.stages, output).integers(2**63)) if course.rules.draws else 0
        counted = _flat(self.loss) and self.copies is lesson.weight and course.sample is None
        found = self.grower.grow(slopes, rows, self.copies, counted, seed)
        value = self._values(found, output) * rate
        if course.sample is None:
            self.grower.add(value, score)
        else:
            self.grower.add_elsewhere(value, lesson.rows, score)
        if lesson.held_out is not None:
            self.grower.add_elsewhere(value, lesson.held_out, score)
        return tree_from_arrays(found, value, course.rules.l2)

    def _values(self, found: dict[str, Array], output: int) -> Array:
        """The values of all nodes; for a loss that does not bend, the best constants of the rows of leaves.

        Where values must rise or fall with a column, the constants of all nodes say how far those below may go.
        """
        if uses_newton_step(self.loss):
            return found["value"]
        order, begin, end = self.grower.rows()
        value, score, direction = found["value"].copy(), self.score[output], self.course.rules.direction
        for node in np.flatnonzero((found["left"] < 0) | bool(direction)):
            rows = order[begin[node] : end[node]]
            value[node] = self.loss.best_leaf(self.lesson.y[rows], score[rows], self._counted(rows, output))
        return monotonic_values(found, value, direction) if direction else value

    def _counted(self, rows: Array, output: int) -> Array | None:
        """The weights of some rows, those of rows that count for others included; where a loss does not bend, its
        curvature is the weight."""
        sample = self.course.sample
        if sample is None or not sample.scales:
            return self.lesson.weights(rows)
        return np.asarray(self.slopes[output, rows, 1], dtype=np.float64)


def _flat(loss: Any) -> bool:
    """Whether the curvature of a row is its weight."""
    return bool(loss.quadratic) or not uses_newton_step(loss)
