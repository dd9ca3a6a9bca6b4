"""Stochastic steps whose noise dies out, for logistic models of two classes or of several.

    minimise over W, b    sum_i share_i loss(code_i, z_i) + l1 |W|_1 + l2 |W|^2 / 2,      z = XW + b

A step looks at one row and moves along its slope, corrected by what all rows said last. [Defazio et al., 2014]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...core.data import Array, Matrix
from ...core.native import kernels
from ...core.trace import Trace
from .. import design
from ..iterate import Progress, State, iterate
from .logistic_rows import PERFECT
from .smooth import certify_gradient
from .stochastic import EPOCH, row_norms

LENGTH = 1 / 3  # of a step, over the largest curvature of a row
PATIENCE = 5  # epochs in which the gradient must halve, or steps of another kind serve better


@dataclass(frozen=True, slots=True)
class Saga:
    """The method, for `iterate`: a step is an epoch, after which the slopes of all rows are taken anew.

    Rows of `X` are contiguous, or it is CSR. Weights are (features + 1, scores), the constants last: one score for two
    classes, one each for more. `pace` is the length of a step over a row.
    """

    X: Matrix
    code: Array
    share: Array
    l1: float
    l2: float
    intercept: bool
    tolerance: float
    seed: int
    first: Array
    norm: Array
    pace: float

    def start(self) -> State:
        """Where the search begins."""
        return self._state(self.first) | {"epoch": 0, "mark": math.inf, "idle": 0}

    def step(self, state: State) -> State:
        """One epoch, in an order drawn from the seed and its number."""
        weights, slopes, sums = (state[name].copy() for name in ("weights", "slopes", "sums"))
        order = np.arange(len(self.code))
        kernels.shuffle(order, (self.seed + state["epoch"] * EPOCH) % 2**64)
        kernels.saga_epoch(
            self.X, self.code, self.share, order, self.pace, self.l1, self.l2, self.intercept, weights, slopes, sums
        )
        after = self._state(weights)
        halved = after["criterion"] <= state["mark"] / 2
        return after | {
            "epoch": state["epoch"] + 1,
            "mark": after["criterion"] if halved else state["mark"],
            "idle": 0 if halved else state["idle"] + 1,
        }

    def progress(self, state: State) -> Progress:
        """How far the gradient is from what the penalty allows."""
        return Progress(state["objective"], state["criterion"], self.tolerance, exhausted=state["idle"] >= PATIENCE)

    def _state(self, weights: Array) -> State:
        value, slopes = self._terms(weights)
        constants = slopes.sum(axis=0) if self.intercept else np.zeros(slopes.shape[1])
        sums = np.vstack([design.pullback(self.X, slopes), constants])
        w = weights[:-1]
        return {
            "weights": weights,
            "slopes": slopes,
            "sums": sums,
            "objective": value + self.l1 * float(np.abs(w).sum()) + self.l2 / 2 * float(np.vdot(w, w)),
            "criterion": self._misfit(w, slopes, sums),
        }

    def _terms(self, weights: Array) -> tuple[float, Array]:
        """The mean loss, and the slope of each row by each score."""
        scores = kernels.matvec(self.X, weights[:-1], weights[-1])
        if weights.shape[1] > 1:
            value, _, slopes = kernels.softmax_terms(scores, self.code, self.share)
            return value, slopes
        value, slope, _ = kernels.logistic_terms(scores[:, 0], (self.code == 1).astype(np.float64), self.share)
        return value, slope[:, None]

    def _misfit(self, w: Array, slopes: Array, sums: Array) -> float:
        """The largest distance of the gradient from what the penalty allows, against what it would be at worst."""
        size = np.maximum(np.sqrt((slopes**2 / self.share[:, None]).sum(axis=0)), PERFECT)
        gradient = sums[:-1] + self.l2 * w
        away = np.where(w != 0, np.abs(gradient + self.l1 * np.sign(w)), np.maximum(np.abs(gradient) - self.l1, 0.0))
        scale = self.norm[:, None] * size + self.l2 * np.abs(w) + self.l1
        worst = np.divide(away, scale, out=np.zeros_like(away), where=scale > 0).max(initial=0.0)
        return float(max(worst, (np.abs(sums[-1]) / size).max()))


@dataclass(frozen=True, slots=True)
class Penalty:
    """Strengths of the absolute and of the squared part."""

    l1: float
    l2: float


def wander(
    X: Matrix, code: Array, share: Array, penalty: Penalty, intercept: bool, limit: int, tol: float, seed: int,
    first: Array, trace: Trace,
) -> Array:  # fmt: skip
    """Weights near the best ones, found from `first` by at most `limit` epochs, while these are fast or until `tol`."""
    rows = np.ascontiguousarray(X) if not design.is_sparse(X) else X
    with np.errstate(over="ignore"):
        norm = np.sqrt(design.squared_norms(rows, share))
        bend = 0.25 if first.shape[1] == 1 else 0.5
        curvature = bend * len(code) * float((share * (row_norms(rows) + intercept)).max()) + penalty.l2
    if not (math.isfinite(curvature) and curvature > 0):
        return first
    method = Saga(
        rows, code, share, penalty.l1, penalty.l2, intercept, tol, seed, first, norm, LENGTH / curvature
    )  # fmt: skip
    state = iterate(method, limit, trace)
    certify_gradient(state["criterion"], tol, X.dtype, trace)
    found: Array = state["weights"]
    return found
