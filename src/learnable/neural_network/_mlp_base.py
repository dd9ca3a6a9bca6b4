"""Parameters and training of multi-layer perceptrons."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, declaring, learned, param
from ..core.runtime.random import resumable_stream, seed_of
from ..engines.iterate import State
from ..engines.networks.dense_plan import DensePlan, OptimiserSettings, dense_layers, for_kernels
from ..engines.networks.full_batch import Objective, minimise_full_batch
from ..engines.networks.training import NetworkTrainingSet
from ..parts.layers.layer import ActivationName as ActivationName
from ._network_trainer import NetworkTrainer

CUT = 5.0  # by which an adaptive learning rate is divided


def is_stochastic(model: MLP) -> bool:
    """Whether the solver takes a batch at a time; others have no partial_fit."""
    return model.solver != "lbfgs"


@declaring
class MLP(NetworkTrainer):
    """Base class of multi-layer perceptrons: dense layers, trained by minibatches or by L-BFGS on all rows."""

    solver: Literal["lbfgs", "sgd", "adam"] = param("adam", "optimisation method")
    alpha: float = param(
        0.0001, "strength of the L2 penalty, divided by the rows of a batch", at_least=0,
        tune=(1e-5, 1e-4, 1e-3, 1e-2, 0.1), simpler="larger",
    )  # fmt: skip
    learning_rate: Literal["constant", "invscaling", "adaptive"] = param(
        "constant", "learning-rate schedule of solver 'sgd'"
    )
    power_t: float = param(0.5, "exponent of the invscaling schedule", at_least=0)
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    momentum: float = param(0.9, "momentum of solver 'sgd'", between=(0, 1))
    nesterovs_momentum: bool = param(True, "whether the momentum is Nesterov's")
    beta_1: float = param(0.9, "decay rate of the first moments of adam", at_least=0, below=1)
    beta_2: float = param(0.999, "decay rate of the second moments of adam", at_least=0, below=1)
    epsilon: float = param(1e-8, "added to the root of the second moments of adam", above=0)
    max_fun: int = param(15000, "maximum number of evaluations of lbfgs", at_least=1)
    dropout: float = param(
        0.0, "fraction of the hidden units that each step of training sets to zero", at_least=0, below=1
    )

    coefs_: list[Array] = learned("weights of each layer", each="inputs* units*", counts="layers")
    intercepts_: list[Array] = learned("intercepts of each layer", each="units*", counts="layers")
    n_layers_: int = learned("number of layers, with the inputs and the outputs")

    @property
    def _hidden(self) -> list[int]:
        sizes: Any = self.hidden_layer_sizes  # type: ignore[attr-defined]  # the final class declares it
        widths = [sizes] if isinstance(sizes, (int, np.integer)) else list(sizes)
        if not all(isinstance(width, (int, np.integer)) and width >= 1 for width in widths):
            raise ParameterError(
                f"{type(self).__name__}: hidden_layer_sizes must be whole numbers of at least 1; got {sizes!r:.60}"
            )
        return [int(width) for width in widths]

    @property
    def _activations(self) -> list[str]:
        """The activation function of each hidden layer."""
        named: Any = self.activation  # type: ignore[attr-defined]  # the final class declares it
        hidden = len(self._hidden)
        if isinstance(named, str):
            return [named] * hidden
        if len(named) != hidden:
            raise ParameterError(
                f"{type(self).__name__}: activation names {len(named)} functions for {hidden} hidden layers; name one "
                "for each, or a single one for all"
            )
        return list(named)

    @property
    def _cuts_rates(self) -> bool:
        return self.solver == "sgd" and self.learning_rate == "adaptive"

    def _plan(self, inputs: int, outputs: int, seed: int = 0) -> DensePlan:
        kind: str = self.solver
        if kind == "sgd":
            kind = ("nesterov" if self.nesterovs_momentum else "momentum") if self.momentum > 0 else "sgd"
        first = self.momentum if self.solver == "sgd" else self.beta_1
        hidden = self._hidden
        return DensePlan(
            dense_layers([inputs, *hidden, outputs], self._activations, [self.dropout] * len(hidden)),
            self._output_loss,
            OptimiserSettings(
                "adam" if kind == "lbfgs" else kind, float(first), float(self.beta_2), float(self.epsilon),
                float(self.l1), float(self.alpha), 0.0, float(self.clip or 0.0),
            ),
            seed,
        )  # fmt: skip

    def _fit_network(
        self, data: Data, y: Array, outputs: int, trace: Trace, validation: Data | None = None, once: bool = False
    ) -> None:
        """Train on the rows of `data`, with targets `y` as the loss takes them; for `once`, a single epoch."""
        draws = resumable_stream(self.random_state)
        plan = self._plan(data.p, outputs, seed_of(self.random_state) % 2**63 if self.dropout > 0 else 0)
        fresh = "coefs_" not in self.__dict__ or not (once or self.warm_start)
        weights = self._initial_weights(plan, draws, data.X.dtype) if fresh else self._flat_weights(plan)
        if fresh:
            self._forget_training()
        self.n_layers_, self.n_outputs_ = len(plan.layers) + 1, outputs
        training = NetworkTrainingSet(for_kernels(data.X), np.ascontiguousarray(y, dtype=np.float64), data.weight)
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        if self.solver == "lbfgs":
            found, self.loss_, self.n_iter_ = minimise_full_batch(
                type(self).__name__,
                Objective(plan, training, rows),
                weights,
                self.max_iter,
                self.max_fun,
                self.tol,
                trace,
            )
            self.t_ = 0
        else:
            found = self._train(plan, training, rows, weights, draws, trace, validation, once)
        self.coefs_, self.intercepts_ = plan.split(found)

    def _initial_weights(self, plan: DensePlan, draws: np.random.RandomState, dtype: Any) -> Array:
        """Uniform weights and intercepts within sqrt(6 / (inputs + units)); for the logistic function sqrt(2 / ...)."""
        kinds = self._activations
        names = [*kinds, kinds[-1] if kinds else self.activation]  # type: ignore[attr-defined]  # see _hidden
        parts = []
        for layer, name in zip(plan.layers, names, strict=True):
            bound = np.sqrt((2.0 if name == "logistic" else 6.0) / (layer.inputs + layer.units))
            parts += [draws.uniform(-bound, bound, (layer.inputs, layer.units)).ravel()]
            parts += [draws.uniform(-bound, bound, layer.units)]
        return np.concatenate(parts).astype(dtype)

    def _flat_weights(self, plan: DensePlan) -> Array:
        """The learned weights as one vector, without a copy where they are views of one."""
        shapes = [(layer.inputs, layer.units) for layer in plan.layers]
        if [matrix.shape for matrix in self.coefs_] != shapes:
            raise DataError(
                f"{type(self).__name__}: the weights of the previous fit have the shapes "
                f"{[matrix.shape for matrix in self.coefs_]}, and these parameters need {shapes}; set warm_start=False"
            )
        base = self.coefs_[0].base
        views = [*self.coefs_, *self.intercepts_]
        if isinstance(base, np.ndarray) and base.shape == (plan.size,) and all(view.base is base for view in views):
            return base
        pairs = zip(self.coefs_, self.intercepts_, strict=True)
        return np.concatenate([part.ravel() for pair in pairs for part in pair])

    def _fitted_plan(self) -> tuple[DensePlan, Array]:
        plan = self._plan(self.n_features_in_, self.n_outputs_)
        return plan, self._flat_weights(plan)

    def _fresh_weights(self, plan: DensePlan) -> Array:
        return self._initial_weights(plan, resumable_stream(self.random_state), self.coefs_[0].dtype)

    def _rate(self, state: State, seen: int, begun: bool) -> float:
        if self.solver == "sgd" and self.learning_rate == "invscaling" and (begun or state["epoch"] > 0):
            return float(self.learning_rate_init / (seen + 1) ** self.power_t)
        if self.solver == "sgd" and self.learning_rate == "adaptive":
            return float(self.learning_rate_init / CUT ** state["cuts"])
        return float(self.learning_rate_init)

    def _outputs(self, X: Matrix) -> Array:
        """Predictions of the network: probabilities or means, a column per output."""
        plan = self._plan(self.n_features_in_, self.n_outputs_)
        return plan.predictions(X, self._flat_weights(plan))

    def activations(self, X: Any, layer: int = -1) -> Array:
        """The values of a hidden layer for the rows of `X`: 0 is the first one, -1 the last."""
        rows, hidden = self._read(X), len(self._hidden)
        if isinstance(layer, bool) or not isinstance(layer, (int, np.integer)) or not -hidden <= layer < hidden:
            raise ParameterError(
                f"{type(self).__name__}: layer must be a number from {-hidden} to {hidden - 1}, one of the {hidden} "
                f"hidden layers; got {layer!r:.40}"
            )
        plan = self._plan(self.n_features_in_, self.n_outputs_)
        return plan.scores(rows, self._flat_weights(plan), 1 + int(layer) % hidden)

    def _unsound(self) -> str:
        inputs = [self.n_features_in_, *(matrix.shape[1] for matrix in self.coefs_)]
        fits = all(
            matrix.shape[0] == width and len(intercept) == matrix.shape[1]
            for matrix, intercept, width in zip(self.coefs_, self.intercepts_, inputs, strict=False)
        )
        same = len({part.dtype for part in (*self.coefs_, *self.intercepts_)}) == 1
        known = fits and same and len(self.coefs_) == len(self.intercepts_) == self.n_layers_ - 1
        return "" if known and inputs[-1] == self.n_outputs_ else "the weights of the layers do not fit each other"
