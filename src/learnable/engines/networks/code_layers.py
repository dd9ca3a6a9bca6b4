"""Layers of autoencoders, which run on the tape: penalties of a code, a random code, and several decoders."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...core.validate.features import Array
from ...parts.layers import Layer
from ...parts.layers.layer import Shape
from ..tape.creation import concatenate
from ..tape.tensor import Tensor
from .draws import LayerDraws

MIN_MEAN_ACTIVATION = 1e-6  # mean activation to which the divergence clips


@dataclass(frozen=True)
class SparseCode(Layer):
    """Penalises the values: by strength |h|_1, or by the divergence of their means over a batch from `target`."""

    kind: str
    strength: float
    target: float

    def output_shape(self, shape: Shape) -> Shape:
        return shape

    def penalty(self, values: Tensor, share: Array) -> Tensor:
        """What rows add to the objective; `share` are their weights over those of all rows."""
        if self.kind == "l1":
            absolute: Tensor = (abs(values).sum(1) * share).sum() * self.strength
            return absolute
        whole, rho = float(share.sum()), self.target
        mean = ((values * share[:, None]).sum(0) / whole).maximum(MIN_MEAN_ACTIVATION).minimum(1 - MIN_MEAN_ACTIVATION)
        cross = -mean.log() * rho - (1.0 - mean).log() * (1 - rho)
        divergence = cross + (rho * np.log(rho) + (1 - rho) * np.log(1 - rho))
        found: Tensor = divergence.sum() * (self.strength * whole)
        return found


@dataclass(frozen=True)
class GaussianCode(Layer):
    """A normal code: of `units` means and as many logarithms of variances, in training a draw, else the means.

    Its penalty is `strength` times the Kullback-Leibler divergence of the code of each row from the standard normal.
    """

    units: int
    strength: float

    def output_shape(self, shape: Shape) -> Shape:
        return (self.units,)

    def draw(self, values: Tensor, training: bool, draws: LayerDraws) -> Tensor:
        """The codes of rows."""
        mean, log_variance = values[:, : self.units], values[:, self.units :]
        if not training:
            return mean
        noise = draws.normal(self.units).astype(values.dtype)
        drawn: Tensor = mean + (log_variance * 0.5).exp() * noise
        return drawn

    def penalty(self, values: Tensor, share: Array) -> Tensor:
        """The divergences of the rows, weighted by `share`."""
        mean, log_variance = values[:, : self.units], values[:, self.units :]
        divergences = (mean * mean + log_variance.exp() - log_variance - 1.0).sum(1) * 0.5
        found: Tensor = (divergences * share).sum() * self.strength
        return found


@dataclass(frozen=True)
class Decoders(Layer):
    """Dense decoders side by side, one for each domain: their outputs follow after one another."""

    domains: int
    widths: tuple[int, ...]  # of the hidden layers and of the output
    activation: str

    def output_shape(self, shape: Shape) -> Shape:
        return (self.domains * self.widths[-1],)

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        found: dict[str, Shape] = {}
        for domain in range(self.domains):
            for depth, (inputs, units) in enumerate(pairwise((shape[0], *self.widths))):
                found[f"weights_{domain}_{depth}"] = (inputs, units)
                found[f"intercepts_{domain}_{depth}"] = (units,)
        return found

    def decode(self, code: Tensor, own: dict[str, Any], activate: Any) -> Tensor:
        """The outputs of all decoders."""
        outputs = []
        for domain in range(self.domains):
            z = code
            for depth in range(len(self.widths)):
                z = z if depth == 0 else activate(z)
                z = z @ own[f"weights_{domain}_{depth}"] + own[f"intercepts_{domain}_{depth}"]
            outputs.append(z)
        return concatenate(outputs, 1)
