"""What autoencoders have in common: an encoder, a code, a decoder, and training on the rows themselves."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Invertible, Matrix, ParameterError, Trace, Traits, declaring, param
from ..core.r2 import r_squared
from ..engines.networks.dense_plan import OutputLoss
from ..engines.networks.layer_plan import LayerPlan, planned_steps, tail_of
from ..parts.layers import Activation, Dense, Layer
from ._scheduled_network import ScheduledNetwork, ScheduleName


def all_layers(layers: Any) -> bool:
    """Whether a list holds layers alone."""
    return all(isinstance(layer, Layer) for layer in layers)


@declaring
class CodingNetwork(ScheduledNetwork):
    """Base class of networks that learn codes of rows."""

    code: int = param(2, "number of entries of a code", kw_only=False, at_least=1, tune=(2, 8, 32))
    encoder: Sequence[Any] = param(
        (Dense(64, "relu"),), "layers before the code", kw_only=False, accepts=all_layers, says="a list of layers"
    )
    input_shape: Sequence[int] | None = param(
        None, "shape of a row, such as (28, 28, 1) for images (None: its columns)", at_least=1
    )
    schedule: ScheduleName = param("cosine", "learning-rate schedule")
    learning_rate_init: float = param(0.003, "initial learning rate", above=0, tune=(1e-4, 1e-3, 1e-2))
    n_iter_no_change: int | float = param(
        20, "epochs without improvement before the fit ends", at_least=1, infinite=True
    )

    traits = Traits(sparse=False, storage="csc")

    def _row_shape(self, columns: int) -> tuple[int, ...]:
        shape = (columns,) if self.input_shape is None else tuple(int(size) for size in self.input_shape)
        if math.prod(shape) != columns:
            raise DataError(
                f"{type(self).__name__}: input_shape={shape} needs {math.prod(shape)} columns; X has {columns}"
            )
        return shape

    def _fitted_plan(self) -> tuple[LayerPlan, Array]:
        return self._plan(self.n_features_in_, self._seed), self.weights_

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(self.code)]

    def _unsound(self) -> str:
        fits = len(self.weights_) == self._plan(self.n_features_in_).length
        right = self.weights_.dtype in (np.float32, np.float64)
        return "" if fits and right else "the weights do not fit the layers"

    @abstractmethod
    def _plan(self, columns: int, seed: int = 0) -> LayerPlan:
        """The plan of all layers."""


@declaring
class AutoencoderBase(CodingNetwork, Invertible):
    """Base class of autoencoders: the decoder reconstructs the row from its code."""

    decoder: Sequence[Any] | None = param(
        None, "layers after the code (None: the dense layers of the encoder in reverse order)", accepts=all_layers,
        says="a list of layers",
    )  # fmt: skip
    output: Literal["identity", "logistic"] = param(
        "identity", "what the outputs are: numbers, by squared error, or probabilities, by cross-entropy"
    )

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss("logistic" if self.output == "logistic" else "squared")

    def _before(self) -> list[Layer]:
        """Layers of training before the encoder, such as noise."""
        return []

    def _code_layers(self) -> list[Layer]:
        """The layers that make the code."""
        return [Dense(self.code)]

    def _layers(self, columns: int) -> tuple[list[Layer], list[Layer]]:
        """The layers up to the code, and those after it."""
        reverse = [layer for layer in reversed(self.encoder) if isinstance(layer, (Dense, Activation))]
        decoder = reverse if self.decoder is None else list(self.decoder)
        return [*self._before(), *self.encoder, *self._code_layers()], [*decoder, Dense(columns)]

    def _plan(self, columns: int, seed: int = 0) -> LayerPlan:
        encoder, decoder = self._layers(columns)
        steps = planned_steps(type(self).__name__, [*encoder, *decoder], self._row_shape(columns))
        if steps[-1].out_shape != (columns,):
            raise ParameterError(f"{type(self).__name__}: the decoder must end with flat values")
        return self._planned(tuple(steps), seed)

    def _depth(self, plan: LayerPlan) -> int:
        """The number of simple layers up to the code."""
        encoder, _ = self._layers(self.n_features_in_)
        return sum(step.number < len(encoder) for step in plan.steps)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check_outputs(data)
        self.n_outputs_, self.out_activation_ = data.p, self.output
        self._train_plan(self._plan(data.p, self._seed), data, np.asarray(data.X, dtype=np.float64), trace)

    def _check_outputs(self, data: Data) -> None:
        """Refuse entries that are not probabilities where the outputs are."""
        if self.output != "logistic":
            return
        wrong = np.argwhere((data.X < 0) | (data.X > 1))
        if len(wrong):
            i, j = wrong[0]
            column = f"column {data.names[j]!r}" if data.names else f"column {j}"
            raise DataError(
                f'{type(self).__name__}: output="logistic" needs entries from 0 to 1; row {i} of {column} holds '
                f'{data.X[i, j]:g}. Scale the columns with MinMaxScaler, or set output="identity"'
            )

    def _targets(self, y: Any, rows: int) -> Array:
        return self._validator.target(y, rows, np.float64, True).reshape(rows, -1)

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        return float(r_squared(y, predictions.astype(np.float64), weight))

    def _transform(self, X: Matrix) -> Array:
        plan = self._plan(self.n_features_in_)
        return self._values(plan, X, self._depth(plan))

    def _inverse(self, X: Matrix) -> Array:
        plan = self._plan(self.n_features_in_)
        tail, weights = tail_of(plan, self._depth(plan), self.weights_)
        found = tail.predictions(np.asarray(X, dtype=weights.dtype), weights)
        return found.astype(X.dtype if X.dtype.kind == "f" else np.float64, copy=False)

    def reconstruct(self, X: Any) -> Array:
        """The rows of `X` as the decoder makes them of their codes."""
        return self._values(self._plan(self.n_features_in_), self._read(X))

    def reconstruction_error(self, X: Any) -> Array:
        """The mean squared difference of each row of `X` from its reconstruction."""
        rows = self._read(X)
        found: Array = ((rows - self._values(self._plan(self.n_features_in_), rows)) ** 2).mean(axis=1)
        return found
