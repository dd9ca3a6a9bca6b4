"""Gradient boosting with exact trees: each is fitted to the negative gradients, then its leaves take optimal values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.runtime.random import generator
from ...core.runtime.trace import Trace
from ...core.validate.features import Array
from ...core.validate.sparse_input import as_dense
from ...parts.losses import Huber
from ..columns.bins import counted_quantiles
from ..iterate import Progress, State
from .boosting import TrainingSet, mean_loss
from .boosting_iterations import BoostingIterations, certify_stages, run_stages
from .builder import RankedColumns, Sampling, SplitSearch, grow
from .growth_limits import TreeLimits
from .leaf_values import leaf_values
from .pruning.cost_complexity import prune_by_cost_complexity
from .regression_target import RegressionTarget
from .tree import Tree

TREES, ROWS = 2, 3  # keys of draws


@dataclass(frozen=True)
class ExactBoostingConfig:
    """Number and learning rate of stages, growth and pruning of their trees, subsampling of rows, and early stopping.

    `n_iter_no_change=None` disables early stopping; `huber_quantile` is the quantile of absolute residuals at which the
    Huber loss becomes linear. With `gradient_leaves` the leaves keep the mean of the negative gradients.
    """

    n_iter: int
    learning_rate: float
    limits: TreeLimits
    search: SplitSearch
    subsample: float
    ccp_alpha: float
    n_iter_no_change: int | None
    tol: float
    seed: int
    huber_quantile: float | None = None
    gradient_leaves: bool = False


def boost_exactly(
    loss: Any, training: TrainingSet, baseline: Array, trees: Sequence[Tree], config: ExactBoostingConfig, trace: Trace,
    monitor: Callable[[State], bool],
) -> State:  # fmt: skip
    """The state after all stages, which follow those of the given trees; `monitor` may stop after each stage."""
    method = ExactBoosting(loss, training, baseline, trees, config, monitor)
    state = run_stages(method, config.n_iter - len(trees) // len(baseline), trace)
    certify_stages(trace, state, 0 if trace.stopped == "converged" else config.n_iter - state["stages"])
    return state


class ExactBoosting(BoostingIterations):
    """Gradient boosting with exact trees as a method of the common loop."""

    def __init__(
        self, loss: Any, training: TrainingSet, baseline: Array, trees: Sequence[Tree], config: ExactBoostingConfig,
        monitor: Callable[[State], bool],
    ) -> None:  # fmt: skip
        super().__init__(loss, baseline, trees)
        self.X, self.y, self.config = as_dense(training.X), training.y, config
        self.weight = np.ones(len(training.y)) if training.weight is None else training.weight
        self.rows = np.arange(len(training.y)) if training.rows is None else training.rows
        self.held_out = self.rows[:0] if training.held_out is None else training.held_out
        self.columns = RankedColumns.of(self.X)
        self.monitor = monitor

    def start(self) -> State:
        """The initial trees."""
        self.recompute_scores(self.initial_trees, self.X)
        self._update_loss()
        lists: State = {"training": [], "outside": [], "validation": []}
        return {**self.initial_state(self._mean_loss(self.rows)), **lists, "stop": False}

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self.recompute_scores(state["trees"], self.X)
        self._update_loss()
        rows, out_of_bag = self._draw_rows()
        before = self._mean_loss(out_of_bag)
        scores, trees = self._loss_scores(), list(state["trees"])
        for output in range(self.outputs):
            tree, leaf = self._grow(scores, rows, output)
            self.score[output] += tree.value[leaf, 0, 0]
            trees.append(tree)
        after = self.next_state(state, trees, self._mean_loss(self.rows))
        after["training"] = [*state["training"], self._mean_loss(rows)]
        after["outside"] = [*state["outside"], (before, self._mean_loss(out_of_bag))]
        after["validation"] = [*state["validation"], self._mean_loss(self.held_out)]
        after["stop"] = self.monitor(after) or self._stops_early(after["validation"])
        return after

    def progress(self, state: State) -> Progress:
        """Converged when the validation loss no longer improves, or the monitor stops the fit."""
        more = {"validation": state["validation"][-1]} if len(self.held_out) else {}
        return Progress(state["loss"], 0.0 if state["stop"] else 1.0, 0.0, more)

    def _stops_early(self, losses: list[float]) -> bool:
        """Whether the last loss improves on none of the latest that were improvements."""
        if self.config.n_iter_no_change is None:
            return False
        kept: list[float] = [np.inf] * self.config.n_iter_no_change
        for stage, loss in enumerate(losses):
            if not any(loss + self.config.tol < other for other in kept):
                return True
            kept[stage % self.config.n_iter_no_change] = loss
        return False

    def _update_loss(self) -> None:
        """Set the threshold of the Huber loss to a quantile of the current absolute residuals."""
        if self.config.huber_quantile is None:
            return
        size = np.abs(self.y - self.score[0])[self.rows]
        quantile = np.array([self.config.huber_quantile])
        delta = float(counted_quantiles(size, quantile, self.weight[self.rows], False)[0])
        self.loss = Huber(max(delta, 1e-300), two_steps=True)

    def _draw_rows(self) -> tuple[Array, Array]:
        """The rows of a stage, and the out-of-bag rows."""
        if self.config.subsample >= 1:
            return self.rows, self.rows[:0]
        count = max(1, int(self.config.subsample * len(self.rows)))
        order = generator(self.config.seed, ROWS, self.stages).permutation(self.rows)
        return np.sort(order[:count]), np.sort(order[count:])

    def _grow(self, scores: Array, rows: Array, output: int) -> tuple[Tree, Array]:
        """A tree of the negative gradients of an output, with optimal leaf values, and the leaf of each row."""
        config = self.config
        gradient = self.loss.gradient(self.y, scores)
        residual = -(gradient if gradient.ndim == 1 else gradient[:, output])
        seed = generator(config.seed, TREES, self.stages, output).integers(2**63)
        sampling = Sampling(rows.astype(np.uint32), self.weight, np.array([seed], dtype=np.uint64))
        target = RegressionTarget(np.ascontiguousarray(residual[:, None]))
        tree = grow(target, self.columns, sampling, config.limits, config.search).tree(0)
        tree = prune_by_cost_complexity(tree, config.ccp_alpha) if config.ccp_alpha > 0 else tree
        leaf = tree.apply(self.X)
        value = tree.value[:, 0, 0] * config.learning_rate
        if not config.gradient_leaves:
            args = leaf[rows], tree.node_count, self.y[rows], scores[rows], self.weight[rows], output
            leaves = tree.children_left < 0
            value[leaves] = leaf_values(self.loss, *args)[leaves] * config.learning_rate
        return replace(tree, value=value[:, None, None]), leaf

    def _loss_scores(self) -> Array:
        """Scores in the layout of the loss."""
        return self.score[0].copy() if self.outputs == 1 else np.ascontiguousarray(self.score.T)

    def _mean_loss(self, rows: Array) -> float:
        return mean_loss(self.loss, self.y[rows], self.score[:, rows], self.weight[rows]) if len(rows) else 0.0
