"""Layers in the operations of torch, with the same weights as in every other executor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import ParameterError
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
    Flatten,
    GaussianNoise,
    GlobalPool,
    LayerNorm,
    MaxPool,
)
from ...parts.layers.windows import Window
from .draws import LayerDraws


def activated(torch: Any, name: str, z: Any) -> Any:
    """g(z)."""
    functional = torch.nn.functional
    plain = {"identity": lambda x: x, "logistic": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}
    others = {
        "leaky_relu": lambda x: functional.leaky_relu(x, 0.01), "elu": functional.elu, "selu": functional.selu,
        "gelu": functional.gelu, "silu": functional.silu, "mish": functional.mish, "softplus": functional.softplus,
    }  # fmt: skip
    return (plain | others)[name](z)


def apply_torch_layer(
    torch: Any, layer: Any, x: Any, own: dict[str, Any], training: bool, draws: LayerDraws, mask: Any
) -> tuple[Any, dict[str, Any]]:
    """The values after a layer, and its new running statistics; `mask` says which steps of the rows are there."""
    match layer:
        case Dense():
            return x @ own["weights"] + own["intercepts"], {}
        case Activation(activation=name):
            return activated(torch, name, x), {}
        case Flatten():
            return x.reshape(len(x), -1), {}
        case Dropout(rate=rate):
            return (x * _like(torch, draws.kept(rate, x[0].numel()), x) if training else x), {}
        case GaussianNoise(scale=scale):
            return (x + _like(torch, draws.normal(x[0].numel()) * scale, x) if training else x), {}
        case BatchNorm():
            return _batch_norm(torch, layer, x, own, training)
        case LayerNorm(epsilon=epsilon):
            flat = x.reshape(len(x), -1)
            made = torch.nn.functional.layer_norm(flat, flat.shape[1:], own["scale"], own["shift"], epsilon)
            return made.reshape(x.shape), {}
        case Conv():
            return _conv(torch, layer, x, own), {}
        case GlobalPool(kind=kind) if mask is not None:
            return _pool_steps(torch, x, mask, kind == "max"), {}
        case MaxPool() | AveragePool() | GlobalPool():
            return _pool(torch, layer, x), {}
        case Embedding():
            missing = torch.isnan(x)
            codes = torch.where(missing, torch.zeros_like(x), x).long()
            return own["weights"][codes] * (~missing)[..., None], {}
        case RNN() | GRU() | LSTM():
            return _recurrent(torch, layer, x, own, mask), {}
        case Attention(units=units):
            return _attention(torch, x @ own["weights"] + own["intercepts"], units, mask), {}
        case _:
            raise ParameterError(f'{type(layer).__name__} has no form for executor="torch"; set executor="auto"')


def _like(torch: Any, values: Array, x: Any) -> Any:
    return torch.as_tensor(values, dtype=x.dtype, device=x.device).reshape(x.shape)


def _batch_norm(
    torch: Any, layer: BatchNorm, x: Any, own: dict[str, Any], training: bool
) -> tuple[Any, dict[str, Any]]:
    mean, variance, after = own["mean"], own["variance"], {}
    if training:
        axes = tuple(range(x.ndim - 1))
        keep, old_mean, old_variance = layer.momentum, mean, variance
        mean, variance = x.mean(axes), x.var(axes, unbiased=False)
        after = {
            "mean": keep * old_mean + (1 - keep) * mean.detach(),
            "variance": keep * old_variance + (1 - keep) * variance.detach(),
        }
    return own["scale"] * ((x - mean) / torch.sqrt(variance + layer.epsilon)) + own["shift"], after


def _bordered(torch: Any, x: Any, window: Window, value: float) -> Any:
    """Images with channels first, and their borders."""
    image = x.reshape(len(x), window.rows, window.columns, window.channels).permute(0, 3, 1, 2)
    below = (window.out_rows - 1) * window.down + window.height - window.rows - window.above
    right = (window.out_columns - 1) * window.across + window.width - window.columns - window.left
    sides = (window.left, max(right, 0), window.above, max(below, 0))
    return torch.nn.functional.pad(image, sides, value=value)


def _conv(torch: Any, layer: Conv, x: Any, own: dict[str, Any]) -> Any:
    window = layer.window_over(tuple(x.shape[1:]))
    kernel = own["weights"].reshape(window.height, window.width, window.channels, -1).permute(3, 2, 0, 1)
    image = _bordered(torch, x, window, 0.0)
    made = torch.nn.functional.conv2d(image, kernel, own["intercepts"], (window.down, window.across))
    return made.permute(0, 2, 3, 1).reshape(len(x), *layer.output_shape(tuple(x.shape[1:])))


def _pool(torch: Any, layer: Any, x: Any) -> Any:
    window = layer.window_over(tuple(x.shape[1:]))
    largest = isinstance(layer, MaxPool) or (isinstance(layer, GlobalPool) and layer.kind == "max")
    image = _bordered(torch, x, window, -np.inf if largest else 0.0)
    pool = torch.nn.functional.max_pool2d if largest else torch.nn.functional.avg_pool2d
    made = pool(image, (window.height, window.width), (window.down, window.across))
    return made.permute(0, 2, 3, 1).reshape(len(x), *layer.output_shape(tuple(x.shape[1:])))


def _pool_steps(torch: Any, x: Any, mask: Any, largest: bool) -> Any:
    count = mask.sum(1, keepdim=True).to(x.dtype)
    if largest:
        lowest = x.masked_fill(~mask[..., None], -torch.inf).amax(1)
        return torch.where(count > 0, lowest, torch.zeros_like(lowest))
    return (x * mask[..., None]).sum(1) / count.clamp(min=1)


def _attention(torch: Any, parts: Any, units: int, mask: Any) -> Any:
    q, k, v = (parts[..., j * units : (j + 1) * units] for j in range(3))
    scores = q @ k.transpose(1, 2) * units**-0.5
    if mask is None:
        return torch.softmax(scores, -1) @ v
    return torch.softmax(scores.masked_fill(~mask[:, None, :], -1e30), -1) @ v * mask[..., None]


def _recurrent(torch: Any, layer: Any, x: Any, own: dict[str, Any], mask: Any) -> Any:
    units = layer.units
    hidden = cell = torch.zeros((len(x), units), dtype=x.dtype, device=x.device)
    states, V, inward = [], own["weights_hidden"], x @ own["weights"] + own["intercepts"]
    for t in range(x.shape[1]):
        z, before, kept = inward[:, t], hidden, cell
        if isinstance(layer, RNN):
            hidden = torch.tanh(z + hidden @ V)
        elif isinstance(layer, GRU):
            update, reset = torch.sigmoid(z[:, : 2 * units] + hidden @ V[:, : 2 * units]).split(units, 1)
            new = torch.tanh(z[:, 2 * units :] + (reset * hidden) @ V[:, 2 * units :])
            hidden = update * hidden + (1 - update) * new
        else:
            into, forget, out, new = (z + hidden @ V).split(units, 1)
            cell = torch.sigmoid(forget) * cell + torch.sigmoid(into) * torch.tanh(new)
            hidden = torch.sigmoid(out) * torch.tanh(cell)
        if mask is not None:
            hidden = torch.where(mask[:, t, None], hidden, before)
            cell = torch.where(mask[:, t, None], cell, kept)
        states.append(hidden)
    return torch.stack(states, 1) if layer.sequences else hidden
