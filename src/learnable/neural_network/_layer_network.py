"""Networks of declared layers: parameters, plan, schedules, and what a fitted network shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, declaring, learned, param
from ..core.runtime.random import seed_of
from ..engines import matrix_products
from ..engines.iterate import State
from ..engines.networks.dense_plan import OptimiserSettings, for_kernels
from ..engines.networks.layer_plan import LayerPlan, planned_steps
from ..engines.networks.tape_plan import TapePlan, has_kernels
from ..engines.networks.training import NetworkTrainingSet
from ..parts.initialisers import Initialiser
from ..parts.layers import Dense, Embedding, Layer
from ..parts.schedules import CosineDecay, Exponential, OneCycle, Schedule, StepDecay, WarmUp
from ._layer_table import layer_table
from ._network_trainer import NetworkTrainer

ScheduleName = Literal["constant", "step", "exponential", "cosine", "one_cycle", "plateau"]
OptimiserName = Literal["sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "adadelta"]


def _all_layers(layers: Any) -> bool:
    return all(isinstance(layer, Layer) for layer in layers)


@declaring
class LayerNetwork(NetworkTrainer):
    """Base class of networks that are lists of declared layers; the output layer is added to them."""

    layers: Sequence[Any] = param(
        (Dense(32, "relu"),), "layers before the output layer", kw_only=False, accepts=_all_layers,
        says="a list of layers such as Dense(32, \"relu\")",
    )  # fmt: skip
    input_shape: Sequence[int] | None = param(
        None, "shape of a row, such as (28, 28, 1) for images or (steps, channels) (None: its columns)", kw_only=False,
        at_least=1,
    )  # fmt: skip
    optimiser: OptimiserName = param("adam", "optimisation method")
    schedule: ScheduleName = param("constant", "learning-rate schedule")
    decay_factor: float = param(0.5, "factor of the schedules step, exponential and plateau", above=0, below=1)
    decay_every: int = param(10, "epochs between the factors of the schedule step", at_least=1)
    warm_up: int = param(0, "epochs in which the learning rate rises to its value", at_least=0)
    momentum: float = param(0.9, "momentum, or decay rate of the first moments of adam", at_least=0, below=1)
    beta_2: float = param(0.999, "decay rate of squared gradients", at_least=0, below=1)
    epsilon: float = param(1e-8, "added to the root of squared gradients", above=0)
    alpha: float = param(
        0.0, "strength of the L2 penalty of the mean loss", at_least=0, tune=(1e-5, 1e-4, 1e-3, 1e-2), simpler="larger"
    )
    l1: float = param(0.0, "strength of the L1 penalty of the mean loss", at_least=0)
    weight_decay: float = param(0.0, "decoupled weight decay of adamw, relative to the learning rate", at_least=0)
    batch_size: int | Literal["auto"] = param(
        "auto", "rows per step ('auto': 64, or all if there are fewer)", at_least=1, tune=(16, 32, 64, 128)
    )
    max_iter: int = param(100, "maximum number of epochs", at_least=1)
    initialiser: Initialiser = param("glorot_uniform", "distribution of the initial weights")
    freeze: Sequence[int] = param((), "numbers of layers, from 0, that keep their weights and statistics")
    precision: Literal["float32", "float64"] = param("float32", "precision of weights and values")
    executor: Literal["auto", "kernels", "tape"] = param(
        "auto", "what runs the layers: compiled kernels, or the tape for layers that have none"
    )

    weights_: Array = learned("weights of all layers, then running statistics, as one vector", shape="entries")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    usual_batch = 64

    @property
    def _cuts_rates(self) -> bool:
        return self.schedule == "plateau"

    @property
    def _limit_is_planned(self) -> bool:
        return self.schedule in ("cosine", "one_cycle")

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
        steps = tuple(planned_steps(owner, [*self.layers, Dense(outputs)], self._row_shape(columns), freeze))
        optimiser = OptimiserSettings(
            self.optimiser, float(self.momentum), float(self.beta_2), float(self.epsilon), float(self.l1),
            float(self.alpha), float(self.weight_decay), float(self.clip or 0.0), shared=False,
        )  # fmt: skip
        plan = LayerPlan(steps, self._output_loss, optimiser, seed)
        known = has_kernels(plan)
        if self.executor == "kernels" and not known:
            raise ParameterError(f'{owner}: not all layers have kernels; set executor="auto"')
        return plan if known and self.executor != "tape" else TapePlan(steps, self._output_loss, optimiser, seed)

    def _fit_network(
        self, data: Data, y: Array, outputs: int, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        draws = self._stream()
        seed = seed_of(self.random_state) % 2**63
        plan = self._plan(data.p, outputs, seed)
        self._check_codes(data.X)
        fresh = "weights_" not in self.__dict__ or not (once or self.warm_start)
        weights = plan.initial(self.initialiser, seed, np.dtype(self.precision)) if fresh else self._known_weights(plan)
        if fresh:
            self._forget_training()
        self.n_outputs_ = outputs
        training = NetworkTrainingSet(for_kernels(data.X), np.ascontiguousarray(y, dtype=np.float64), data.weight)
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        self.weights_ = self._train(plan, training, rows, weights, draws, trace, validation, once)

    def _known_weights(self, plan: LayerPlan) -> Array:
        if len(self.weights_) != plan.length:
            raise DataError(
                f"{type(self).__name__}: the previous fit has {len(self.weights_)} weights, and these layers need "
                f"{plan.length}; set warm_start=False"
            )
        return np.asarray(self.weights_, dtype=self.precision)

    def _check_codes(self, X: Matrix) -> None:
        """Refuse entries that are not codes of an embedding."""
        first = self.layers[0] if len(self.layers) else None
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

    def _rate(self, state: State, seen: int, begun: bool) -> float:
        rate, epoch = float(self.learning_rate_init), state["epoch"] + 1
        if self.schedule == "plateau":
            return float(rate * self.decay_factor ** state["cuts"])
        if self.schedule == "step":
            return StepDecay(rate, self.decay_factor, self.decay_every).rate(epoch)
        return Exponential(rate, self.decay_factor).rate(epoch) if self.schedule == "exponential" else rate

    def _rates_of_steps(self, rows: int) -> Callable[[int], float] | None:
        per_epoch = math.ceil(rows / self._rows_of_batch(rows))
        total = per_epoch * self.max_iter
        chain: list[Schedule] = [WarmUp(1.0, self.warm_up * per_epoch)] if self.warm_up else []
        if self.schedule in ("cosine", "one_cycle"):
            chain.append(CosineDecay(1.0, total) if self.schedule == "cosine" else OneCycle(1.0, total))
        if not chain:
            return None
        return lambda step: float(np.prod([one.rate(step + 1) for one in chain]))

    def _outputs(self, X: Matrix) -> Array:
        self._check_codes(X)
        found = self._plan(self.n_features_in_, self.n_outputs_).predictions(X, self.weights_)
        return found.astype(X.dtype if X.dtype.kind == "f" else np.float64, copy=False)

    def activations(self, X: Any, layer: int = -1) -> Array:
        """The values after a layer, in its shape, for the rows of `X`: 0 is the first of `layers`, -1 the last."""
        rows, count = self._read(X), len(self.layers)
        if isinstance(layer, bool) or not isinstance(layer, (int, np.integer)) or not -count <= layer < count:
            raise ParameterError(
                f"{type(self).__name__}: layer must be a number from {-count} to {count - 1}, one of the {count} "
                f"layers; got {layer!r:.40}"
            )
        self._check_codes(rows)
        plan, shape = self._plan(self.n_features_in_, self.n_outputs_), self._row_shape(self.n_features_in_)
        depth = max((k + 1 for k, step in enumerate(plan.steps) if step.number <= layer % count), default=0)
        for one in self.layers[: layer % count + 1]:
            shape = one.output_shape(shape)
        if depth == 0:
            return np.asarray(rows, dtype=self.precision).reshape(len(rows), *shape)
        return plan.scores(rows, self.weights_, depth).reshape(rows.shape[0], *shape)

    def layer_weights(self, layer: int) -> list[dict[str, Array]]:
        """The arrays of weights and statistics of a layer by name, a dict for each simple layer that it is made of."""
        plan = self._plan(self.n_features_in_, self.n_outputs_)
        pairs = zip(plan.steps, plan.arrays(self.weights_), strict=True)
        return [own for step, own in pairs if step.number == layer % (len(self.layers) + 1) and own]

    def summary(self) -> str:
        """The layers as a table: shapes, parameters, operations of a row, and receptive fields."""
        if "n_outputs_" not in self.__dict__:
            raise ParameterError(f"{type(self).__name__}: summary needs a fitted network, whose inputs are known")
        shape = self._row_shape(self.n_features_in_)
        return layer_table(type(self).__name__, [*self.layers, Dense(self.n_outputs_)], shape)

    def _unsound(self) -> str:
        fits = len(self.weights_) == self._plan(self.n_features_in_, self.n_outputs_).length
        right = self.weights_.dtype in (np.float32, np.float64)
        return "" if fits and right else "the weights do not fit the layers"
