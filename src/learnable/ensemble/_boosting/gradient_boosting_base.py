"""What boosting with exact trees shares, whatever it predicts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

import numpy as np

from ...core import Array, Data, Matrix, RandomState, Trace, Traits, declaring, learned, param
from ...core.errors import DataError
from ...core.runtime.random import seed_of
from ...engines.iterate import State
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.boosting import TrainingSet
from ...engines.trees.exact_boosting import ExactBoosting, ExactBoostingConfig
from ...engines.trees.growth_limits import MaxFeatures, dense, resolve_max_features
from ...tree._growth_limits import TreeLimitParams
from .._warm_start import certify_stages, remaining_range, run_stages
from .boosted_trees import BoostedTrees
from .validation_split import held_out_rows


@declaring
class GradientBoosting(BoostedTrees, TreeLimitParams):
    """Stages of exact trees of the negative gradients; a class says which loss they lower and what scores mean."""

    learning_rate: float = param(
        0.1, "learning rate: shrinkage of each tree", at_least=0, tune=(0.03, 0.1, 0.3), simpler="smaller"
    )
    n_estimators: int = param(
        100, "number of boosting iterations", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    subsample: float = param(1.0, "fraction of the rows drawn for each stage", above=0, at_most=1, tune=(0.5, 0.8, 1.0))
    criterion: Literal["deprecated", "friedman_mse", "squared_error"] = param(
        "deprecated", "accepted; trees fit the gradients by least squares"
    )
    max_depth: int | None = param(3, "maximum depth of a tree", at_least=1, tune=(1, 2, 3, 5, 8), simpler="smaller")
    init: Any = param(
        None,
        'initial model; None for the best constant, "zero" for zero',
        accepts=lambda value: value is None or value == "zero" or hasattr(value, "fit"),
        says='an estimator, "zero" or None',
    )
    random_state: RandomState = param(None, "seed of the draws of rows and columns")
    max_features: MaxFeatures = param(None, "columns tried at each node: number, fraction or rule", above=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    validation_fraction: float = param(0.1, "fraction of the rows held out for early stopping", above=0, below=1)
    n_iter_no_change: int | None = param(None, "number of iterations without improvement before stopping", at_least=1)
    tol: float = param(1e-4, "minimum improvement of the loss", at_least=0)
    ccp_alpha: float = param(0.0, "cost per leaf of minimal cost-complexity pruning", at_least=0)
    given_init_: Any = learned("the fitted initial model, None for a constant")
    seed_: int = learned("seed of all draws")
    max_features_: int = learned("number of columns tried at each node", least=1)
    train_score_: Array = learned("training loss of each stage on its sample", shape="stages")
    oob_improvement_: Array = learned("decrease of the out-of-bag loss by each stage", optional=True)
    oob_scores_: Array = learned("out-of-bag loss of each stage", optional=True)
    oob_score_: float = learned("out-of-bag loss of the last stage", optional=True)

    traits = Traits(sparse=True, storage="csc", stochastic=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Callable[..., Any] | None = None) -> Self:
        """Learn from rows `X` and targets `y`; `monitor(stage, self, {})` may stop after any stage."""
        with self._coded(X, (None, None, None), None):
            self.__dict__["_monitor"] = monitor
            try:
                fitted: Self = super().fit(X, y, sample_weight)  # type: ignore[misc]  # of the role beside this class
                return fitted
            finally:
                self.__dict__.pop("_monitor", None)

    @property
    def init_(self) -> Any:
        """The model before the first tree: the given one, "zero", or the best constant as a model of its own."""
        if self.given_init_ is not None:
            return self.given_init_
        if isinstance(self.init, str):
            return self.init
        model = self._constant()
        model._remember_columns_of(self)
        return model

    @abstractmethod
    def _constant(self) -> Any:
        """The constant before the first tree as a model."""

    @property
    def n_estimators_(self) -> int:
        """Number of stages."""
        return self.n_iter_

    @property
    def estimators_(self) -> Array:
        """The trees as regressors of their own, a row for each stage and a column for each output."""
        from ...tree import DecisionTreeRegressor

        found = np.empty((self.n_iter_, self.n_trees_per_iteration_), dtype=object)
        for k, tree in enumerate(self.trees_):
            model: Any = DecisionTreeRegressor(max_depth=self.max_depth, random_state=self.random_state)
            model.tree_, model.n_features_in_, model.n_outputs_ = tree, self.n_features_in_, 1
            model.max_features_ = self.max_features_
            found.flat[k] = model
        return found

    @property
    def feature_importances_(self) -> Array:
        """The share of the impurity that each column removes, over all trees."""
        columns = self.n_features_in_
        found = [tree.compute_feature_importances(columns, False) for tree in self.trees_ if tree.node_count > 1]
        if not found:
            return np.zeros(self.n_features_in_)
        mean = np.mean(found, axis=0)
        return np.asarray(mean / mean.sum()) if mean.sum() > 0 else mean

    def apply(self, X: Any) -> Array:
        """The leaf of each row in each tree."""
        leaves = self.stack_.leaves(dense(self._read(X))).astype(np.float64)
        shape = (len(leaves), self.n_iter_, self.n_trees_per_iteration_)
        return leaves if self.traits.task == "regression" else leaves.reshape(shape)

    def _tree_sum(self) -> TreeSum:
        if self.given_init_ is not None:
            raise DataError(f"{type(self).__name__} with a fitted init is not a sum of trees")
        return super()._tree_sum()

    @abstractmethod
    def _initial(self, X: Array) -> Array:
        """The scores before the first tree, a row for each output."""

    def _boost(self, loss: Any, data: Data, y: Array, trace: Trace, huber: float | None = None) -> None:
        """Grow all stages and keep them."""
        going_on = self._goes_on()
        self.seed_ = self.seed_ if going_on else seed_of(self.random_state)
        X, weight = dense(data.X), np.ones(data.n) if data.weight is None else data.weight
        rows, held = np.flatnonzero(weight > 0), np.empty(0, dtype=np.int64)
        if self.n_iter_no_change is not None:
            strata = y if self.traits.task == "classification" else None
            rows, held = held_out_rows(self, self.validation_fraction, rows, self.seed_, strata)
        if not going_on:
            self._begin(X, data, rows, y, weight)
        plan = self._stages(data, len(rows), float(weight[rows].sum()), huber)
        method = ExactBoosting(loss, X, TrainingSet(y, weight, rows, held), self._initial(X), plan)
        if going_on:
            method.before = self.trees_
        keep = self._keeper(method.outputs, going_on)
        method.watch = self._asked(keep)
        missing = remaining_range(self, self.n_iter_ if going_on else 0)
        state = run_stages(method, missing, trace)
        keep(state)
        left = 0 if trace.stopped == "converged" else self.n_estimators - state["stages"]
        certify_stages(trace, state, left)

    def _keeper(self, outputs: int, going_on: bool) -> Callable[[State], None]:
        """What keeps the trees of a state and their losses, after those of an earlier fit."""
        names = ("train_score_", "oob_improvement_", "oob_scores_")
        earlier = {name: self.__dict__[name] for name in names if going_on and name in self.__dict__}

        def keep(state: State) -> None:
            self._keep_trees(state["trees"], outputs)
            self._keep_losses(state, earlier)

        return keep

    def _asked(self, keep: Callable[[State], None]) -> Callable[[State], bool]:
        """Whether the user's `monitor`, who may look at the model as it is, wants to stop after a stage."""
        monitor = self.__dict__.get("_monitor")
        if monitor is None:
            return lambda state: False

        def ask(state: State) -> bool:
            keep(state)
            return bool(monitor(state["stages"] - 1, self, {}))

        return ask

    @abstractmethod
    def _begin(self, X: Array, data: Data, rows: Array, y: Array, weight: Array) -> None:
        """Learn what comes before the first tree."""

    def _fitted_init(self, data: Data, rows: Array, target: Array) -> None:
        """A model of the user's before the first tree, if there is one."""
        self.given_init_ = None
        if isinstance(self.init, str) or self.init is None:
            return
        from ...core.roles.estimator import cloned

        model = cloned(self.init)
        X = dense(data.X)[rows]
        if data.weight is None:
            self.given_init_ = model.fit(X, target[rows])
            return
        try:
            self.given_init_ = model.fit(X, target[rows], sample_weight=data.weight[rows])
        except TypeError as error:
            raise DataError(
                f"{type(self).__name__}: init={type(model).__name__} takes no sample_weight; choose another, or None"
            ) from error

    def _stages(self, data: Data, rows: int, weight: float, huber: float | None) -> ExactBoostingConfig:
        self.max_features_ = resolve_max_features(self.max_features, data.p, type(self).__name__)
        candidates = 0 if self.max_features_ == data.p else self.max_features_
        growth = self._growth(rows, weight, 1.0, candidates=candidates)
        return ExactBoostingConfig(
            self.learning_rate,
            growth,
            self.subsample,
            self.ccp_alpha,
            self.n_iter_no_change,
            self.tol,
            self.seed_,
            huber,
        )

    @abstractmethod
    def _unit(self) -> float:
        """What a loss of one is in the eyes of the user."""

    def _keep_losses(self, state: State, before: dict[str, Array]) -> None:
        factor = self._unit()
        earlier = before.get("train_score_", np.empty(0))
        self.train_score_ = np.concatenate([earlier, factor * np.array(state["training"])])
        if self.subsample < 1:
            pairs, unknown = factor * np.array(state["outside"]).reshape(-1, 2), np.full(len(earlier), np.nan)
            improved, scores = (before.get(name, unknown) for name in ("oob_improvement_", "oob_scores_"))
            self.oob_improvement_ = np.concatenate([improved, pairs[:, 0] - pairs[:, 1]])
            self.oob_scores_ = np.concatenate([scores, pairs[:, 1]])
            self.oob_score_ = float(self.oob_scores_[-1])

    def _scores(self, X: Matrix) -> Array:
        matrix = dense(X)
        return np.asarray(self._initial(matrix).T + self.stack_.sums(matrix))

    def _staged_scores(self, X: Matrix) -> Iterator[Array]:
        matrix, outputs = dense(X), self.n_trees_per_iteration_
        scores = np.ascontiguousarray(self._initial(matrix).T)
        for stage in range(self.n_iter_):
            scores = scores + self.stack_.sums(matrix, (stage + 1) * outputs, stage * outputs)
            yield scores
