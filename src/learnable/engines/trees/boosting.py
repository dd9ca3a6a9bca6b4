"""Histogram boosting: trees over binned columns, grown one after the other from the gradients of a loss.

A loss enters by the gradient and Hessian of each row. Where its second derivative is zero, leaf values are the best
constants of their rows instead of Newton steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.runtime.random import generator
from ...core.runtime.trace import Trace
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense
from ...parts.losses import Logistic, Multinomial, Squared
from ..iterate import Progress, State
from ..sampling.canonical_order import counts_copies
from .boosting_iterations import BoostingIterations, certify_stages, run_stages
from .boosting_sampling import StageSampler, TreeDropout
from .feature_bundles import bundle_features
from .histograms import Bins, HistogramConfig, histogram_grower, tree_from_arrays
from .leaf_values import monotonic_values
from .tree import Tree

COMPILED: dict[type, str] = {Squared: "squared", Logistic: "logistic", Multinomial: "multinomial"}
BLOCK = 16_384  # rows whose gradients are computed at once
FLOAT32_FROM = 50_000  # rows from which on gradients may be kept in single precision
TREES = 2  # key of draws


@dataclass(frozen=True)
class TrainingSet:
    """Rows with targets and weights (None: ones), of which `rows` are for training and `held_out` for validation.

    `rows` of None are all rows, `held_out` of None is an empty validation set. `sample_weight` are the weights without
    those of classes.
    """

    y: Array
    weight: Array | None = None
    rows: Array | None = None
    held_out: Array | None = None
    X: Matrix | None = None
    sample_weight: Array | None = None

    @property
    def row_index(self) -> Array:
        """The rows for training."""
        return np.arange(len(self.y), dtype=np.uint32) if self.rows is None else self.rows

    def weights(self, rows: Array | None) -> Array | None:
        """The weights of some rows, or of all."""
        return self.weight if rows is None or self.weight is None else self.weight[rows]

    def subset(self, rows: Array | None, scores: Array) -> tuple[Array, Array, Array | None]:
        """Targets, scores and weights of some rows, or of all."""
        if rows is None:
            return self.y, scores, self.weight
        return self.y[rows], scores[:, rows], self.weights(rows)

    @property
    def total_weight(self) -> float:
        """The total weight of the rows for training."""
        weight = self.weights(self.rows)
        count = len(self.y) if self.rows is None else len(self.rows)
        return float(count if weight is None else weight.sum())

    @property
    def copies(self) -> Array | None:
        """The number of copies that each row counts for in limits of leaves: integer weights, else None."""
        found = (one for one in (self.weight, self.sample_weight) if one is not None and counts_copies(one))
        return next(found, None)


@dataclass(frozen=True)
class EarlyStopping:
    """Stops boosting when none of the last `n_iter_no_change` stages improved the score by more than `tol`.

    `score` maps scores and rows to a number, larger is better. It is minus the mean loss if `by_loss`, so that it is
    known for the training rows. With `keep_best` the trees after the best stage are dropped.
    """

    score: Callable[[Array, Array | None], float]
    n_iter_no_change: int
    tol: float
    by_loss: bool = True
    keep_best: bool = False

    def gain(self, scores: Sequence[float]) -> float:
        """The improvement by the last stages, infinite while there are fewer."""
        if len(scores) <= self.n_iter_no_change:
            return float("inf")
        return max(scores[-self.n_iter_no_change :]) - scores[-self.n_iter_no_change - 1]


@dataclass(frozen=True)
class BoostingConfig:
    """Number and learning rate of stages, how their trees grow, and the sampling of rows, dropout and early stopping.

    `max_conflicts` bundles sparse columns with at most this fraction of conflicts; None for no bundles. A loss of one
    is `loss_unit` in the units of the user.
    """

    n_iter: int
    learning_rate: float
    trees: HistogramConfig
    seed: int
    sampler: StageSampler | None = None
    dropout: TreeDropout | None = None
    max_conflicts: float | None = None
    stopping: EarlyStopping | None = None
    loss_unit: float = 1.0
    measure: str = "training loss"


@dataclass(frozen=True)
class StartingPoint:
    """The scores before the first tree, a number for each output, and the trees and stage scores of an earlier fit."""

    baseline: Array
    trees: list[Tree] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)

    @property
    def stages(self) -> int:
        """Number of stages of the earlier fit."""
        return len(self.trees) // len(self.baseline)


@dataclass(frozen=True)
class BoostingResult:
    """The trees of all stages, `outputs` a stage, and with early stopping the scores before and after each stage."""

    trees: list[Tree]
    outputs: int
    training: list[float]
    validation: list[float]


def boost(
    loss: Any, training: TrainingSet, bins: Bins, config: BoostingConfig, start: StartingPoint, trace: Trace
) -> BoostingResult:
    """Boosted trees of a loss over binned columns."""
    method = HistogramBoosting(loss, training, bins, config, start)
    state = run_stages(method, config.n_iter - start.stages, trace)
    stopping = config.stopping
    if stopping is not None and trace.stopped == "converged":
        gain = max(stopping.gain(state["scores"]), 0.0)
        sentence = f"the validation score gained no more than this in the last {stopping.n_iter_no_change} stages"
        trace.certify("gain of the last stages", gain, stopping.tol, sentence)
    else:
        certify_stages(trace, state, config.n_iter - state["stages"], config.measure)
    return method.result(state)


def mean_loss(loss: Any, y: Array, score: Array, weight: Array | None) -> float:
    """The mean loss of scores, which have a row for each output."""
    z = score[0] if len(score) == 1 else np.ascontiguousarray(score.T)
    return float(np.average(loss.value(y, z), weights=weight))


def compute_grad_hess(loss: Any, training: TrainingSet, score: Array, grad_hess: Array) -> float:
    """Write the weighted gradients and Hessians of the training rows; returns the sum of their losses."""
    kind = COMPILED.get(type(loss))
    if kind is not None:
        return float(kernels.loss_gradients(kind, training.y, score, training.weight, training.rows, grad_hess))
    rows = training.row_index
    total = 0.0
    for start in range(0, len(rows), BLOCK):
        here = rows[start : start + BLOCK]
        y, z = training.y[here], score[0, here]
        weight = 1.0 if training.weight is None else training.weight[here]
        grad_hess[0, here, 0] = weight * loss.gradient(y, z)
        grad_hess[0, here, 1] = weight * (loss.curvature(y, z) if loss.smooth else 1.0)
        total += float(np.sum(weight * loss.value(y, z)))
    return total


class HistogramBoosting(BoostingIterations):
    """Histogram boosting as a method of the common loop."""

    def __init__(
        self, loss: Any, training: TrainingSet, bins: Bins, config: BoostingConfig, start: StartingPoint
    ) -> None:
        count = len(training.y)
        super().__init__(loss, np.broadcast_to(start.baseline[:, None], (len(start.baseline), count)), start.trees)
        self.training, self.config, self.stopping = training, config, config.stopping
        bundles = None
        if config.max_conflicts is not None:
            bundles = bundle_features(bins, training.X, training.row_index, config.max_conflicts)
        table = bins.table(training.X, bundles)
        self.grower = histogram_grower(table, config.trees, count >= FLOAT32_FROM)
        kind = np.float32 if self.grower.f32 else np.float64
        self.grad_hess = np.zeros((*self.baseline.shape, 2), dtype=kind)
        self.total_weight, self.copies = training.total_weight, training.copies
        self.initial_scores = start.training, start.training if training.held_out is None else start.validation

    @cached_property
    def X(self) -> Array:
        """The rows as fitted trees read them."""
        return as_dense(self.training.X)

    def start(self) -> State:
        """The initial trees."""
        if self.initial_trees:
            self.recompute_scores(self.initial_trees, self.X)
        loss = self._compute_gradients()
        training, scores = self.initial_scores
        lists = {
            "training": training or [self._training_score(loss)],
            "scores": scores or [self._validation_score(loss)],
        }
        return {**self.initial_state(loss), **lists, "best": list(self.initial_trees)}

    def step(self, state: State) -> State:
        """One more stage."""
        if self.stages != state["stages"]:
            self.recompute_scores(state["trees"], self.X)
            self._compute_gradients()
        dropout, rate = self.config.dropout, self.config.learning_rate
        dropped = [] if dropout is None else dropout(self.stages, self.config.seed)
        trees, score = (state["trees"], self.score) if not dropped else self._drop_stages(state["trees"], dropped)
        rate = rate / (len(dropped) + rate) if dropped else rate
        trees = [*trees, *(self._grow(output, rate, score[output]) for output in range(self.outputs))]
        self.score = score
        loss = self._compute_gradients()
        after = self.next_state(state, trees, loss)
        after["training"] = [*state["training"], self._training_score(loss)]
        after["scores"] = [*state["scores"], self._validation_score(loss)]
        after["best"] = self._best(state, after)
        return after

    def progress(self, state: State) -> Progress:
        """Converged when the validation score no longer improves."""
        leaves = sum(int((tree.children_left < 0).sum()) for tree in state["trees"][-self.outputs :])
        more = {"leaves": float(leaves)}
        if self.stopping is None:
            return Progress(state["loss"], 1.0, 0.0, more)
        more["validation"] = -state["scores"][-1]
        gain = self.stopping.gain(state["scores"])
        return Progress(state["loss"], gain - self.stopping.tol, 0.0, more)

    def result(self, state: State) -> BoostingResult:
        """All trees, or those up to the best stage, and the scores that lead up to the last of them."""
        if self.stopping is None:
            return BoostingResult(state["trees"], self.outputs, [], [])
        trees = self._best_trees(state) if self.stopping.keep_best else state["trees"]
        beyond = state["stages"] - len(trees) // self.outputs
        training, scores = (state[name][: len(state[name]) - beyond] for name in ("training", "scores"))
        return BoostingResult(trees, self.outputs, training, scores if self.training.held_out is not None else [])

    def _best_trees(self, state: State) -> list[Tree]:
        """The trees up to the stage with the best score, one stage at least."""
        scores = state["scores"]
        first = state["stages"] + 1 - len(scores)  # stages without a score
        at = max(int(np.argmax(scores)), 1 - first)
        trees: list[Tree] = state["trees"] if self.config.dropout is None else state["best"]
        return trees[: (first + at) * self.outputs]

    def _best(self, state: State, after: State) -> list[Tree]:
        """The trees of the best stage, stored where dropout changes them later."""
        if self.stopping is None or self.config.dropout is None:
            return []
        others = state["scores"] if self.initial_trees else state["scores"][1:]
        best: list[Tree] = after["trees"] if after["scores"][-1] > max(others, default=-np.inf) else state["best"]
        return best

    def _compute_gradients(self) -> float:
        """Compute gradients and Hessians at the scores; returns the mean loss."""
        total = compute_grad_hess(self.loss, self.training, self.score, self.grad_hess)
        return total / self.total_weight * self.config.loss_unit

    def _training_score(self, loss: float) -> float:
        if self.stopping is None or self.stopping.by_loss:
            return -float(loss)
        return self.stopping.score(self.score, self.training.rows)

    def _validation_score(self, loss: float) -> float:
        """The score of the held-out rows, or of the training rows if there are none."""
        if self.stopping is None or self.training.held_out is None:
            return self._training_score(loss)
        return self.stopping.score(self.score, self.training.held_out)

    def _drop_stages(self, trees: list[Tree], stages: list[int]) -> tuple[list[Tree], Array]:
        """Remove stages from the scores while the next one is grown; returns all trees, rescaled, and their scores.

        Both are summed again in the order of the stages, so that scores follow from the trees to the last bit.
        """
        kept = len(stages) / (len(stages) + self.config.learning_rate)
        dropped = {stage * self.outputs + output for stage in stages for output in range(self.outputs)}
        trees = [replace(tree, value=tree.value * kept) if k in dropped else tree for k, tree in enumerate(trees)]
        self.score, full = np.array(self.baseline), np.array(self.baseline)
        for k, tree in enumerate(trees):
            prediction = tree.predict(self.X)[:, 0, 0]
            full[k % self.outputs] += prediction
            if k not in dropped:
                self.score[k % self.outputs] += prediction
        self._compute_gradients()
        return trees, full

    def _grow(self, output: int, rate: float, score: Array) -> Tree:
        """Grow a tree from the gradients of an output, and add it to the scores."""
        training, config, grad_hess = self.training, self.config, self.grad_hess[output]
        rows = training.rows
        if config.sampler is not None:
            rows = config.sampler(grad_hess, training.row_index, config.seed, self.stages).astype(np.uint32)
        seed = int(generator(config.seed, TREES, self.stages, output).integers(2**63)) if config.trees.random else 0
        hessian_is_weight = bool(self.loss.quadratic) or not self.loss.smooth
        counted = hessian_is_weight and self.copies is training.weight and config.sampler is None
        found = self.grower.grow(grad_hess, rows, self.copies, counted, seed)
        value = self._leaf_values(found, output) * rate
        if config.sampler is None:
            self.grower.add(value, score)
        else:
            self.grower.add_elsewhere(value, training.rows, score)
        if training.held_out is not None:
            self.grower.add_elsewhere(value, training.held_out, score)
        return tree_from_arrays(found, value, config.trees.l2)

    def _leaf_values(self, found: dict[str, Array], output: int) -> Array:
        """Newton steps of all nodes; for a loss without second derivative, the best constants of the rows of leaves.

        With monotonic constraints, the constants of inner nodes bound those of the nodes below.
        """
        if self.loss.smooth:
            return found["value"]
        order, first, last = self.grower.rows()
        value, score, constraint = found["value"].copy(), self.score[output], self.config.trees.monotonic_cst
        for node in np.flatnonzero((found["left"] < 0) | bool(constraint)):
            rows = order[first[node] : last[node]]
            value[node] = self.loss.best_leaf(self.training.y[rows], score[rows], self._row_weights(rows, output))
        return monotonic_values(found, value, constraint) if constraint else value

    def _row_weights(self, rows: Array, output: int) -> Array | None:
        """The weights of some rows, scaled by the sampler; they are the Hessian of a loss without second derivative."""
        if self.config.sampler is None or not self.config.sampler.reweights:
            return self.training.weights(rows)
        return np.asarray(self.grad_hess[output, rows, 1], dtype=np.float64)
