"""Networks on torch: for graphics processors, and as another executor that must agree with the kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...core.errors import ParameterError
from ...core.validate.features import Array, Matrix
from ...parts.layers import Embedding
from .draws import LayerDraws
from .layer_plan import Add
from .tape_plan import CHUNK, TapePlan, as_rows
from .torch_layers import apply_torch_layer


@cache
def imported_torch() -> Any:
    """The module, which is optional."""
    try:
        import torch
    except ImportError:
        raise ParameterError('executor="torch" needs torch; install learnable[torch], or set executor="auto"') from None
    return torch


@dataclass(frozen=True)
class TorchPlan(TapePlan):
    """A plan whose layers run on torch; weights, the order of rows, draws and optimisers are those of all executors."""

    @property
    def device(self) -> Any:
        """The graphics processor if there is one."""
        torch = imported_torch()
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def _layers(self, x: Array, own: list[dict[str, Any]], depth: int, training: bool, step: int) -> tuple[Any, Any]:
        """The values after `depth` simple layers, a row for each row of `x`, and the new statistics by layer."""
        torch = imported_torch()
        made = torch.as_tensor(np.ascontiguousarray(x), device=self.device)
        mask = None
        if self.masked_steps:
            mask = ~torch.isnan(made.reshape(len(made), self.masked_steps, -1)[..., 0])
            if not isinstance(self.steps[0].layer, Embedding):
                made = torch.nan_to_num(made)
        values, after = [made], {}
        for number, planned in enumerate(self.steps[:depth]):
            here = values[-1].reshape(len(made), *planned.shape)
            if isinstance(planned.layer, Add):
                values.append(here + values[planned.layer.source].reshape(here.shape))
                continue
            draws = LayerDraws(self.seed, step, number, len(made))
            in_training = training and not (planned.frozen and planned.layer.statistic_shapes(planned.shape))
            there = mask if planned.masked else None
            found, after[number] = apply_torch_layer(torch, planned.layer, here, own[number], in_training, draws, there)
            values.append(found)
        return values[-1].reshape(len(made), -1), after

    def _tensors(self, weights: Array, tracked: bool) -> list[dict[str, Any]]:
        torch = imported_torch()
        return [
            {
                name: torch.tensor(array, device=self.device).requires_grad_(
                    tracked and not planned.frozen and name in planned.weight_shapes
                )
                for name, array in own.items()
            }
            for planned, own in zip(self.steps, self.arrays(weights), strict=True)
        ]

    def _forward(self, X: Matrix, weights: Array, depth: int, scores: bool) -> Array:
        torch, own = imported_torch(), self._tensors(weights, False)
        with torch.no_grad():
            parts = [
                self._layers(as_rows(X[begin : begin + CHUNK], weights.dtype), own, depth, False, 0)[0]
                for begin in range(0, X.shape[0], CHUNK)
            ]
            found = torch.cat(parts)
            if not scores and depth == self.depth:
                found = self._linked(found)
        return np.asarray(found.cpu().numpy())

    def _linked(self, scores: Any) -> Any:
        torch, name = imported_torch(), self.loss.name
        if name == "softmax":
            by_position = scores.reshape(len(scores), max(1, int(self.loss.parameter)), -1)
            return torch.softmax(by_position, -1).reshape(scores.shape)
        links = {"logistic": torch.sigmoid, "poisson": torch.exp}
        return links[name](scores) if name in links else scores

    def _losses(self, scores: Any, y: Any) -> Any:
        """The loss of each row, summed over its outputs."""
        torch, name = imported_torch(), self.loss.name
        parameter, smoothing = self.loss.parameter, self.loss.smoothing
        functional = torch.nn.functional
        if name == "softmax":
            positions = max(1, int(parameter))
            codes = torch.where(torch.isnan(y), -100.0, y).reshape(-1).long()
            flat = scores.reshape(len(codes), -1)
            losses = functional.cross_entropy(flat, codes, reduction="none", label_smoothing=smoothing)
            return losses.reshape(len(y), positions).mean(1)
        residual = scores - y
        if name == "logistic":
            return (functional.softplus(scores) - scores * (y * (1 - smoothing) + smoothing / 2)).sum(1)
        if name == "poisson":
            return (torch.exp(scores) - scores * y + torch.xlogy(y, y) - y).sum(1)
        found = {
            "squared": lambda: residual**2 / 2,
            "absolute": residual.abs,
            "huber": lambda: functional.huber_loss(scores, y, reduction="none", delta=parameter or 1.0),
            "quantile": lambda: torch.where(residual > 0, residual * (1 - parameter), -residual * parameter),
            "log_cosh": lambda: residual.abs() + functional.softplus(-2 * residual.abs()) - math.log(2),
            "hinge": lambda: torch.relu(1 - scores * y),
            "squared_hinge": lambda: torch.relu(1 - scores * y) ** 2,
        }[name]()
        return found.sum(1)

    def _differentiate(
        self, X: Matrix, y: Array, weight: Array | None, rows: Array, weights: Array, total: float, step: int,
        training: bool, found: Array,
    ) -> tuple[float, dict[int, dict[str, Array]]]:  # fmt: skip
        torch, own = imported_torch(), self._tensors(weights, True)
        share = np.full(len(rows), 1 / total) if weight is None or not len(weight) else weight[rows] / total
        scores, after = self._layers(self.batch(X, rows, step, weights.dtype), own, self.depth, training, step)
        targets, shares = (torch.as_tensor(one.astype(weights.dtype), device=self.device) for one in (y[rows], share))
        output = (self._losses(scores, targets) * shares).sum()
        if output.requires_grad:
            output.backward()
        for tensors, target in zip(own, self.arrays(found), strict=True):
            for name, tensor in tensors.items():
                if tensor.grad is not None:
                    target[name] += tensor.grad.cpu().numpy()
        statistics = {
            number: {name: np.asarray(value.cpu().numpy()) for name, value in values.items()}
            for number, values in after.items()
            if values
        }
        return float(output.detach()), statistics
