"""A network of layers as plain data: the sequence of simple layers, their shapes, and where their weights lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from ...core.errors import ParameterError
from ...core.runtime.native import kernels
from ...core.runtime.random import generator
from ...core.validate.features import Array, Matrix
from ...parts.initialisers import Initialiser, initial_weights
from ...parts.layers import LSTM, Activation, AveragePool, Conv, Embedding, Layer, MaxPool, Residual
from ...parts.layers.layer import Shape
from .dense_plan import LOSSES, NO_WEIGHT, OPTIMISERS, OptimiserSettings, OutputLoss, for_kernels
from .layer_kernels import kernel_layer


@dataclass(frozen=True)
class Add(Layer):
    """The end of a residual block: adds the values that entered it, which are those before step number `source`."""

    source: int

    def output_shape(self, shape: Shape) -> Shape:
        return shape


@dataclass(frozen=True)
class PlannedStep:
    """A simple layer between two shapes; `number` is that of the layer of the list that it belongs to.

    `masked` is whether its input has the steps of the rows, of which some may be missing.
    """

    layer: Layer
    shape: Shape
    out_shape: Shape
    number: int
    frozen: bool
    masked: bool = False

    @property
    def weight_shapes(self) -> dict[str, Shape]:
        """The arrays of its weights."""
        return self.layer.weight_shapes(self.shape)

    @property
    def weights(self) -> int:
        """The number of its weights."""
        return sum(map(prod, self.weight_shapes.values()))

    @property
    def statistics(self) -> int:
        """The number of its running statistics."""
        return sum(map(prod, self.layer.statistic_shapes(self.shape).values()))


@dataclass(frozen=True)
class LayerPlan:
    """Simple layers, the last of which gives scores, and their loss.

    All weights are one vector, layer by layer, and the running statistics follow after them. Where the first layer is
    masked, a step of a row is missing if its first number is NaN.
    """

    steps: tuple[PlannedStep, ...]
    loss: OutputLoss
    optimiser: OptimiserSettings = field(default_factory=OptimiserSettings)
    seed: int = 0

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(step.weights for step in self.steps)

    @property
    def length(self) -> int:
        """Number of weights and statistics."""
        return self.size + sum(step.statistics for step in self.steps)

    @property
    def work(self) -> int:
        """About how many products a row takes."""
        return sum(max(step.layer.operations(step.shape) // 2, prod(step.out_shape)) for step in self.steps)

    @property
    def depth(self) -> int:
        """Number of simple layers."""
        return len(self.steps)

    def layer_number(self, depth: int) -> int:
        """The number of the layer of the list, from 1, that simple layer number `depth` belongs to."""
        return self.steps[depth - 1].number + 1

    def arrays(self, weights: Array) -> list[dict[str, Array]]:
        """The weights of each simple layer by name, as views; its statistics among them."""
        found: list[dict[str, Array]] = []
        begin, kept = 0, self.size
        for step in self.steps:
            own: dict[str, Array] = {}
            for name, shape in step.weight_shapes.items():
                own[name] = weights[begin : begin + prod(shape)].reshape(shape)
                begin += prod(shape)
            for name, shape in step.layer.statistic_shapes(step.shape).items():
                own[name] = weights[kept : kept + prod(shape)].reshape(shape)
                kept += prod(shape)
            found.append(own)
        return found

    def initial(self, kind: Initialiser, seed: int, dtype: Any) -> Array:
        """Initial weights and statistics; the draws of a layer depend on the seed and its number alone."""
        weights = np.zeros(self.length, dtype)
        for number, (step, own) in enumerate(zip(self.steps, self.arrays(weights), strict=True)):
            draws = generator(seed, number)
            for name, array in own.items():
                if name.startswith("weights"):
                    array[...] = initial_weights(kind, array.shape, draws)
                elif name in ("scale", "variance"):
                    array[...] = 1
                elif isinstance(step.layer, LSTM):  # a cell keeps its content at first
                    array[step.layer.units : 2 * step.layer.units] = 1
        return weights

    def penalised(self, weights: Array) -> Array:
        """The weights with zeros for all that have no penalty."""
        found = np.zeros_like(weights)
        for step, source, target in zip(self.steps, self.arrays(weights), self.arrays(found), strict=True):
            for name in source:
                if name.startswith("weights") and not step.frozen:
                    target[name][...] = source[name]
        return found

    def for_kernel(self) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
        """Layers and settings as the kernels take them."""
        settings = self.kernel_settings() | {"masked_steps": self.masked_steps}
        return [(*_known(kernel_layer(step)), step.frozen) for step in self.steps], settings

    @property
    def masked_steps(self) -> int:
        """The number of steps of a row, of which some may be missing; 0 if none may."""
        return self.steps[0].shape[0] if self.steps[0].masked else 0

    def kernel_settings(self) -> dict[str, Any]:
        """Loss and optimiser as the kernels take them."""
        optimiser = self.optimiser
        return {
            "loss": LOSSES.index(self.loss.name), "loss_parameter": self.loss.parameter,
            "smoothing": self.loss.smoothing, "optimiser": OPTIMISERS.index(optimiser.name), "first": optimiser.first,
            "second": optimiser.second, "epsilon": optimiser.epsilon, "l1": optimiser.l1, "l2": optimiser.l2,
            "decay": optimiser.decay, "clip": optimiser.clip, "shared": optimiser.shared, "seed": self.seed,
        }  # fmt: skip

    def step_name(self, depth: int) -> str:
        """The number of the layer of the list, from 1, and the kind of simple layer number `depth`."""
        return f"layer {self.layer_number(depth)} ({type(self.steps[depth - 1].layer).__name__})"

    def activation(self, depth: int) -> str:
        """The activation function that simple layer number `depth` is."""
        layer = self.steps[depth - 1].layer
        return layer.activation if isinstance(layer, Activation) else "identity"

    def scores(self, X: Matrix, weights: Array, depth: int | None = None) -> Array:
        """The scores of the rows of `X`, or the values after simple layer number `depth`, counted from 1."""
        return self._forward(X, weights, depth or self.depth, True)

    def predictions(self, X: Matrix, weights: Array) -> Array:
        """Probabilities or means, by the loss."""
        return self._forward(X, weights, self.depth, False)

    def _forward(self, X: Matrix, weights: Array, depth: int, scores: bool) -> Array:
        out = np.empty((X.shape[0], prod(self.steps[depth - 1].out_shape)), weights.dtype)
        size = self.size
        kernels.layers_forward(
            for_kernels(X), *self.for_kernel(), weights[:size], weights[size:].copy(), depth, scores, out
        )
        return out

    def gradient(
        self, X: Matrix, y: Array, weight: Array | None, rows: Array, weights: Array, step: int = 0,
        training: bool = False,
    ) -> tuple[float, Array]:  # fmt: skip
        """The mean loss of the rows and its gradient by all weights, without penalty; zeros for the statistics.

        In `training` values are dropped, by the key `step`, and batches are normalised by their own moments.
        """
        found, size = np.zeros_like(weights), self.size
        weight = NO_WEIGHT if weight is None else weight
        loss = kernels.layers_gradient(
            X, y, weight, rows, step, training, *self.for_kernel(), weights[:size], weights[size:].copy(), found[:size]
        )
        return loss, found

    def train(
        self, X: Matrix, y: Array, weight: Array, rows: Array, batch_size: int, step: int, rates: Array, weights: Array,
        slots: Array, objective: Array, squared_norm: Array,
    ) -> int:  # fmt: skip
        """Steps on batches of the rows; weights, statistics and slots in position. Returns how many were done."""
        size = self.size
        return int(
            kernels.layers_train(
                X, y, weight, rows, batch_size, step, rates, *self.for_kernel(), weights[:size], slots, weights[size:],
                objective, squared_norm,
            )
        )  # fmt: skip


def _known(found: tuple[Any, ...] | None) -> tuple[Any, ...]:
    assert found is not None, "a plan of layers without kernels runs on the tape"
    return found


def planned_steps(
    owner: str, layers: Sequence[Layer], shape: Shape, freeze: Sequence[int] = (), masked: bool = False
) -> list[PlannedStep]:
    """The simple layers of a list, from rows of a shape; an error names the layer that does not fit.

    In `masked` rows steps may be missing.
    """
    steps: list[PlannedStep] = []
    for number, layer in enumerate(layers):
        try:
            shape = _extend(steps, layer, shape, number, number in freeze)
        except ParameterError as error:
            raise ParameterError(f"{owner}: layer {number + 1} of {len(layers)}: {error}") from None
    return masked_steps(steps) if masked else steps


def masked_steps(steps: list[PlannedStep]) -> list[PlannedStep]:
    """The same, masked as far as the layers keep the steps of the rows, and the first one in any case."""
    found: list[PlannedStep] = []
    kept = True
    for step in steps:
        windows = isinstance(step.layer, (Conv, MaxPool, AveragePool))
        kept = kept and not windows and len(step.shape) == (1 if isinstance(step.layer, Embedding) else 2)
        found.append(replace(step, masked=kept or not found))
    return found


def _extend(steps: list[PlannedStep], layer: Layer, shape: Shape, number: int, frozen: bool) -> Shape:
    """Append the steps of a layer, and return the shape after it."""
    if isinstance(layer, Residual):
        layer.output_shape(shape)
        source, before = len(steps), shape
        for inner in layer.layers:
            shape = _extend(steps, inner, shape, number, frozen)
        steps.append(PlannedStep(Add(source), before, before, number, frozen))
        return before
    whole = layer.output_shape(shape)
    for step in layer.steps:
        out = step.output_shape(shape)
        steps.append(PlannedStep(step, shape, out, number, frozen))
        shape = out
    return whole


def tail_of(plan: LayerPlan, depth: int, weights: Array) -> tuple[LayerPlan, Array]:
    """The plan of the simple layers after number `depth`, and its weights and statistics."""
    steps = plan.steps[depth:]
    moved = [
        replace(step, layer=Add(step.layer.source - depth)) if isinstance(step.layer, Add) else step for step in steps
    ]
    begin = sum(step.weights for step in plan.steps[:depth])
    kept = plan.size + sum(step.statistics for step in plan.steps[:depth])
    return replace(plan, steps=tuple(moved)), np.concatenate([weights[begin : plan.size], weights[kept:]])
