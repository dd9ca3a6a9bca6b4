"""Boosting with exact trees: each fits the negative gradients by least squares, then its leaves take best values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.runtime.random import generator
from ...core.validate.features import Array
from ...parts.losses import Huber
from ..columns.bins import counted_quantiles
from ..iterate import Progress, State
from .boosting import TrainingSet, mean_loss
from .boosting_iterations import BoostingIterations
from .builder import RankedColumns, TreeBuilder, TreeLimits
from .leaf_values import leaf_values
from .pruning.cost_complexity import prune_by_cost_complexity
from .tree import Tree

TREES, ROWS = 2, 3  # keys of draws


@dataclass(frozen=True)
class ExactBoostingConfig:
    """How stages grow: rate, rules of trees, share of rows, price of leaves, when to stop, if ever, and all draws."""

    rate: float
    growth: TreeLimits
    share: float
    price: float
    rounds: int | None
    tol: float
    seed: int
    huber: float | None = None  # share of the residuals that Huber's loss takes as they are


class ExactBoosting(BoostingIterations):
    """Stages of exact trees as a method of the common loop."""

    def __init__(self, loss: Any, X: Array, lesson: TrainingSet, start: Array, plan: ExactBoostingConfig) -> None:
        super().__init__(loss, start)
        self.X, self.y, self.plan = X, lesson.y, plan
        self.weight = np.ones(len(lesson.y)) if lesson.weight is None else lesson.weight
        self.rows = np.arange(len(lesson.y)) if lesson.rows is None else lesson.rows
        self.held_out = self.rows[:0] if lesson.held_out is None else lesson.held_out
        self.columns = RankedColumns.of(X)
        self.watch: Callable[[State], bool] = lambda state: False

    def start(self) -> State:
        """The trees that there are before."""
        self.follow(self.before, self.X)
        self._settle_loss()
        lists: State = {"training": [], "outside": [], "validation": []}
        return {**self.begun(self._mean_loss(self.rows)), **lists, "stop": False}

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self.follow(state["trees"], self.X)
        self._settle_loss()
        rows, outside = self._drawn()
        before = self._mean_loss(outside)
        scores, trees = self._scores(), list(state["trees"])
        for output in range(self.outputs):
            tree, leaf = self._grow(scores, rows, output)
            self.score[output] += tree.value[leaf, 0, 0]
            trees.append(tree)
        found = self.grown(state, trees, self._mean_loss(self.rows))
        found["training"] = [*state["training"], self._mean_loss(rows)]
        found["outside"] = [*state["outside"], (before, self._mean_loss(outside))]
        found["validation"] = [*state["validation"], self._mean_loss(self.held_out)]
        found["stop"] = self.watch(found) or self._has_ended(found["validation"])
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
        self.loss = Huber(max(delta, 1e-300), two_steps=True)

    def _drawn(self) -> tuple[Array, Array]:
        """The rows that a stage learns from, and the rest."""
        if self.plan.share >= 1:
            return self.rows, self.rows[:0]
        count = max(1, int(self.plan.share * len(self.rows)))
        order = generator(self.plan.seed, ROWS, self.stages).permutation(self.rows)
        return np.sort(order[:count]), np.sort(order[count:])

    def _grow(self, scores: Array, rows: Array, output: int) -> tuple[Tree, Array]:
        gradient = self.loss.gradient(self.y, scores)
        residual = -(gradient if gradient.ndim == 1 else gradient[:, output])
        seed = int(generator(self.plan.seed, TREES, self.stages, output).integers(2**63))
        growth = replace(self.plan.growth, seed=seed)
        grower = TreeBuilder(self.columns, rows.astype(np.uint32), self.weight, growth)
        tree = grower.numbers(np.ascontiguousarray(residual[:, None]), "squares")
        tree = prune_by_cost_complexity(tree, self.plan.price) if self.plan.price > 0 else tree
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
        return mean_loss(self.loss, self.y[rows], self.score[:, rows], self.weight[rows]) if len(rows) else 0.0
