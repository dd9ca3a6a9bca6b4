"""Initial weights of networks: how large, given how many values a layer takes and makes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import Literal

import numpy as np

from ..core import Array

Initialiser = Literal[
    "glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "orthogonal", "normal",
    "small_normal", "zeros",
]  # fmt: skip


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """How many values each output is a sum of, and how many outputs each value enters.

    >>> fans((10, 5)), fans((3, 3, 16, 32))
    ((10, 5), (144, 288))
    """
    positions = prod(shape[:-2])
    return positions * shape[-2], positions * shape[-1]


def spread(kind: Initialiser, shape: Sequence[int]) -> float:
    """The bound of a uniform initialiser, or the standard deviation of a normal one.

    Glorot: sqrt(6 / (in + out)) keeps the variance of values and gradients for linear and tanh units [Glorot and
    Bengio, 2010]; He: sqrt(2 / in) for ReLU [He et al., 2015]; LeCun: sqrt(1 / in) for SELU.

    >>> round(spread("glorot_uniform", (10, 5)), 4), round(spread("glorot_uniform", (5, 1)), 4)
    (0.6325, 1.0)
    """
    inputs, outputs = fans(shape)
    return {
        "glorot_uniform": sqrt(6 / (inputs + outputs)), "glorot_normal": sqrt(2 / (inputs + outputs)),
        "he_uniform": sqrt(6 / inputs), "he_normal": sqrt(2 / inputs), "lecun_normal": sqrt(1 / inputs), "normal": 1.0,
        "small_normal": 0.01,
    }.get(kind, 1.0)  # fmt: skip


def initial_weights(kind: Initialiser, shape: Sequence[int], generator: np.random.Generator) -> Array:
    """An array of initial weights, drawn from the generator.

    >>> initial_weights("zeros", (2, 2), np.random.default_rng(0)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    if kind == "zeros":
        return np.zeros(shape)
    if kind.endswith("_uniform"):
        bound = spread(kind, shape)
        return generator.uniform(-bound, bound, shape)
    normal: Array = generator.standard_normal(shape) * spread(kind, shape)
    if kind != "orthogonal":
        return normal
    tall = normal.reshape(-1, shape[-1])
    q, r = np.linalg.qr(tall if tall.shape[0] >= tall.shape[1] else tall.T)
    q *= np.where(np.diag(r) < 0, -1.0, 1.0)
    return np.ascontiguousarray(q if tall.shape[0] >= tall.shape[1] else q.T).reshape(shape)
