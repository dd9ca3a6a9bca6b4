"""Networks on the tape: slower than the kernels and made of one operation after the other, for any layer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...parts.layers import Embedding
from .. import matrix_products
from ..tape.tensor import Tensor
from .code_layers import GaussianCode, SparseCode
from .draws import LayerDraws
from .layer_kernels import kernel_layer
from .layer_plan import Add, LayerPlan
from .tape_layers import apply_layer

CHUNK = 256  # rows that are predicted at once
QUIETLY = np.errstate(all="ignore")  # training ends where the loss is not finite


@dataclass(frozen=True)
class TapePlan(LayerPlan):
    """A plan whose layers run on the tape, with the same weights, order of rows and draws as on the kernels."""

    @property
    def work(self) -> int:
        """About how many products of the kernels take as long."""
        return 30 * super().work + 20_000 * self.depth

    def run(
        self, x: Any, own: list[dict[str, Any]], depth: int, training: bool, step: int
    ) -> tuple[list[Tensor], dict[int, dict[str, Array]]]:
        """The values of rows before the first and after each of `depth` simple layers, and the new statistics."""
        x, mask = self._steps_of(x)
        values, after = [x if isinstance(x, Tensor) else Tensor(x, tracked=False)], {}
        for number, planned in enumerate(self.steps[:depth]):
            here = values[-1].reshape(len(values[-1]), *planned.shape)
            if isinstance(planned.layer, Add):
                made = here + values[planned.layer.source].reshape(here.shape)
            else:
                draws = LayerDraws(self.seed, step, number, len(here))
                in_training = training and not (planned.frozen and planned.layer.statistic_shapes(planned.shape))
                there = mask if planned.masked else None
                made, statistics = apply_layer(planned.layer, here, own[number], in_training, draws, there)
                if statistics:
                    after[number] = statistics
            values.append(made)
        return [*values[:-1], values[-1].reshape(len(values[-1]), -1)], after

    def _steps_of(self, x: Any) -> tuple[Any, Array | None]:
        """The rows without numbers that are missing, codes apart, and which of their steps are there."""
        if not self.masked_steps or isinstance(x, Tensor):
            return x, None
        steps = x.reshape(len(x), self.masked_steps, -1)
        there = ~np.isnan(steps[..., 0])
        codes = isinstance(self.steps[0].layer, Embedding)
        return (x if codes else np.where(there[..., None], steps, 0.0).reshape(x.shape).astype(x.dtype)), there

    def row_losses(self, scores: Tensor, y: Array) -> Tensor:
        """The loss of each row, summed over its outputs."""
        name, parameter, smoothing = self.loss.name, self.loss.parameter, self.loss.smoothing
        if name == "softmax":
            positions = max(1, int(parameter))
            classes = scores.shape[1] // positions
            known = ~np.isnan(y.reshape(-1))
            codes = np.where(known, y.reshape(-1), 0).astype(np.int64)
            targets = (np.eye(classes)[codes] * (1 - smoothing) + smoothing / classes) * known[:, None]
            losses = -(scores.reshape(-1, classes).log_softmax() * targets).sum(1)
            return losses.reshape(len(y), positions).mean(1)
        residual = scores - y
        if name == "logistic":
            targets = y * (1 - smoothing) + smoothing / 2
            return (scores.softplus() - scores * targets).sum(1)
        if name == "poisson":
            perfect = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0)), 0.0)
            return (scores.exp() - scores * y + (perfect - y)).sum(1)
        size = abs(residual)
        found = {
            "squared": lambda: residual * residual * 0.5,
            "absolute": lambda: size,
            "huber": lambda: (residual * residual * 0.5).where(
                size.value <= parameter, size * parameter - parameter**2 / 2
            ),
            "quantile": lambda: (residual * (1 - parameter)).where(residual.value > 0, residual * -parameter),
            "log_cosh": lambda: size + (size * -2.0).softplus() - math.log(2),
            "hinge": lambda: (1.0 - scores * y).relu(),
            "squared_hinge": lambda: (1.0 - scores * y).relu() ** 2,
        }[name]()
        return found.sum(1)

    def batch(self, X: Matrix, rows: Array, step: int, dtype: Any) -> Array:
        """What enters the network for rows of a batch."""
        return as_rows(X[rows], dtype)

    def objective(self, values: list[Tensor], y: Array, share: Array) -> Tensor:
        """The weighted sum of the losses of rows, with the penalties of their codes."""
        output: Tensor = (self.row_losses(values[-1], y) * share).sum()
        for planned, before in zip(self.steps, values, strict=False):
            if isinstance(planned.layer, (SparseCode, GaussianCode)):
                output = output + planned.layer.penalty(before.reshape(len(before), -1), share)
        return output

    def constants(self, weights: Array) -> list[dict[str, Any]]:
        """The weights of each simple layer as tensors that have no gradient."""
        return [{name: Tensor(array, tracked=False) for name, array in own.items()} for own in self.arrays(weights)]

    @QUIETLY
    def _forward(self, X: Matrix, weights: Array, depth: int, scores: bool) -> Array:
        own = self.constants(weights)
        parts = [
            self.run(as_rows(X[begin : begin + CHUNK], weights.dtype), own, depth, False, 0)[0][-1]
            for begin in range(0, X.shape[0], CHUNK)
        ]
        found = np.concatenate([part.value for part in parts])
        if scores or depth < self.depth:
            return found
        last = Tensor(found, tracked=False)
        if self.loss.name == "softmax":
            by_position = last.reshape(len(found), max(1, int(self.loss.parameter)), -1).softmax()
            return np.asarray(by_position.value.reshape(found.shape))
        links = {"logistic": last.logistic, "poisson": last.exp}
        predictions: Array = links[self.loss.name]().value if self.loss.name in links else found
        return predictions

    @QUIETLY
    def gradient(
        self, X: Matrix, y: Array, weight: Array | None, rows: Array, weights: Array, step: int = 0,
        training: bool = False,
    ) -> tuple[float, Array]:  # fmt: skip
        found, loss = np.zeros_like(weights), 0.0
        total = float(len(rows) if weight is None or not len(weight) else weight[rows].sum())
        for begin in range(0, len(rows), len(rows) if training else CHUNK):
            here = rows[begin : begin + (len(rows) if training else CHUNK)]
            loss += self._differentiate(X, y, weight, here, weights, total, step, training, found)[0]
        return loss, found

    def _differentiate(
        self, X: Matrix, y: Array, weight: Array | None, rows: Array, weights: Array, total: float, step: int,
        training: bool, found: Array,
    ) -> tuple[float, dict[int, dict[str, Array]]]:  # fmt: skip
        """The loss of the rows over `total`; its gradient is added to `found`. The new statistics beside it."""
        inputs = [
            {
                name: Tensor(array, tracked=not planned.frozen and name in planned.weight_shapes)
                for name, array in own.items()
            }
            for planned, own in zip(self.steps, self.arrays(weights), strict=True)
        ]
        share = np.full(len(rows), 1 / total) if weight is None or not len(weight) else weight[rows] / total
        values, after = self.run(self.batch(X, rows, step, weights.dtype), inputs, self.depth, training, step)
        output = self.objective(values, y[rows].astype(weights.dtype), share.astype(weights.dtype))
        gradients = output.backward()
        for own, target in zip(inputs, self.arrays(found), strict=True):
            for name, tensor in own.items():
                if tensor.tracked:
                    target[name] += gradients[tensor].value
        return float(output.value), after

    @QUIETLY
    def train(
        self, X: Matrix, y: Array, weight: Array, rows: Array, batch_size: int, step: int, rates: Array, weights: Array,
        slots: Array, objective: Array, squared_norm: Array,
    ) -> int:  # fmt: skip
        settings, size = self.kernel_settings(), self.size
        penalised = self.penalised(np.ones_like(weights))[:size] > 0
        frozen = self._frozen()
        for done, begin in enumerate(range(0, len(rows), batch_size)):
            here, found = rows[begin : begin + batch_size], np.zeros_like(weights)
            total = float(len(here) if not len(weight) else weight[here].sum())
            loss, after = self._differentiate(X, y, weight, here, weights, total, step + done, True, found)
            objective[done] = loss
            if not math.isfinite(loss):
                return done
            for number, statistics in after.items():
                for name, value in statistics.items():
                    self.arrays(weights)[number][name][...] = value
            gradient, share = found[:size], total if self.optimiser.shared else 1.0
            w = np.where(penalised, weights[:size], 0)
            l1, l2 = self.optimiser.l1 / share, self.optimiser.l2 / share
            gradient += l2 * w + l1 * np.sign(w)
            objective[done] += l2 / 2 * float(w @ w) + l1 * float(np.abs(w).sum())
            squared_norm[done] = float(gradient.astype(np.float64) @ gradient.astype(np.float64))
            norm = math.sqrt(squared_norm[done])
            if 0 < self.optimiser.clip < norm:
                gradient *= self.optimiser.clip / norm
            before, kept = weights[:size].copy(), slots.copy()
            kernels.optimiser_step(settings, step + done, float(rates[done]), gradient, weights[:size], slots)
            free = ~penalised
            if self.optimiser.decay and free.any():  # weight decay is of the penalised weights alone
                plain = settings | {"decay": 0.0}
                again, again_slots = before.copy(), kept.copy()
                kernels.optimiser_step(plain, step + done, float(rates[done]), gradient, again, again_slots)
                weights[:size][free] = again[free]
            weights[:size][frozen] = before[frozen]
            slots[:, frozen] = kept[:, frozen]
        return math.ceil(len(rows) / batch_size)

    def _frozen(self) -> Array:
        """Which weights are not trained."""
        marks = np.zeros(self.length, dtype=bool)
        for planned, own in zip(self.steps, self.arrays(marks), strict=True):
            for array in own.values():
                array[...] = planned.frozen
        return marks[: self.size]


def as_rows(X: Matrix, dtype: Any) -> Array:
    """Rows of a matrix as an array."""
    rows = X.toarray() if matrix_products.is_sparse(X) else X
    return np.asarray(rows, dtype=dtype)


def has_kernels(plan: LayerPlan) -> bool:
    """Whether every layer of the plan has a compiled kernel."""
    return all(kernel_layer(step) is not None for step in plan.steps)
