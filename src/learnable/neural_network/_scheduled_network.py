"""Networks that are trained by any optimiser and schedule, on kernels or on the tape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, declaring, learned, param
from ..core.runtime.random import resumable_stream, seed_of
from ..engines.iterate import State
from ..engines.networks.dense_plan import OptimiserSettings, for_kernels
from ..engines.networks.layer_plan import LayerPlan, PlannedStep
from ..engines.networks.tape_plan import TapePlan, has_kernels
from ..engines.networks.torch_plan import TorchPlan, imported_torch
from ..engines.networks.training import NetworkTrainingSet
from ..parts.initialisers import Initialiser
from ..parts.schedules import CosineDecay, Exponential, OneCycle, Schedule, StepDecay, WarmUp
from ._network_trainer import NetworkTrainer

ScheduleName = Literal["constant", "step", "exponential", "cosine", "one_cycle", "plateau"]
OptimiserName = Literal["sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "adadelta"]


@declaring
class ScheduledNetwork(NetworkTrainer):
    """Base class of networks whose weights are one vector, with any optimiser and learning-rate schedule."""

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
    precision: Literal["float32", "float64"] = param("float32", "precision of weights and values")
    executor: Literal["auto", "kernels", "tape", "torch"] = param(
        "auto", "what runs the layers ('auto': compiled kernels, or the tape for layers that have none)"
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

    def _planned(self, steps: tuple[PlannedStep, ...], seed: int) -> LayerPlan:
        """The plan of simple layers: for kernels if there are some for all of them, else for the tape."""
        optimiser = OptimiserSettings(
            self.optimiser, float(self.momentum), float(self.beta_2), float(self.epsilon), float(self.l1),
            float(self.alpha), float(self.weight_decay), float(self.clip or 0.0), shared=False,
        )  # fmt: skip
        plan = LayerPlan(steps, self._output_loss, optimiser, seed)
        if self.executor == "torch":
            imported_torch()
            return TorchPlan(steps, self._output_loss, optimiser, seed)
        known = has_kernels(plan)
        if self.executor == "kernels" and not known:
            raise ParameterError(f'{type(self).__name__}: not all layers have kernels; set executor="auto"')
        return plan if known and self.executor != "tape" else TapePlan(steps, self._output_loss, optimiser, seed)

    def _train_plan(
        self, plan: LayerPlan, data: Data, y: Array, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        """Learn `weights_`, from new ones unless the fit goes on."""
        draws = resumable_stream(self.random_state)
        fresh = "weights_" not in self.__dict__ or not (once or self.warm_start)
        weights = self._first_weights(plan) if fresh else self._known_weights(plan)
        if fresh:
            self._forget_training()
        training = NetworkTrainingSet(for_kernels(data.X), np.ascontiguousarray(y, dtype=np.float64), data.weight)
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        self.weights_ = self._train(plan, training, rows, weights, draws, trace, validation, once)

    def _first_weights(self, plan: LayerPlan) -> Array:
        """The weights that a new training starts from."""
        return plan.initial(self.initialiser, plan.seed, np.dtype(self.precision))

    def _fresh_weights(self, plan: LayerPlan) -> Array:
        return self._first_weights(plan)

    @property
    def _seed(self) -> int:
        return seed_of(self.random_state) % 2**63

    def _known_weights(self, plan: LayerPlan) -> Array:
        if len(self.weights_) != plan.length:
            raise DataError(
                f"{type(self).__name__}: the previous fit has {len(self.weights_)} weights, and these layers need "
                f"{plan.length}; set warm_start=False"
            )
        return np.asarray(self.weights_, dtype=self.precision)

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

    def _values(self, plan: LayerPlan, X: Matrix, depth: int | None = None) -> Array:
        """Predictions, or the values after simple layer number `depth`, in the precision of `X`."""
        found = plan.predictions(X, self.weights_) if depth is None else plan.scores(X, self.weights_, depth)
        return found.astype(X.dtype if X.dtype.kind == "f" else np.float64, copy=False)
