"""Simple layers as the compiled kernels take them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...parts.layers import (
    GRU,
    LSTM,
    RNN,
    Activation,
    Attention,
    AveragePool,
    BatchNorm,
    Conv,
    Dense,
    Dropout,
    Embedding,
    GlobalPool,
    LayerNorm,
    MaxPool,
)
from .dense_plan import ACTIVATIONS, ALPHAS

if TYPE_CHECKING:
    from .layer_plan import PlannedStep

KINDS = (
    "dense", "activation", "dropout", "batch_norm", "layer_norm", "conv", "max_pool", "average_pool", "embedding",
    "add", "rnn", "gru", "lstm", "attention", "pool_steps",
)  # fmt: skip


def kernel_layer(step: PlannedStep) -> tuple[Any, ...] | None:
    """Kind, inputs, outputs, sizes and numbers of a simple layer; None without a kernel for it."""
    found = _settings(step)
    if found is None:
        return None
    kind, sizes, numbers = found
    return KINDS.index(kind), prod(step.shape), prod(step.out_shape), sizes, numbers


def _settings(step: PlannedStep) -> tuple[str, tuple[int, ...], tuple[float, ...]] | None:
    match step.layer:
        case Dense():
            return "dense", (), ()
        case Activation(activation=name):
            return "activation", (ACTIVATIONS.index(name),), (ALPHAS.get(name, 0.0),)
        case Dropout(rate=rate):
            return "dropout", (), (float(rate),)
        case BatchNorm(momentum=momentum, epsilon=epsilon):
            return "batch_norm", (step.shape[-1],), (float(momentum), float(epsilon))
        case LayerNorm(epsilon=epsilon):
            return "layer_norm", (), (0.0, float(epsilon))
        case Conv() as layer:
            return "conv", layer.window_over(step.shape).sizes, ()
        case GlobalPool(kind=kind) if step.masked:
            return "pool_steps", (*step.shape, 1, 1, int(kind == "max")), ()
        case MaxPool() | AveragePool() | GlobalPool() as layer:
            largest = isinstance(layer, MaxPool) or (isinstance(layer, GlobalPool) and layer.kind == "max")
            return "max_pool" if largest else "average_pool", layer.window_over(step.shape).sizes, ()
        case Embedding(codes=codes, units=units):
            return "embedding", (codes, units), ()
        case RNN() | GRU() | LSTM() as layer:
            return type(layer).__name__.lower(), (*step.shape, layer.units, int(step.masked), int(layer.sequences)), ()
        case Attention(units=units):
            return "attention", (*step.shape, units, int(step.masked), 1), ()
        case _ if hasattr(step.layer, "source"):
            return "add", (int(step.layer.source),), ()
        case _:
            return None
