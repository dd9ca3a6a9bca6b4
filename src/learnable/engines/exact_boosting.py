"""Boosting with exact trees: each fits the negative gradients by least squares, then its leaves take best values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.data import Array
from ..core.random import generator
from ..parts.losses import Huber
from .bins import counted_quantiles
from .iterate import Progress, State
from .leaf_values import leaf_values
from .pruning import pruned
from .trees import Ground, Growth, Ranked, Tree

TREES, ROWS = 2, 3  # keys of draws


@dataclass(frozen=True)
class StagePlan:
    """How stages grow: rate, rules of trees, share of rows, price of leaves, and when to stop, if ever."""

    rate: float
    growth: Growth
    share: float
    price: float
    rounds: int | None
    tol: float
    huber: float | None = None  # share of the residuals that Huber's loss takes as they are


@dataclass(frozen=True)
class Lesson:
    """A table with targets and weights, which of its rows are learned from, and which are held out."""

    X: Array
    y: Array
    weight: Array
    rows: Array
    held_out: Array


class ExactBoosting:
    """Stages of exact trees as a method of the common loop; scores have a row for each output."""

    def __init__(self, loss: Any, lesson: Lesson, start: Array, plan: StagePlan, seed: int) -> None:
        self.loss, self.plan, self.seed = loss, plan, seed
        self.X, self.y, self.weight = lesson.X, lesson.y, lesson.weight
        self.rows, self.held_out = lesson.rows, lesson.held_out
        self.columns = Ranked.of(lesson.X)
        self.begin, self.score = start, np.array(start)
        self.before: list[Tree] = []
        self.watch: Callable[[int], bool] = lambda stage: False
        self.stages = 0

    @property
    def outputs(self) -> int:
        """How many trees a stage has."""
        return len(self.begin)

    def start(self) -> State:
        """The trees that there are before."""
        self._follow(self.before)
        self._settle_loss()
        self.stages = len(self.before) // self.outputs
        loss = self._mean_loss(self.rows)
        return {"trees": list(self.before), "stages": self.stages, "loss": loss, "first": loss, "rise": 0.0,
                "training": [], "outside": [], "validation": [], "stop": False}  # fmt: skip

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self._follow(state["trees"])
            self.stages = state["stages"]
        self._settle_loss()
        rows, outside = self._drawn(self.stages)
        before = self._mean_loss(outside)
        scores, trees = self._scores(), []
        for output in range(self.outputs):
            tree, leaf = self._grow(scores, rows, output, self.stages)
            self.score[output] += tree.value[leaf, 0, 0]
            trees.append(tree)
        self.stages += 1
        loss = self._mean_loss(self.rows)
        found: State = {"trees": [*state["trees"], *trees], "stages": self.stages, "loss": loss}
        found |= {"first": state["first"], "rise": max(state["rise"], loss - state["loss"])}
        found["training"] = [*state["training"], self._mean_loss(rows)]
        found["outside"] = [*state["outside"], (before, self._mean_loss(outside))]
        found["validation"] = [*state["validation"], self._mean_loss(self.held_out)]
        found["stop"] = self.watch(self.stages - 1) or self._has_ended(found["validation"])
        return found

    def progress(self, state: State) -> Progress:
        """Done when the rows held out, or who watches, say so."""
        more = {"validation": state["validation"][-1]} if len(self.held_out) else {}
        return Progress(state["loss"], 0.0 if state["stop"] else 1.0, 0.0, more)

    def _has_ended(self, losses: list[float]) -> bool:
        """Whether the last loss is better than none of the latest that were improvements."""
        if self.plan.rounds is None:
            return False
        kept: list[float] = [np.inf] * self.plan.rounds
        for stage, loss in enumerate(losses):
            if not any(loss + self.plan.tol < other for other in kept):
                return True
            kept[stage % self.plan.rounds] = loss
        return False

    def _settle_loss(self) -> None:
        """Huber's loss is straight beyond a quantile of the residuals as they are now."""
        if self.plan.huber is None:
            return
        size = np.abs(self.y - self.score[0])[self.rows]
        delta = float(counted_quantiles(size, np.array([self.plan.huber]), self.weight[self.rows], False)[0])
        self.loss = Huber(max(delta, 1e-300))

    def _drawn(self, stage: int) -> tuple[Array, Array]:
        """The rows that a stage learns from, and the rest."""
        if self.plan.share >= 1:
            return self.rows, self.rows[:0]
        count = max(1, int(self.plan.share * len(self.rows)))
        order = generator(self.seed, ROWS, stage).permutation(self.rows)
        return np.sort(order[:count]), np.sort(order[count:])

    def _grow(self, scores: Array, rows: Array, output: int, stage: int) -> tuple[Tree, Array]:
        gradient = self.loss.gradient(self.y, scores)
        residual = -(gradient if gradient.ndim == 1 else gradient[:, output])
        seed = int(generator(self.seed, TREES, stage, output).integers(2**63))
        growth = replace(self.plan.growth, seed=seed)
        ground = Ground(self.columns, rows.astype(np.uint32), self.weight, growth)
        tree = ground.numbers(np.ascontiguousarray(residual[:, None]), "squares")
        tree = pruned(tree, self.plan.price) if self.plan.price > 0 else tree
        leaf = tree.apply(self.X)
        args = leaf[rows], tree.node_count, self.y[rows], scores[rows], self.weight[rows], output
        value = leaf_values(self.loss, *args) * self.plan.rate
        inner = tree.children_left >= 0
        value[inner] = tree.value[inner, 0, 0] * self.plan.rate
        return replace(tree, value=value[:, None, None]), leaf

    def _scores(self) -> Array:
        """Scores as the loss takes them."""
        return self.score[0].copy() if self.outputs == 1 else np.ascontiguousarray(self.score.T)

    def _mean_loss(self, rows: Array) -> float:
        if len(rows) == 0:
            return 0.0
        z = self.score[0, rows] if self.outputs == 1 else np.ascontiguousarray(self.score[:, rows].T)
        return float(np.average(self.loss.value(self.y[rows], z), weights=self.weight[rows]))

    def _follow(self, trees: list[Tree]) -> None:
        self.score[:] = self.begin
        for k, tree in enumerate(trees):
            self.score[k % self.outputs] += tree.predict(self.X)[:, 0, 0]
