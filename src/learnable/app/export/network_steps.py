"""A fitted network as a sequence of simple steps in double precision, as other programs can run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...engines.networks.dense_plan import ALPHAS, DensePlan
from ...engines.networks.layer_plan import Add, LayerPlan, PlannedStep
from ...parts.layers import (
    Activation,
    AveragePool,
    BatchNorm,
    Conv,
    Dense,
    Dropout,
    Flatten,
    GaussianNoise,
    GlobalPool,
    MaxPool,
)
from ...parts.layers.windows import Window

LINKS = {"softmax": "softmax", "logistic": "logistic", "poisson": "exp"}


@dataclass(frozen=True, slots=True)
class NetworkStep:
    """A step on the values of a row.

    `dense`: x W + b; `window`: the same for windows of values (`index`, a row for each window); `affine`: x factor +
    shift, value by value; `largest` and `mean`: of windows; `add`: the values before step `source`; else the name of an
    activation function. An index of -1 stands for a value beyond the border.
    """

    kind: str
    inputs: int
    outputs: int
    weights: Array | None = None
    intercept: Array | None = None
    index: Array | None = None
    source: int = 0
    alpha: float = 0.0


@dataclass(frozen=True, slots=True)
class NetworkSteps:
    """All steps of a network, the link of its outputs, and whether its own precision is single."""

    steps: list[NetworkStep]
    link: str
    single: bool

    @property
    def outputs(self) -> int:
        """The number of outputs; the logistic function of one score gives two probabilities."""
        last = self.steps[-1].outputs
        return 2 if self.link == "logistic" and last == 1 else last


def network_steps(model: Any) -> NetworkSteps:
    """The steps of a fitted network; an error names a layer that has none."""
    plan, weights = model._fitted_plan()
    if isinstance(plan, LayerPlan) and plan.masked_steps:
        raise DataError("a network of sequences can only be converted to JSON")
    steps = _of_dense(plan, weights) if isinstance(plan, DensePlan) else _of_layers(plan, weights)
    return NetworkSteps(steps, LINKS.get(plan.loss.name, "none"), weights.dtype == np.float32)


def _of_dense(plan: DensePlan, weights: Array) -> list[NetworkStep]:
    steps = []
    for layer, W, b in zip(plan.layers, *plan.split(weights.astype(np.float64)), strict=True):
        steps.append(NetworkStep("dense", layer.inputs, layer.units, W, b))
        if layer.activation != "identity":
            steps.append(NetworkStep(layer.activation, layer.units, layer.units, alpha=layer.alpha))
    return steps


def _of_layers(plan: LayerPlan, weights: Array) -> list[NetworkStep]:
    pairs = zip(plan.steps, plan.arrays(weights.astype(np.float64)), strict=True)
    return [_step(number, planned, own) for number, (planned, own) in enumerate(pairs)]


def _step(number: int, planned: PlannedStep, own: dict[str, Array]) -> NetworkStep:
    sizes = int(np.prod(planned.shape)), int(np.prod(planned.out_shape))
    match planned.layer:
        case Dense():
            return NetworkStep("dense", *sizes, own["weights"], own["intercepts"])
        case Activation(activation=name):
            return NetworkStep(name, *sizes, alpha=ALPHAS.get(name, 0.0))
        case Dropout() | GaussianNoise() | Flatten():
            return NetworkStep("identity", *sizes)
        case Add(source=source):
            return NetworkStep("add", *sizes, source=source)
        case BatchNorm(epsilon=epsilon):
            factor = own["scale"] / np.sqrt(own["variance"] + epsilon)
            times = sizes[0] // len(factor)
            shift = own["shift"] - own["mean"] * factor
            return NetworkStep("affine", *sizes, np.tile(factor, times), np.tile(shift, times))
        case Conv() as layer:
            index = window_index(layer.window_over(planned.shape)).reshape(sizes[1] // layer.filters, -1)
            return NetworkStep("window", *sizes, own["weights"].reshape(-1, layer.filters), own["intercepts"], index)
        case MaxPool() | AveragePool() | GlobalPool() as layer:
            largest = isinstance(layer, MaxPool) or (isinstance(layer, GlobalPool) and layer.kind == "max")
            index = window_index(layer.window_over(planned.shape)).transpose(0, 2, 1)
            return NetworkStep("largest" if largest else "mean", *sizes, index=index.reshape(sizes[1], -1))
        case layer:
            raise DataError(
                f"a network with the layer {type(layer).__name__} (number {number + 1} of its simple layers) can only "
                "be converted to JSON"
            )


def window_index(window: Window) -> Array:
    """The flat index of each value of each window, (windows, pixels, channels); -1 beyond the border."""
    rows = np.arange(window.out_rows)[:, None] * window.down + np.arange(window.height) - window.above
    columns = np.arange(window.out_columns)[:, None] * window.across + np.arange(window.width) - window.left
    row, column = rows[:, None, :, None], columns[None, :, None, :]
    inside = (row >= 0) & (row < window.rows) & (column >= 0) & (column < window.columns)
    pixel = np.where(inside, row * window.columns + column, -1).reshape(window.positions, -1)
    index = pixel[..., None] * window.channels + np.arange(window.channels)
    return np.where(pixel[..., None] < 0, -1, index)
