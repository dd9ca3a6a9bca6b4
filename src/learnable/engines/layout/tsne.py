"""The layout of t-SNE: gradient descent with momentum and gains on a divergence of affinities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ..graph.edges import Graph
from ..iterate import Progress, State
from .repulsion import Repulsion

EARLY_STEPS = 250  # iterations with exaggerated affinities
EARLY_MOMENTUM, MOMENTUM = 0.5, 0.8
MIN_GAIN = 0.01
ITERATIONS_PER_STEP = 10  # iterations in a step of the loop
WINDOW = 50  # iterations over which the decrease is measured
MIN_SPREAD = 1e-4  # of the first axis, to which a map is widened that exaggerated attraction has drawn to a point


@dataclass
class StudentLayout:
    """Minimises KL(P || Q) over the positions Y, for affinities p_ij of pairs and q_ij from Student's t kernel.

    gradient_i = c sum_j (p_ij - q_ij) w_ij (y_i - y_j),    c = 2 (dof + 1) / dof,  w_ij = 1 / (1 + d_ij^2 / dof)
    """

    graph: Graph
    start_positions: Array
    repulsion: Repulsion
    dof: float
    exaggeration: float
    learning_rate: float
    max_iter: int
    min_grad_norm: float
    patience: int

    def __post_init__(self) -> None:
        p = self.graph.length
        self.entropy = float(np.sum(p[p > 0] * np.log(p[p > 0])))

    @property
    def steps(self) -> int:
        """Steps of the loop, of `ITERATIONS_PER_STEP` iterations but the last."""
        return -(-self.max_iter // ITERATIONS_PER_STEP)

    def start(self) -> State:
        """The state before the first iteration."""
        Y = np.ascontiguousarray(self.start_positions, dtype=np.float64)
        return {
            "Y": Y, "velocity": np.zeros_like(Y), "gain": np.ones_like(Y), "done": 0, "divergence": np.inf,
            "norm": np.inf, "best": np.inf, "best_at": 0, "before": [], "early": min(EARLY_STEPS, self.max_iter),
        }  # fmt: skip

    def step(self, state: State) -> State:
        """Several iterations, and the divergence after them."""
        Y, velocity, gain, done, early_end = (state[name] for name in ("Y", "velocity", "gain", "done", "early"))
        until = min(done + ITERATIONS_PER_STEP, self.max_iter)
        gradient, norm = np.empty_like(Y), 0.0
        for iteration in range(done, until):
            early = iteration < early_end
            self._gradient(Y, self.exaggeration if early else 1.0, gradient)
            falls = velocity * gradient < 0
            gain = np.maximum(np.where(falls, gain + 0.2, gain * 0.8), MIN_GAIN)
            velocity = (EARLY_MOMENTUM if early else MOMENTUM) * velocity - self.learning_rate * gain * gradient
            Y = Y + velocity
            norm = float(np.linalg.norm(gradient))
        if until < early_end and norm <= self.min_grad_norm:
            Y, velocity, early_end = widened(Y), np.zeros_like(Y), until
        divergence = self.divergence(Y)
        better = until <= early_end or divergence < state["best"]
        return {
            "Y": Y, "velocity": velocity, "gain": gain, "done": until, "divergence": divergence, "norm": norm,
            "best": divergence if better else state["best"], "best_at": until if better else state["best_at"],
            "before": [*state["before"], divergence][-(WINDOW // ITERATIONS_PER_STEP + 1) :], "early": early_end,
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The divergence, and the norm of the gradient."""
        if state["done"] <= state["early"] < self.max_iter:
            return Progress(state["divergence"], np.inf, self.min_grad_norm)
        ended = state["done"] - state["best_at"] >= self.patience
        return Progress(state["divergence"], 0.0 if ended else state["norm"], self.min_grad_norm)

    def _gradient(self, Y: Array, exaggeration: float, gradient: Array) -> None:
        graph, push = self.graph, np.empty_like(Y)
        kernels.student_attraction(graph.start, graph.index, graph.length, Y, self.dof, False, gradient)
        normaliser = max(self.repulsion(Y, push), 1e-300)
        gradient *= exaggeration
        push /= normaliser
        gradient -= push
        gradient *= 2 * (self.dof + 1) / self.dof

    def divergence(self, Y: Array) -> float:
        """KL(P || Q) at the positions Y."""
        graph, force = self.graph, np.empty_like(Y)
        inner = kernels.student_attraction(graph.start, graph.index, graph.length, Y, self.dof, True, force)
        normaliser = max(self.repulsion(Y, force), 1e-300)
        return float(self.entropy - inner + np.log(normaliser) * graph.length.sum())

    @staticmethod
    def decrease(state: State) -> float:
        """The decrease of the divergence per iteration, over the last iterations."""
        before = state["before"]
        if len(before) < 2:
            return 1.0
        return float(max(before[0] - before[-1], 0.0)) / ((len(before) - 1) * ITERATIONS_PER_STEP)


def widened(Y: Array) -> Array:
    """Positions with at least a little spread."""
    spread = float(Y[:, 0].std())
    return np.asarray((Y - Y.mean(axis=0)) * (MIN_SPREAD / spread)) if 0 < spread < MIN_SPREAD else Y
