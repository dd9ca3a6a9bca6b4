"""A network of dense layers as plain data, for the compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from .. import matrix_products

ACTIVATIONS = (
    "identity", "logistic", "tanh", "relu", "leaky_relu", "elu", "selu", "gelu", "silu", "mish", "softplus",
)  # fmt: skip
LOSSES = (
    "softmax", "logistic", "squared", "poisson", "absolute", "huber", "quantile", "log_cosh", "hinge", "squared_hinge",
)  # fmt: skip
OPTIMISERS = ("sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "adadelta")
SLOTS = {"sgd": 0, "adam": 2, "adamw": 2, "adadelta": 2}  # numbers that an optimiser keeps per weight; others keep one
ALPHAS = {"leaky_relu": 0.01, "elu": 1.0}  # parameters of the activation functions that have one
NO_WEIGHT = np.empty(0)


@dataclass(frozen=True, slots=True)
class PlannedDense:
    """One layer: g(x W + b) of `units` outputs; in training its values are dropped with the probability `dropout`."""

    inputs: int
    units: int
    activation: str = "identity"
    alpha: float = 0.0
    dropout: float = 0.0

    @property
    def weights(self) -> int:
        """Number of weights, the intercepts among them."""
        return (self.inputs + 1) * self.units


@dataclass(frozen=True, slots=True)
class OutputLoss:
    """The loss of the scores; `parameter`: threshold of huber, level of quantile, positions of softmax (0: one)."""

    name: str
    parameter: float = 0.0
    smoothing: float = 0.0


@dataclass(frozen=True, slots=True)
class OptimiserSettings:
    """An optimiser and the penalties of its steps; `shared` penalties are divided by the weight of the batch."""

    name: str = "adam"
    first: float = 0.9
    second: float = 0.999
    epsilon: float = 1e-8
    l1: float = 0.0
    l2: float = 0.0
    decay: float = 0.0
    clip: float = 0.0
    shared: bool = True

    @property
    def slots(self) -> int:
        """How many numbers are kept for each weight."""
        return SLOTS.get(self.name, 1)


@dataclass(frozen=True, slots=True)
class DensePlan:
    """The layers, the last of which gives scores, and their loss. Weights are one vector: (W, b) of each layer."""

    layers: tuple[PlannedDense, ...]
    loss: OutputLoss
    optimiser: OptimiserSettings = field(default_factory=OptimiserSettings)
    seed: int = 0

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(layer.weights for layer in self.layers)

    @property
    def has_dropout(self) -> bool:
        """Whether any layer drops values in training."""
        return any(layer.dropout > 0 for layer in self.layers)

    def for_kernel(self) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
        """Layers and settings as the kernels take them."""
        layers = [
            (layer.inputs, layer.units, ACTIVATIONS.index(layer.activation), layer.alpha, layer.dropout)
            for layer in self.layers
        ]
        optimiser = self.optimiser
        return layers, {
            "loss": LOSSES.index(self.loss.name), "loss_parameter": self.loss.parameter,
            "smoothing": self.loss.smoothing, "optimiser": OPTIMISERS.index(optimiser.name), "first": optimiser.first,
            "second": optimiser.second, "epsilon": optimiser.epsilon, "l1": optimiser.l1, "l2": optimiser.l2,
            "decay": optimiser.decay, "clip": optimiser.clip, "shared": optimiser.shared, "seed": self.seed,
        }  # fmt: skip

    def split(self, weights: Array) -> tuple[list[Array], list[Array]]:
        """The matrices (inputs, units) and the intercepts of all layers, as views of the vector of weights."""
        matrices, intercepts, begin = [], [], 0
        for layer in self.layers:
            both = weights[begin : begin + layer.weights].reshape(layer.inputs + 1, layer.units)
            matrices.append(both[:-1])
            intercepts.append(both[-1])
            begin += layer.weights
        return matrices, intercepts

    def scores(self, X: Matrix, weights: Array, depth: int | None = None) -> Array:
        """The scores of the rows of `X`, or the values of the layer number `depth`, counted from 1."""
        return self._forward(X, weights, depth or len(self.layers), True)

    def predictions(self, X: Matrix, weights: Array) -> Array:
        """Probabilities or means, by the loss."""
        return self._forward(X, weights, len(self.layers), False)

    def _forward(self, X: Matrix, weights: Array, depth: int, scores: bool) -> Array:
        out = np.empty((X.shape[0], self.layers[depth - 1].units), weights.dtype)
        kernels.dense_forward(for_kernels(X), *self.for_kernel(), weights, depth, scores, out)
        return out

    def gradient(
        self, X: Matrix, y: Array, weight: Array | None, rows: Array, weights: Array, step: int = 0
    ) -> tuple[float, Array]:
        """The mean loss of the rows and its gradient by all weights, without penalty; `step` keys the dropout."""
        found = np.empty_like(weights)
        weight = NO_WEIGHT if weight is None else weight
        loss = kernels.dense_gradient(X, y, weight, rows, step, *self.for_kernel(), weights, found)
        return loss, found

    @property
    def work(self) -> int:
        """About how many products a row takes."""
        return self.size

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.layers)

    def layer_number(self, depth: int) -> int:
        """The number of a layer."""
        return depth

    def step_name(self, depth: int) -> str:
        """The number and the kind of a layer."""
        return f"layer {depth} (Dense)"

    def activation(self, depth: int) -> str:
        """The activation function of a layer."""
        return self.layers[depth - 1].activation

    def kernel_settings(self) -> dict[str, Any]:
        """Loss and optimiser as the kernels take them."""
        return self.for_kernel()[1]

    def arrays(self, weights: Array) -> list[dict[str, Array]]:
        """The weights of each layer by name."""
        return [{"weights": one, "intercepts": other} for one, other in zip(*self.split(weights), strict=True)]

    def train(
        self, X: Matrix, y: Array, weight: Array, rows: Array, batch_size: int, step: int, rates: Array, weights: Array,
        slots: Array, objective: Array, squared_norm: Array,
    ) -> int:  # fmt: skip
        """Steps on batches of the rows, weights and slots in place. Returns how many were done."""
        return int(
            kernels.dense_train(
                X, y, weight, rows, batch_size, step, rates, *self.for_kernel(), weights, slots, objective, squared_norm
            )
        )

    def penalised(self, weights: Array) -> Array:
        """The weights with zeros for the intercepts, which have no penalty."""
        found = weights.copy()
        for intercept in self.split(found)[1]:
            intercept[:] = 0
        return found


def dense_layers(
    widths: Sequence[int], activations: Sequence[str], dropouts: Sequence[float] = ()
) -> tuple[PlannedDense, ...]:
    """The layers between neighbouring `widths`; the hidden ones have an activation and a dropout each.

    >>> [layer.weights for layer in dense_layers([4, 3, 2], ["relu"])]
    [15, 8]
    """
    hidden = len(widths) - 2
    kinds, rates = [*activations, "identity"], [*(dropouts or [0.0] * hidden), 0.0]
    return tuple(
        PlannedDense(inputs, units, kind, ALPHAS.get(kind, 0.0), rate)
        for (inputs, units), kind, rate in zip(pairwise(widths), kinds, rates, strict=True)
    )


def for_kernels(X: Matrix) -> Matrix:
    """`X` with contiguous rows, or CSR."""
    return X.tocsr() if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
