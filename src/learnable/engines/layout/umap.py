"""The layout of UMAP: stochastic gradients of a cross-entropy, of edges that are due and of random points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ..graph.edges import Graph
from ..iterate import Progress, State

DECAY, SQUARE_DECAY, EPSILON = 0.5, 0.9, 1e-7  # of Adam
RECORDS = 100  # rows of the trace of a whole layout


@dataclass
class SampledLayout:
    """Minimises -sum w_ij log q_ij - sum (1 - w_ij) log(1 - q_ij),  q_ij = 1 / (1 + a d_ij^(2b)), by samples of it.

    Edges of weight w are used every max(w) / w epochs, each with `negatives` random points that stand for the second
    sum. All points move at once, by Adam with a falling step. `tail` are fixed points; None: the points themselves.
    """

    graph: Graph
    start_positions: Array
    a: float
    b: float
    repulsion: float
    negatives: int
    learning_rate: float
    epochs: int
    seed: int
    tail: Array | None = None

    @property
    def each(self) -> int:
        """Epochs in a step of the loop."""
        return max(1, self.epochs // RECORDS)

    @property
    def steps(self) -> int:
        """Steps of the loop."""
        return max(1, -(-self.epochs // self.each))

    def start(self) -> State:
        """The state before the first epoch."""
        Y = np.ascontiguousarray(self.start_positions, dtype=np.float64)
        return {"Y": Y, "mean": np.zeros_like(Y), "square": np.zeros_like(Y), "epoch": 0, "loss": 0.0}

    def step(self, state: State) -> State:
        """Several epochs."""
        Y, mean, square, epoch, loss = (state[name] for name in ("Y", "mean", "square", "epoch", "loss"))
        gradient = np.empty_like(Y)
        end = min(epoch + self.each, self.epochs)
        for number in range(epoch, end):
            loss = self._gradient(Y, number, gradient, number == end - 1)
            mean = DECAY * mean + (1 - DECAY) * gradient
            square = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * gradient**2
            rate = self.learning_rate * (1 - number / self.epochs)
            corrected = np.sqrt(square / (1 - SQUARE_DECAY ** (number + 1)))
            Y = Y - rate * mean / (1 - DECAY ** (number + 1)) / (corrected + EPSILON)
        return {"Y": Y, "mean": mean, "square": square, "epoch": end, "loss": loss}

    def progress(self, state: State) -> Progress:
        """The sampled loss of the last epoch, and the epochs that are left."""
        return Progress(state["loss"], float(self.epochs - state["epoch"]), 0.0)

    def run(self) -> Array:
        """The positions after all epochs."""
        state = self.start()
        while state["epoch"] < self.epochs:
            state = self.step(state)
        return np.asarray(state["Y"])

    def _gradient(self, Y: Array, epoch: int, gradient: Array, with_loss: bool) -> float:
        own = self.tail is None
        loss = {
            "a": self.a, "b": self.b, "repulsion": self.repulsion, "negatives": self.negatives, "epoch": epoch,
            "factor": 2.0 if own else 1.0, "seed": self.seed & (2**64 - 1), "by_head": own, "with_loss": with_loss,
        }  # fmt: skip
        graph = self.graph
        tail = Y if self.tail is None else self.tail
        return float(kernels.sampled_gradient(graph.start, graph.index, graph.length, Y, tail, loss, gradient))
