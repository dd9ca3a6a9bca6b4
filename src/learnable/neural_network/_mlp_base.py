"""Parameters and training of multi-layer perceptrons."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Estimator, Matrix, ParameterError, Trace, declaring, learned, param
from ..core.errors import warn
from ..core.runtime import checkpoints
from ..core.runtime.random import RandomState, seed_of, stream
from ..engines.iterate import State, iterate
from ..engines.networks.certificate import certify_training, gradient_norm
from ..engines.networks.dense_plan import DensePlan, OptimiserSettings, OutputLoss, dense_layers, for_kernels
from ..engines.networks.full_batch import Objective, minimise_full_batch
from ..engines.networks.row_order import ShuffledRows
from ..engines.networks.training import Minibatches, NetworkTrainingSet, Patience, initial_state, result_of
from ..model_selection import train_test_split

ActivationName = Literal[
    "identity", "logistic", "tanh", "relu", "leaky_relu", "elu", "selu", "gelu", "silu", "mish", "softplus"
]
SMALLEST_RATE = 1e-6  # at which an adaptive learning rate is not cut any more
CUT = 5.0  # by which it is divided


def is_stochastic(model: MLP) -> bool:
    """Whether the solver takes a batch at a time; others have no partial_fit."""
    return model.solver != "lbfgs"


@declaring
class MLP(Estimator):
    """Base class of multi-layer perceptrons: dense layers, trained by minibatches or by L-BFGS on all rows."""

    solver: Literal["lbfgs", "sgd", "adam"] = param("adam", "optimisation method")
    alpha: float = param(
        0.0001, "strength of the L2 penalty, divided by the rows of a batch", at_least=0,
        tune=(1e-5, 1e-4, 1e-3, 1e-2, 0.1), simpler="larger",
    )  # fmt: skip
    batch_size: int | Literal["auto"] = param(
        "auto", "rows per step ('auto': 200, or all if there are fewer)", at_least=1
    )
    learning_rate: Literal["constant", "invscaling", "adaptive"] = param(
        "constant", "learning-rate schedule of solver 'sgd'"
    )
    learning_rate_init: float = param(0.001, "initial learning rate", above=0, tune=(1e-4, 1e-3, 1e-2))
    power_t: float = param(0.5, "exponent of the invscaling schedule", at_least=0)
    max_iter: int = param(200, "maximum number of epochs, or of iterations of lbfgs", at_least=1)
    shuffle: bool = param(True, "whether to shuffle the rows in every epoch")
    random_state: RandomState = param(None, "seed of the initial weights, the row order and the validation split")
    tol: float = param(1e-4, "improvement per epoch, or gradient of lbfgs, that ends the fit", at_least=0)
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    warm_start: bool = param(False, "whether fit starts from the previous weights")
    momentum: float = param(0.9, "momentum of solver 'sgd'", between=(0, 1))
    nesterovs_momentum: bool = param(True, "whether the momentum is Nesterov's")
    early_stopping: bool = param(False, "whether to stop by the score of a validation set and restore the best weights")
    validation_fraction: float = param(0.1, "fraction of the rows in the validation set", at_least=0, below=1)
    beta_1: float = param(0.9, "decay rate of the first moments of adam", at_least=0, below=1)
    beta_2: float = param(0.999, "decay rate of the second moments of adam", at_least=0, below=1)
    epsilon: float = param(1e-8, "added to the root of the second moments of adam", above=0)
    n_iter_no_change: int | float = param(
        10, "epochs without improvement before the fit ends", at_least=1, infinite=True
    )
    max_fun: int = param(15000, "maximum number of evaluations of lbfgs", at_least=1)
    dropout: float = param(
        0.0, "fraction of the hidden units that each step of training sets to zero", at_least=0, below=1
    )
    l1: float = param(0.0, "strength of the L1 penalty, divided by the rows of a batch", at_least=0)
    clip: float | None = param(None, "largest norm of a gradient; longer ones are scaled down to it", above=0)
    validation_scoring: Literal["score", "loss"] = param(
        "score", "what early stopping maximises: accuracy or R^2, or minus the loss"
    )

    coefs_: list[Array] = learned("weights of each layer", each="inputs* units*", counts="layers")
    intercepts_: list[Array] = learned("intercepts of each layer", each="units*", counts="layers")
    loss_: float = learned("objective of the last epoch")
    best_loss_: float | None = learned("smallest objective of an epoch (None with early stopping)", optional=True)
    loss_curve_: list[float] = learned("objective of each epoch", optional=True)
    validation_scores_: list[float] | None = learned("validation score of each epoch", optional=True)
    best_validation_score_: float | None = learned("best validation score", optional=True)
    n_iter_: int = learned("number of epochs or iterations of the last fit")
    t_: int = learned("number of training rows seen")
    n_layers_: int = learned("number of layers, with the inputs and the outputs")
    n_outputs_: int = learned("number of outputs")
    out_activation_: str = learned("activation function of the outputs")
    optimiser_slots_: Array = learned("what the optimiser keeps of each weight", shape="slots weights", optional=True)
    optimiser_steps_: int = learned("number of steps of the optimiser", optional=True)
    stalled_epochs_: int = learned("epochs without improvement at the end", optional=True)
    rate_cuts_: int = learned("how often an adaptive learning rate was cut", optional=True)

    sparse = True
    storage = "csr"
    stochastic = True
    stagewise = True
    reference = "Rumelhart, Hinton and Williams, Learning representations by back-propagating errors, Nature 323, 1986"

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
    @abstractmethod
    def _output_loss(self) -> OutputLoss: ...

    @abstractmethod
    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        """Accuracy or R^2 of the predictions of the network."""

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
        draws = self._stream()
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

    def _train(
        self, plan: DensePlan, training: NetworkTrainingSet, rows: Array, weights: Array, draws: np.random.RandomState,
        trace: Trace, validation: Data | None, once: bool,
    ) -> Array:  # fmt: skip
        rows, patience = self._validated(plan, training, rows, draws, validation)
        known = self._known(once)
        if patience.restore and known.get("scores"):
            known["best_weights"] = weights
        first = initial_state(plan, weights, **known)
        before, begun = self.__dict__.get("t_", 0), once and "optimiser_steps_" in self.__dict__
        method = Minibatches(
            type(self).__name__, plan, training, ShuffledRows(rows, draws if self.shuffle else None), len(rows),
            self._batch(len(rows)), 1 if once else self.max_iter, patience,
            lambda state: self._rate(state, before + state["epoch"] * len(rows), begun), first,
        )  # fmt: skip
        objective = Objective(plan, training, rows)
        at_start = 0.0 if once else gradient_norm(objective, weights)
        state = iterate(method, method.epochs * method.slices, trace)
        self._remember(state, before + state["epoch"] * len(rows))
        found = result_of(state, patience)
        if once:
            trace.certify(
                "epochs left", 0.0, 0.0, "the requested epoch was done, and nothing is proven about the minimum"
            )
        else:
            certify_training(trace, at_start, gradient_norm(objective, found), self.tol)
        return found

    def _stream(self) -> np.random.RandomState:
        """The draws of scikit-learn for the same seed; those of a resumed fit are those that it began with."""
        if self.random_state is None and checkpoints.active() is not None:
            return np.random.RandomState(seed_of(None) % 2**32)
        return stream(self.random_state)

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

    def _batch(self, rows: int) -> int:
        if self.batch_size == "auto":
            return min(200, rows)
        if self.batch_size > rows:
            warn(
                f"{type(self).__name__}: batch_size={self.batch_size} is larger than the {rows} training rows; all of "
                "them make one batch",
                UserWarning,
            )
        return min(int(self.batch_size), rows)

    def _rate(self, state: State, seen: int, begun: bool) -> float:
        if self.solver == "sgd" and self.learning_rate == "invscaling" and (begun or state["epoch"] > 0):
            return float(self.learning_rate_init / (seen + 1) ** self.power_t)
        if self.solver == "sgd" and self.learning_rate == "adaptive":
            return float(self.learning_rate_init / CUT ** state["cuts"])
        return float(self.learning_rate_init)

    def _validated(
        self,
        plan: DensePlan,
        training: NetworkTrainingSet,
        rows: Array,
        draws: np.random.RandomState,
        validation: Data | None,
    ) -> tuple[Array, Patience]:
        """The rows to train on, and the rule that ends training: by the validation rows where there are any."""
        smallest = SMALLEST_RATE if self.solver == "sgd" and self.learning_rate == "adaptive" else None
        if validation is not None:
            held_out = NetworkTrainingSet(for_kernels(validation.X), validation.y, validation.weight)
            score = self._scorer(plan, held_out, np.arange(validation.n))
        elif self.early_stopping:
            rows, test = self._split(training, rows, draws)
            held_out = NetworkTrainingSet(
                training.X[test], training.y[test], None if training.weight is None else training.weight[test]
            )
            score = self._scorer(plan, held_out, np.arange(len(test)))
        else:
            return rows, Patience(self.n_iter_no_change, self.tol, smallest_rate=smallest)
        return rows, Patience(self.n_iter_no_change, self.tol, score, True, smallest)

    def _scorer(self, plan: DensePlan, held_out: NetworkTrainingSet, rows: Array) -> Callable[[Array], float]:
        if self.validation_scoring == "loss":
            return lambda weights: -plan.gradient(held_out.X, held_out.y, held_out.weight, rows, weights)[0]
        return lambda weights: self._score_of(plan.predictions(held_out.X, weights), held_out.y, held_out.weight)

    def _split(self, training: NetworkTrainingSet, rows: Array, draws: np.random.RandomState) -> tuple[Array, Array]:
        """Training and validation rows, stratified for two classes, as scikit-learn draws them."""
        test = int(np.ceil(self.validation_fraction * len(rows)))
        if test < 2 or test >= len(rows):
            raise DataError(
                f"{type(self).__name__}: The validation set is too small: validation_fraction="
                f"{self.validation_fraction} of {len(rows)} rows; increase it, bring more rows, or set "
                "early_stopping=False"
            )
        strata = training.y[rows, 0] if self._stratifies(training.y[rows]) else None
        rest, held_out = train_test_split(rows, random_state=draws, test_size=self.validation_fraction, stratify=strata)
        return rest, held_out

    def _stratifies(self, y: Array) -> bool:
        return False

    def _known(self, once: bool) -> dict[str, Any]:
        """What a training that goes on knows of the one before it."""
        kept: dict[str, Any] = self.__dict__
        if "loss_curve_" not in kept:
            return {}
        early = kept.get("best_validation_score_") is not None
        merit = kept["best_validation_score_"] if early else -(kept.get("best_loss_") or np.inf)
        known: dict[str, Any] = {
            "curve": list(self.loss_curve_), "scores": list(self.validation_scores_ or []), "best": float(merit),
            "stalls": self.stalled_epochs_,
        }  # fmt: skip
        if once and "optimiser_slots_" in kept:
            known |= {"slots": self.optimiser_slots_, "steps": self.optimiser_steps_, "cuts": self.rate_cuts_}
        return known

    def _forget_training(self) -> None:
        for name in ("loss_curve_", "best_loss_", "validation_scores_", "best_validation_score_", "optimiser_slots_"):
            self.__dict__.pop(name, None)
        for name in ("optimiser_steps_", "stalled_epochs_", "rate_cuts_", "t_"):
            self.__dict__.pop(name, None)

    def _remember(self, state: State, seen: int) -> None:
        """Store what the training recorded."""
        self.loss_curve_, self.n_iter_, self.t_ = state["curve"], max(state["epoch"], 1), int(seen)
        self.loss_ = float(state["objective"])
        scored = bool(state["scores"])
        self.validation_scores_ = state["scores"] if scored else None
        self.best_validation_score_ = state["best"] if scored else None
        self.best_loss_ = None if scored else -state["best"]
        self.optimiser_slots_, self.optimiser_steps_ = state["slots"], state["steps"]
        self.stalled_epochs_, self.rate_cuts_ = state["stalls"], state["cuts"]

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
