"""Layers in the operations of the tape: what every executor of a network must agree with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.validate.features import Array
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
    GaussianNoise,
    GlobalPool,
    LayerNorm,
    MaxPool,
)
from ...parts.layers.windows import Window
from ..tape.creation import concatenate
from ..tape.tensor import Tensor
from .code_layers import Decoders, GaussianCode, SparseCode
from .draws import LayerDraws

SELU = 1.0507009873554805, 1.6732632423543772  # scale and alpha
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": lambda z: z,
    "logistic": lambda z: z.logistic(),
    "tanh": lambda z: z.tanh(),
    "relu": lambda z: z.relu(),
    "leaky_relu": lambda z: z.where(z.value > 0, z * 0.01),
    "elu": lambda z: z.where(z.value > 0, z.minimum(0.0).exp() - 1.0),
    "selu": lambda z: z.where(z.value > 0, (z.minimum(0.0).exp() - 1.0) * SELU[1]) * SELU[0],
    "gelu": lambda z: z * ((z * np.sqrt(0.5)).erf() + 1.0) * 0.5,
    "silu": lambda z: z * z.logistic(),
    "mish": lambda z: z * z.softplus().tanh(),
    "softplus": lambda z: z.softplus(),
}


def apply_layer(
    layer: Any, x: Tensor, own: dict[str, Any], training: bool, draws: LayerDraws, mask: Array | None = None
) -> tuple[Tensor, dict[str, Array]]:
    """The values after a layer, and its new running statistics; `mask` says which steps of the rows are there."""
    match layer:
        case Dense():
            return x @ own["weights"] + own["intercepts"], {}
        case Activation(activation=name):
            return ACTIVATIONS[name](x), {}
        case Dropout(rate=rate):
            kept = draws.kept(rate, x.size // len(x)) if training else None
            return (x if kept is None else x * kept.reshape(x.shape).astype(x.dtype)), {}
        case GaussianNoise(scale=scale):
            noise = draws.normal(x.size // len(x)) * scale if training else None
            return (x if noise is None else x + noise.reshape(x.shape).astype(x.dtype)), {}
        case SparseCode():
            return x, {}
        case GaussianCode():
            return layer.draw(x, training, draws), {}
        case Decoders():
            return layer.decode(x, own, ACTIVATIONS[layer.activation]), {}
        case BatchNorm():
            return _batch_norm(layer, x, own, training)
        case LayerNorm(epsilon=epsilon):
            return _layer_norm(x, own, epsilon), {}
        case Conv():
            patches = take_patches(x, layer.window_over(x.shape[1:]))
            kernel = own["weights"].reshape(-1, layer.filters)
            flat = patches.reshape(patches.shape[0], patches.shape[1], -1) @ kernel + own["intercepts"]
            return flat.reshape(len(x), *layer.output_shape(x.shape[1:])), {}
        case GlobalPool(kind=kind) if mask is not None:
            return _pool_steps(x, mask, kind == "max"), {}
        case MaxPool() | AveragePool() | GlobalPool():
            largest = isinstance(layer, MaxPool) or (isinstance(layer, GlobalPool) and layer.kind == "max")
            patches = take_patches(x, layer.window_over(x.shape[1:]), -np.inf if largest else 0.0)
            pooled = patches.max(2) if largest else patches.mean(2)
            return pooled.reshape(len(x), *layer.output_shape(x.shape[1:])), {}
        case Embedding():
            missing = np.isnan(x.value)
            found = own["weights"][np.where(missing, 0, x.value).astype(np.int64)]
            return (found * ~missing[..., None] if missing.any() else found), {}
        case RNN() | GRU() | LSTM():
            return _recurrent(layer, x, own, mask), {}
        case Attention(units=units):
            return _attention(x @ own["weights"] + own["intercepts"], units, mask), {}
        case _:
            raise NotImplementedError(type(layer).__name__)


def take_patches(x: Tensor, window: Window, outside: float = 0.0) -> Tensor:
    """The windows of images: (rows, positions, pixels of a window, channels)."""
    image = x.reshape(len(x), window.rows, window.columns, window.channels)
    below = (window.out_rows - 1) * window.down + window.height - window.rows - window.above
    right = (window.out_columns - 1) * window.across + window.width - window.columns - window.left
    image = image.pad([(0, 0), (window.above, max(below, 0)), (window.left, max(right, 0)), (0, 0)])
    if outside != 0.0:
        inside = np.zeros(image.shape[1:3], dtype=bool)
        inside[window.above : window.above + window.rows, window.left : window.left + window.columns] = True
        image = image.where(inside[None, :, :, None], outside)
    rows = np.arange(window.out_rows)[:, None] * window.down + np.arange(window.height)
    columns = np.arange(window.out_columns)[:, None] * window.across + np.arange(window.width)
    at = (rows[:, None, :, None] * image.shape[2] + columns[None, :, None, :]).reshape(window.positions, -1)
    pixels: Tensor = image.reshape(len(x), -1, window.channels)
    return pixels[:, at]


def _batch_norm(layer: BatchNorm, x: Tensor, own: dict[str, Any], training: bool) -> tuple[Tensor, dict[str, Array]]:
    mean, variance = own["mean"], own["variance"]
    after: dict[str, Array] = {}
    if training:
        axes = tuple(range(x.ndim - 1))
        batch_mean = x.mean(axes)
        batch_variance = ((x - batch_mean) ** 2).mean(axes)
        keep = layer.momentum
        after = {
            "mean": keep * mean.value + (1 - keep) * batch_mean.value,
            "variance": keep * variance.value + (1 - keep) * batch_variance.value,
        }
        mean, variance = batch_mean, batch_variance
    return own["scale"] * ((x - mean) / (variance + layer.epsilon).sqrt()) + own["shift"], after


def _layer_norm(x: Tensor, own: dict[str, Any], epsilon: float) -> Tensor:
    flat = x.reshape(len(x), -1)
    centred = flat - flat.mean(1, keepdims=True)
    normal = centred / ((centred**2).mean(1, keepdims=True) + epsilon).sqrt()
    shifted: Tensor = normal * own["scale"] + own["shift"]
    return shifted.reshape(x.shape)


def _pool_steps(x: Tensor, mask: Array, largest: bool) -> Tensor:
    """The mean or the largest value of each channel over the steps that are there; zero if there are none."""
    there, count = mask[..., None].astype(x.dtype), mask.sum(1, keepdims=True)
    if not largest:
        mean: Tensor = (x * there).sum(1) * (1 / np.maximum(count, 1)).astype(x.dtype)
        return mean
    lowest = float(x.value.min(initial=0.0)) - 1.0
    most: Tensor = x.where(mask[..., None], lowest).max(1) * (count > 0).astype(x.dtype)
    return most


def _attention(parts: Tensor, units: int, mask: Array | None) -> Tensor:
    """Queries, keys and values side by side; a step that is missing is not attended to, and attends to none."""
    q, k, v = (parts[..., j * units : (j + 1) * units] for j in range(3))
    scores = q @ k.swap_last() * units**-0.5
    if mask is None:
        plain: Tensor = scores.softmax() @ v
        return plain
    found: Tensor = scores.where(mask[:, None, :], -1e30).softmax() @ v * mask[..., None].astype(parts.dtype)
    return found


def _recurrent(layer: Any, x: Tensor, own: dict[str, Any], mask: Array | None = None) -> Tensor:
    units = layer.units
    hidden = Tensor(np.zeros((len(x), units), x.dtype), tracked=False)
    cell, states = hidden, []
    inward, V = x @ own["weights"] + own["intercepts"], own["weights_hidden"]
    for t in range(x.shape[1]):
        z, before, kept = inward[:, t], hidden, cell
        if isinstance(layer, RNN):
            hidden = (z + hidden @ V).tanh()
        elif isinstance(layer, GRU):
            gates = (z[:, : 2 * units] + hidden @ V[:, : 2 * units]).logistic()
            update, reset = gates[:, :units], gates[:, units:]
            new = (z[:, 2 * units :] + (reset * hidden) @ V[:, 2 * units :]).tanh()
            hidden = update * hidden + (1.0 - update) * new
        else:
            total = z + hidden @ V
            gates, new = total[:, : 3 * units].logistic(), total[:, 3 * units :].tanh()
            cell = gates[:, units : 2 * units] * cell + gates[:, :units] * new
            hidden = gates[:, 2 * units :] * cell.tanh()
        if mask is not None:
            hidden = hidden.where(mask[:, t, None], before)
            cell = cell.where(mask[:, t, None], kept)
        states.append(hidden)
    if not layer.sequences:
        return hidden
    return concatenate([state.reshape(len(x), 1, units) for state in states], 1)
