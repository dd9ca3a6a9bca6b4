"""Base class of gradient boosting with exact trees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

import numpy as np

from ...core import Array, Data, Matrix, RandomState, Trace, Traits, cloned, declaring, fitted_estimator, learned, param
from ...core.declare import params
from ...core.errors import DataError
from ...core.runtime.random import seed_of
from ...core.sklearn_api.estimator_type import is_estimator
from ...core.validate.sparse_input import as_dense
from ...engines.columns.table_encoding import Coding
from ...engines.iterate import State
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.boosting import TrainingSet
from ...engines.trees.builder import SplitSearch
from ...engines.trees.exact_boosting import ExactBoostingConfig, boost_exactly
from ...engines.trees.growth_limits import MaxFeatures, TreeLimits, resolve_max_features
from ...tree._growth_limits import TreeLimitParams
from .._warm_start import remaining_range
from .boosted_trees import BoostedTrees
from .heads import Head
from .validation_split import held_out_rows

TREE_LIMITS = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features", "max_leaf_nodes",
    "min_impurity_decrease", "ccp_alpha",
)  # fmt: skip


@declaring
class GradientBoostingBase(BoostedTrees, TreeLimitParams):
    """Base class of boosting with exact trees fitted to the negative gradients of a loss."""

    learning_rate: float = param(
        0.1, "learning rate: shrinkage of each tree", at_least=0, tune=(0.03, 0.1, 0.3), simpler="smaller"
    )
    n_estimators: int = param(
        100, "number of boosting iterations", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    subsample: float = param(1.0, "fraction of the rows drawn for each stage", above=0, at_most=1, tune=(0.5, 0.8, 1.0))
    criterion: Literal["deprecated", "friedman_mse", "squared_error"] = param(
        "deprecated", "accepted for compatibility; trees fit the gradients by least squares"
    )
    max_depth: int | None = param(3, "maximum depth of a tree", at_least=1, tune=(1, 2, 3, 5, 8), simpler="smaller")
    init: Any = param(
        None,
        'initial model; None for the best constant, "zero" for zero',
        accepts=lambda value: value is None or value == "zero" or is_estimator(value),
        says='an estimator, "zero" or None',
    )
    random_state: RandomState = param(None, "seed of the draws of rows and columns")
    max_features: MaxFeatures = param(None, "columns tried at each node: number, fraction or rule", above=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    validation_fraction: float = param(0.1, "fraction of the rows held out for early stopping", above=0, below=1)
    n_iter_no_change: int | None = param(None, "number of iterations without improvement before stopping", at_least=1)
    tol: float = param(1e-4, "minimum improvement of the loss", at_least=0)
    ccp_alpha: float = param(0.0, "cost per leaf of minimal cost-complexity pruning", at_least=0)
    leaf_step: Literal["newton", "gradient"] = param(
        "newton", "leaf values: the best constant or a Newton step of the loss, or a gradient step: the mean gradient"
    )
    given_init_: Any = learned("the fitted initial model, None for a constant")
    seed_: int = learned("seed of all draws")
    max_features_: int = learned("number of columns tried at each node", least=1)
    train_score_: Array = learned("training loss of each stage on its sample", shape="stages")
    oob_improvement_: Array = learned("decrease of the out-of-bag loss by each stage", optional=True)
    oob_scores_: Array = learned("out-of-bag loss of each stage", optional=True)
    oob_score_: float = learned("out-of-bag loss of the last stage", optional=True)

    traits = Traits(sparse=True, storage="csc", stochastic=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Callable[..., Any] | None = None) -> Self:
        """Fit to rows `X` and targets `y`; `monitor(stage, self, {})` may stop after any stage."""
        params.check(self)
        matrix, names = self._enter_to_learn(X, sample_weight)
        fitted: Self = self._fit_entered(  # type: ignore[attr-defined]  # of the role beside this class
            matrix, names, y, sample_weight, monitor=monitor
        )
        return fitted

    def _fit(self, data: Data, trace: Trace, monitor: Callable[..., Any] | None = None) -> None:
        warm, y = self._is_warm(), self._encode_target(data)
        head = self._head()
        X, weight = as_dense(data.X), np.ones(data.n) if data.weight is None else data.weight
        rows, held_out = np.flatnonzero(weight > 0), np.empty(0, dtype=np.int64)
        if not warm:
            self.coding_, self.seed_ = Coding([], np.zeros(0, dtype=bool)), seed_of(self.random_state)
        else:
            remaining_range(self, self.n_iter_)
        if self.n_iter_no_change is not None:
            strata = y if self.traits.task == "classification" else None
            rows, held_out = held_out_rows(self, self.validation_fraction, rows, self.seed_, strata)
        if not warm:
            self._fit_init(data, rows)
            zeros = np.zeros(head.outputs)
            self.baseline_ = head.start(y[rows], weight[rows]) if self.init is None else zeros
        config = self._config(data.p, len(rows), float(weight[rows].sum()))
        store = self._store_function(head, warm)
        training = TrainingSet(y, weight, rows, held_out, X)
        baseline, trees = self._initial_scores(X), self.trees_ if warm else []
        store(boost_exactly(head.loss, training, baseline, trees, config, trace, self._monitor(monitor, store)))

    def _unsound(self) -> str:
        """Every stage has its trees."""
        trees = len(self.stack_) == self.n_iter_ * self.n_trees_per_iteration_
        return super()._unsound() or (
            "" if trees else f"{len(self.stack_)} trees are not those of {self.n_iter_} stages"
        )

    @property
    def init_(self) -> Any:
        """The initial model: the given one, "zero", or the best constant as a dummy model."""
        if self.given_init_ is not None:
            return self.given_init_
        if isinstance(self.init, str):
            return self.init
        model = self._constant()
        model._remember_columns_of(self)
        return model

    @abstractmethod
    def _constant(self) -> Any:
        """The constant before the first tree as a dummy model."""

    @property
    def n_estimators_(self) -> int:
        """Number of stages."""
        return self.n_iter_

    @property
    def estimators_(self) -> Array:
        """The trees as fitted regressors, a row for each stage and a column for each output."""
        from ...tree import DecisionTreeRegressor

        limits = {name: getattr(self, name) for name in TREE_LIMITS}
        found = np.empty((self.n_iter_, self.n_trees_per_iteration_), dtype=object)
        for k, tree in enumerate(self.trees_):
            model = DecisionTreeRegressor(random_state=self.random_state, **limits)
            columns, tried = self.n_features_in_, self.max_features_
            found.flat[k] = model._adopt(tree, None, n_features_in_=columns, n_outputs_=1, max_features_=tried)
        return found

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importance of each column, averaged over all trees."""
        columns = self.n_features_in_
        found = [tree.compute_feature_importances(columns, False) for tree in self.trees_ if tree.node_count > 1]
        if not found:
            return np.zeros(self.n_features_in_)
        mean = np.mean(found, axis=0)
        return np.asarray(mean / mean.sum()) if mean.sum() > 0 else mean

    def apply(self, X: Any) -> Array:
        """The leaf of each row in each tree."""
        leaves = self.stack_.leaves(as_dense(self._read(X))).astype(np.float64)
        shape = (len(leaves), self.n_iter_, self.n_trees_per_iteration_)
        return leaves if self.traits.task == "regression" else leaves.reshape(shape)

    def _tree_sum(self) -> TreeSum:
        if self.given_init_ is not None:
            raise DataError(f"{type(self).__name__} with a fitted init is not a sum of trees")
        return super()._tree_sum()

    @abstractmethod
    def _initial_scores(self, X: Array) -> Array:
        """The scores before the first tree, a row for each output."""

    @abstractmethod
    def _init_target(self, data: Data) -> Array:
        """The target of the initial model."""

    def _fit_init(self, data: Data, rows: Array) -> None:
        """Fit the initial model, if one is given."""
        self.given_init_ = None
        if isinstance(self.init, str) or self.init is None:
            return
        model = cloned(self.init)
        X, target = as_dense(data.X)[rows], self._init_target(data)[rows]
        if data.weight is None:
            self.given_init_ = fitted_estimator(model, X, target)
            return
        try:
            self.given_init_ = fitted_estimator(model, X, target, sample_weight=data.weight[rows])
        except TypeError as error:
            raise DataError(
                f"{type(self).__name__}: init={type(model).__name__} does not accept sample_weight; choose another "
                "model, or None"
            ) from error

    def _config(self, columns: int, rows: int, weight: float) -> ExactBoostingConfig:
        self.max_features_ = resolve_max_features(self.max_features, columns, type(self).__name__)
        return ExactBoostingConfig(
            self.n_estimators,
            self.learning_rate,
            TreeLimits.of(self, rows, weight, 1.0),
            SplitSearch(max_features=0 if self.max_features_ == columns else self.max_features_),
            self.subsample,
            self.ccp_alpha,
            self.n_iter_no_change,
            self.tol,
            self.seed_,
            self._huber_quantile(),
            self.leaf_step == "gradient",
        )

    def _huber_quantile(self) -> float | None:
        """The quantile of absolute residuals at which the Huber loss becomes linear; None for other losses."""
        return None

    def _store_function(self, head: Head, warm: bool) -> Callable[[State], None]:
        """A function that stores the trees of a state and their losses, after those of an earlier fit."""
        names = ("train_score_", "oob_improvement_", "oob_scores_")
        earlier = {name: self.__dict__[name] for name in names if warm and name in self.__dict__}

        def store(state: State) -> None:
            self._store_trees(state["trees"], head.outputs)
            self._store_losses(state, head.loss_unit, earlier)

        return store

    def _store_losses(self, state: State, unit: float, before: dict[str, Array]) -> None:
        earlier = before.get("train_score_", np.empty(0))
        self.train_score_ = np.concatenate([earlier, unit * np.array(state["training"])])
        if self.subsample < 1:
            pairs, unknown = unit * np.array(state["outside"]).reshape(-1, 2), np.zeros(len(earlier))
            improved, scores = (before.get(name, unknown) for name in ("oob_improvement_", "oob_scores_"))
            self.oob_improvement_ = np.concatenate([improved, pairs[:, 0] - pairs[:, 1]])
            self.oob_scores_ = np.concatenate([scores, pairs[:, 1]])
            self.oob_score_ = float(self.oob_scores_[-1])

    def _monitor(self, monitor: Callable[..., Any] | None, store: Callable[[State], None]) -> Callable[[State], bool]:
        """A function that stores the current model, calls the user's monitor, and returns whether to stop."""

        def stops(state: State) -> bool:
            if monitor is None:
                return False
            store(state)
            return bool(monitor(state["stages"] - 1, self, {}))

        return stops

    def _scores(self, X: Matrix) -> Array:
        matrix = as_dense(X)
        return np.asarray(self._initial_scores(matrix).T + self.stack_.sums(matrix))

    def _staged_scores(self, X: Matrix) -> Iterator[Array]:
        matrix, outputs = as_dense(X), self.n_trees_per_iteration_
        scores = np.ascontiguousarray(self._initial_scores(matrix).T)
        for stage in range(self.n_iter_):
            scores = scores + self.stack_.sums(matrix, (stage + 1) * outputs, stage * outputs)
            yield scores
