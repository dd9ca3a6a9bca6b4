"""Training of networks by minibatches: parameters that all networks have, and what is learned beside the weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Estimator, Trace, Traits, declaring, learned, param
from ..core.errors import warn
from ..core.runtime.random import RandomState
from ..engines.iterate import State, iterate
from ..engines.networks.certificate import certify_training, gradient_norm
from ..engines.networks.dense_plan import OutputLoss, for_kernels
from ..engines.networks.full_batch import Objective
from ..engines.networks.network_plan import NetworkPlan
from ..engines.networks.row_order import ShuffledRows
from ..engines.networks.training import Minibatches, NetworkTrainingSet, Patience, initial_state, result_of
from ..model_selection import train_test_split

MIN_RATE = 1e-6  # at which a learning rate is not cut any more


@declaring
class NetworkTrainer(Estimator):
    """Base class of networks that are trained by epochs of minibatches."""

    batch_size: int | Literal["auto"] = param(
        "auto", "rows per step ('auto': 200, or all if there are fewer)", at_least=1
    )
    learning_rate_init: float = param(0.001, "initial learning rate", above=0, tune=(1e-4, 1e-3, 1e-2))
    max_iter: int = param(200, "maximum number of epochs, or of iterations of lbfgs", at_least=1)
    shuffle: bool = param(True, "whether to shuffle the rows in every epoch")
    random_state: RandomState = param(None, "seed of the initial weights, the row order and the validation split")
    tol: float = param(1e-4, "improvement per epoch, or gradient of lbfgs, that ends the fit", at_least=0)
    warm_start: bool = param(False, "whether fit starts from the previous weights")
    early_stopping: bool = param(False, "whether to stop by the score of a validation set and restore the best weights")
    validation_fraction: float = param(0.1, "fraction of the rows in the validation set", at_least=0, below=1)
    n_iter_no_change: int | float = param(
        10, "epochs without improvement before the fit ends", at_least=1, infinite=True
    )
    l1: float = param(0.0, "strength of the L1 penalty, divided by the rows of a batch", at_least=0)
    clip: float | None = param(None, "largest norm of a gradient; longer ones are scaled down to it", above=0)
    validation_scoring: Literal["score", "loss"] = param(
        "score", "what early stopping maximises: accuracy or R^2, or minus the loss"
    )

    loss_: float = learned("objective of the last epoch")
    best_loss_: float | None = learned("smallest objective of an epoch (None with early stopping)", optional=True)
    loss_curve_: list[float] = learned("objective of each epoch", optional=True)
    validation_scores_: list[float] | None = learned("validation score of each epoch", optional=True)
    best_validation_score_: float | None = learned("best validation score", optional=True)
    n_iter_: int = learned("number of epochs or iterations of the last fit")
    t_: int = learned("number of training rows seen")
    n_outputs_: int = learned("number of outputs")
    out_activation_: str = learned("activation function of the outputs")
    optimiser_slots_: Array = learned("state of the optimiser for each weight", shape="slots weights", optional=True)
    optimiser_steps_: int = learned("number of steps of the optimiser", optional=True)
    stalled_epochs_: int = learned("epochs without improvement at the end", optional=True)
    rate_cuts_: int = learned("number of reductions of an adaptive learning rate", optional=True)

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    stagewise = True
    usual_batch = 200
    reference = "Rumelhart, Hinton and Williams, Learning representations by back-propagating errors, Nature 323, 1986"

    @property
    @abstractmethod
    def _output_loss(self) -> OutputLoss: ...

    @property
    @abstractmethod
    def _cuts_rates(self) -> bool:
        """Whether the learning rate is reduced when patience runs out."""

    @abstractmethod
    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        """Accuracy or R^2 of the predictions of the network."""

    @abstractmethod
    def _rate(self, state: State, seen: int, begun: bool) -> float:
        """The learning rate of an epoch; `seen` are the rows so far, `begun` is whether earlier calls trained."""

    @abstractmethod
    def _fitted_plan(self) -> tuple[NetworkPlan, Array]:
        """The plan of the fitted network and its weights as one vector."""

    @abstractmethod
    def _fresh_weights(self, plan: Any) -> Array:
        """Initial weights for a plan."""

    @abstractmethod
    def _targets(self, y: Any, rows: int) -> Array:
        """Targets of the fitted network as its loss takes them, a row for each."""

    def _training_rows(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Rows and targets as the kernels take them."""
        rows = for_kernels(self._read(X))
        return rows, np.ascontiguousarray(self._targets(y, rows.shape[0]), dtype=np.float64)

    def _rates_of_steps(self, rows: int) -> Callable[[int], float] | None:
        """A factor of the learning rate for each step, where the schedule goes by steps."""
        return None

    def _train(
        self, plan: NetworkPlan, training: NetworkTrainingSet, rows: Array, weights: Array,
        draws: np.random.RandomState, trace: Trace, validation: Data | None, once: bool,
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
            self._rates_of_steps(len(rows)),
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

    def _rows_of_batch(self, rows: int) -> int:
        """The rows of a batch."""
        return min(self.usual_batch if self.batch_size == "auto" else int(self.batch_size), rows)

    def _batch(self, rows: int) -> int:
        if self.batch_size == "auto":
            return min(self.usual_batch, rows)
        if self.batch_size > rows:
            warn(
                f"{type(self).__name__}: batch_size={self.batch_size} is larger than the {rows} training rows; all of "
                "them make one batch",
                UserWarning,
            )
        return min(int(self.batch_size), rows)

    def _validated(
        self,
        plan: NetworkPlan,
        training: NetworkTrainingSet,
        rows: Array,
        draws: np.random.RandomState,
        validation: Data | None,
    ) -> tuple[Array, Patience]:
        """The rows to train on, and the rule that ends training: by the validation rows where there are any."""
        smallest = MIN_RATE if self._cuts_rates else None
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

    def _scorer(self, plan: NetworkPlan, held_out: NetworkTrainingSet, rows: Array) -> Callable[[Array], float]:
        if self.validation_scoring == "loss":
            return lambda weights: -plan.gradient(held_out.X, held_out.y, held_out.weight, rows, weights)[0]
        return lambda weights: self._score_of(plan.predictions(held_out.X, weights), held_out.y, held_out.weight)

    def _split(self, training: NetworkTrainingSet, rows: Array, draws: np.random.RandomState) -> tuple[Array, Array]:
        """Training and validation rows, stratified for two classes, as scikit-learn draws them."""
        test = int(np.ceil(self.validation_fraction * len(rows)))
        if test < 2 or test >= len(rows):
            raise DataError(
                f"{type(self).__name__}: The validation set is too small: validation_fraction="
                f"{self.validation_fraction} of {len(rows)} rows; increase it, pass more rows, or set "
                "early_stopping=False"
            )
        strata = training.y[rows, 0] if self._stratifies(training.y[rows]) else None
        rest, held_out = train_test_split(rows, random_state=draws, test_size=self.validation_fraction, stratify=strata)
        return rest, held_out

    def _stratifies(self, y: Array) -> bool:
        return False

    def _known(self, once: bool) -> dict[str, Any]:
        """The state of the previous training that a warm start continues."""
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
