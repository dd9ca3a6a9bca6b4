"""Networks of declared layers: parameters, plan, schedules, and what a fitted network shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, declaring, param
from ..core.sklearn_api.estimator_type import is_fitted
from ..engines import matrix_products
from ..engines.networks.layer_plan import LayerPlan, planned_steps
from ..parts.layers import Dense, Embedding, Layer
from ._layer_table import layer_table
from ._scheduled_network import ScheduledNetwork


def _all_layers(layers: Any) -> bool:
    return all(isinstance(layer, Layer) for layer in layers)


@declaring
class LayerNetwork(ScheduledNetwork):
    """Base class of networks that are lists of declared layers; the output layer is added to them."""

    layers: Sequence[Any] = param(
        (Dense(32, "relu"),), "layers before the output layer", kw_only=False, accepts=_all_layers,
        says="a list of layers such as Dense(32, \"relu\")",
    )  # fmt: skip
    input_shape: Sequence[int] | None = param(
        None, "shape of a row, such as (28, 28, 1) for images or (steps, channels) (None: its columns)", kw_only=False,
        at_least=1,
    )  # fmt: skip
    freeze: Sequence[int] = param((), "numbers of layers, from 0, that keep their weights and statistics")

    start: Any = param(
        None, "fitted network, frozen, from which the first layers take their initial weights if they are equal",
        accepts=lambda value: hasattr(value, "layer_weights"), says="FrozenEstimator(network)",
    )  # fmt: skip

    def _first_weights(self, plan: LayerPlan) -> Array:
        """Initial weights; those of the first layers from `start`, as far as it has the same layers."""
        weights = super()._first_weights(plan)
        if self.start is None:
            return weights
        if not is_fitted(self.start):
            raise ParameterError(f"{type(self).__name__}: start is not fitted; pass FrozenEstimator(network)")
        known = self.start._plan(self.start.n_features_in_, self.start.n_outputs_)
        pairs = list(zip(plan.steps[:-1], known.steps[:-1], strict=False))
        equal = next((k for k, (a, b) in enumerate(pairs) if (a.layer, a.shape) != (b.layer, b.shape)), len(pairs))
        given = known.arrays(self.start.weights_)
        if not any(given[:equal]):
            raise ParameterError(
                f"{type(self).__name__}: the first layer differs from that of start, whose layers are "
                f"{list(self.start.layers)!r:.200}"
            )
        for own, source in zip(plan.arrays(weights)[:equal], given[:equal], strict=True):
            for name in own:
                own[name][...] = source[name]
        return weights

    @property
    def _layer_list(self) -> list[Any]:
        """All layers before the output layer."""
        return list(self.layers)

    @property
    def _masked(self) -> bool:
        """Whether steps of rows may be missing."""
        return False

    def _row_shape(self, columns: int) -> tuple[int, ...]:
        shape = (columns,) if self.input_shape is None else tuple(int(size) for size in self.input_shape)
        if math.prod(shape) != columns:
            raise DataError(
                f"{type(self).__name__}: input_shape={shape} needs {math.prod(shape)} columns; X has {columns}"
            )
        return shape

    def _plan(self, columns: int, outputs: int, seed: int = 0) -> LayerPlan:
        """The plan of the layers and the output layer."""
        owner, count = type(self).__name__, len(self.layers)
        freeze = [number + count if number < 0 else number for number in self.freeze]
        if any(not 0 <= number < count for number in freeze):
            raise ParameterError(f"{owner}: freeze must hold indices of the {count} layers; got {self.freeze!r:.60}")
        layers = [*self._layer_list, Dense(outputs)]
        freeze = [number + len(layers) - 1 - count for number in freeze]
        steps = planned_steps(owner, layers, self._row_shape(columns), freeze, self._masked)
        return self._planned(tuple(steps), seed)

    def _fit_network(
        self, data: Data, y: Array, outputs: int, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        plan = self._plan(data.p, outputs, self._seed)
        self._check_codes(data.X)
        self.n_outputs_ = outputs
        self._train_plan(plan, data, y, trace, validation, once)

    def _check_codes(self, X: Matrix) -> None:
        """Refuse entries that are not codes of an embedding."""
        first = next(iter(self._layer_list), None)
        if not isinstance(first, Embedding):
            return
        rows = X.toarray() if matrix_products.is_sparse(X) else X
        wrong = ~((rows >= 0) & (rows < first.codes) & (rows == np.floor(rows)))
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise DataError(
                f"{type(self).__name__}: Embedding(codes={first.codes}) takes whole numbers from 0 to "
                f"{first.codes - 1}; row {i} of column {j} holds {rows[i, j]:g}"
            )

    def _fitted_plan(self) -> tuple[LayerPlan, Array]:
        return self._plan(self.n_features_in_, self.n_outputs_, self._seed), self.weights_

    def _outputs(self, X: Matrix) -> Array:
        self._check_codes(X)
        plan = self._plan(X.shape[1], self.n_outputs_)
        if plan.length != len(self.weights_):
            raise DataError(
                f"{type(self).__name__}: these layers take rows of {self.n_features_in_} columns alone; X has "
                f"{X.shape[1]}"
            )
        return self._values(plan, X)

    def activations(self, X: Any, layer: int = -1) -> Array:
        """The values after a layer, in its shape, for the rows of `X`: 0 is the first of `layers`, -1 the last."""
        rows, layers = self._read(X), self._layer_list
        count = len(layers)
        if isinstance(layer, bool) or not isinstance(layer, (int, np.integer)) or not -count <= layer < count:
            raise ParameterError(
                f"{type(self).__name__}: layer must be a number from {-count} to {count - 1}, one of the {count} "
                f"layers; got {layer!r:.40}"
            )
        self._check_codes(rows)
        plan, shape = self._plan(rows.shape[1], self.n_outputs_), self._row_shape(rows.shape[1])
        depth = max((k + 1 for k, step in enumerate(plan.steps) if step.number <= layer % count), default=0)
        for one in layers[: layer % count + 1]:
            shape = one.output_shape(shape)
        if depth == 0:
            return np.asarray(rows, dtype=self.precision).reshape(len(rows), *shape)
        return plan.scores(rows, self.weights_, depth).reshape(rows.shape[0], *shape)

    def layer_weights(self, layer: int) -> list[dict[str, Array]]:
        """The arrays of weights and statistics of a layer by name, a dict for each simple layer that it is made of."""
        plan = self._plan(self.n_features_in_, self.n_outputs_)
        pairs = zip(plan.steps, plan.arrays(self.weights_), strict=True)
        return [own for step, own in pairs if step.number == layer % (len(self._layer_list) + 1) and own]

    def __str__(self) -> str:
        """The table of `summary` if it is fitted, else the parameters."""
        return self.summary() if "n_outputs_" in self.__dict__ else repr(self)

    def summary(self) -> str:
        """The layers as a table: shapes, parameters, operations of a row, and receptive fields."""
        if "n_outputs_" not in self.__dict__:
            raise ParameterError(f"{type(self).__name__}: summary needs a fitted network, whose inputs are known")
        shape = self._row_shape(self.n_features_in_)
        return layer_table(type(self).__name__, [*self._layer_list, Dense(self.n_outputs_)], shape)

    def _unsound(self) -> str:
        fits = len(self.weights_) == self._plan(self.n_features_in_, self.n_outputs_).length
        right = self.weights_.dtype in (np.float32, np.float64)
        return "" if fits and right else "the weights do not fit the layers"
