"""What all forests share: trees that differ by the rows they see and the columns they look at, grown side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import Array, Data, RandomState, Trace, declaring, learned, param, uniforms
from ...core.errors import DataError, ParameterError
from ...core.numeric import EXACT, is_fraction
from ...core.runtime.random import seed_of
from ...engines.sampling.canonical_order import counts_copies, order_of_content
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.builder import Draws, TreeGrower
from ...engines.trees.forest import Forest
from ...engines.trees.growth_limits import MaxFeatures, columns_tried, countable, directions, whole_or_share
from ...engines.trees.pruning.cost_complexity import pruned
from ...tree._categorical_features import CodedColumns
from ...tree._growth_limits import LimitedGrowth
from .._grow_in_batches import grow_forest, left_over, tell_of_growth
from .._warm_start import still_missing


@declaring
class TreeForest(CodedColumns, LimitedGrowth):
    """Trees that grow from one ranking of the columns, all in one compiled call; a class says what leaves tell."""

    n_estimators: int = param(100, "number of trees", at_least=1, kw_only=False)
    max_depth: int | None = param(
        None, "most divisions above a leaf", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    max_features: MaxFeatures = param(
        1.0, "columns tried at a node, drawn at random: number, share or rule", above=0, tune=("sqrt", 0.3, 0.6, 1.0)
    )
    bootstrap: bool = param(True, "whether each tree sees rows drawn with replacement, or all")
    oob_score: bool | Callable[..., Any] = param(
        False, "whether to judge each row by the trees that did not see it; by a function of truth and prediction"
    )
    n_jobs: int | None = param(None, "accepted; trees grow on the threads of `learnable.threads`")
    random_state: RandomState = param(None, "seed of the rows, columns and thresholds that are drawn")
    verbose: int = param(0, "accepted; `learnable.progress()` shows how a fit goes")
    warm_start: bool = param(False, "whether a further fit adds trees to those that are there")
    ccp_alpha: float = param(0.0, "price of a leaf at which each tree is pruned", at_least=0)
    max_samples: int | float | None = param(
        None,
        "rows drawn for a tree: number, or share of all",
        above=0,
        accepts=whole_or_share,
        says="a whole number or a share of at most 1",
    )
    monotonic_cst: Array | None = param(None, "1, -1 or 0 for each column: values must not fall, not rise, are free")
    tree_features: MaxFeatures = param(
        None, "columns that each tree is given, drawn for it: number, share or rule", above=0
    )
    top_features: int = param(1, "a node divides by one of so many best columns, drawn at random", at_least=1)
    forest_: Forest = learned("the trees, packed")
    n_outputs_: int = learned("number of targets", least=1)
    n_rows_: int = learned("number of rows that were learned from", least=1)
    seeds_: Array = learned("the seed of each tree", shape="trees")
    draws_: Draws | None = learned("how the rows of each tree were drawn, None for all rows")
    oob_score_: float = learned("score of the rows by the trees that did not see them", optional=True)
    oob_curve_: Array = learned("the same for the first tree, the first two, and so on", optional=True)

    estimator_params = (  # what each tree takes over
        "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf",
        "max_features", "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst",
        "categorical_features", "splits", "max_bins",
    )  # fmt: skip
    splitter = "best"
    sparse = True
    storage = "csc"
    missing = "native"
    multi_target = True
    parametric = False
    stochastic = True

    def _unsound(self) -> str:
        """Trees, seeds and draws belong together."""
        forest = self.forest_
        width = forest.stack.value.shape[1] // forest.targets
        if self.seeds_.dtype != np.uint64 or len(self.seeds_) != len(forest):
            return f"seeds_ must hold one for each of {len(forest)} trees"
        if self.draws_ is not None and self.draws_.rows != self.n_rows_:
            return f"n_rows_ is {self.n_rows_}, and rows are drawn from {self.draws_.rows}"
        return self._flaw_of_trees(forest.stack.feature, forest.targets, width)

    def _grower(self, data: Data, weight: Array, unit: float) -> TreeGrower:
        """What the trees grow from; `unit` times the total weight is the worth of an impurity of one."""
        owner = type(self).__name__
        outputs = 1 if data.y.ndim == 1 else data.y.shape[1]
        if "forest_" in self.__dict__ and outputs != self.n_outputs_:
            raise DataError(
                f"{owner}: warm_start adds to trees of {self.n_outputs_} targets, and y has {outputs}; bring as many, "
                "or set warm_start=False"
            )
        self.n_outputs_ = outputs
        self.n_rows_ = data.n
        self._check_sampling()
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        total = 1.0 if self.bootstrap else float(weight.sum())
        given = columns_tried(self.tree_features, data.p, owner)
        tried = columns_tried(self.max_features, given, owner)
        growth = self._growth(
            len(rows),
            total,
            unit,
            candidates=0 if tried == given or self.top_features > 1 else tried,
            random_thresholds=self.splitter == "random",
            direction=directions(self.monotonic_cst, data.p, self.n_outputs_, owner),
            tree_columns=0 if given == data.p else given,
            top=min(self.top_features, data.p),
        )
        columns = self._ranked(data, weight)
        draws = self._draws(columns.numbers, data, weight) if self.bootstrap else None
        return TreeGrower(columns, rows, weight, growth, self._new_seeds(), draws)

    def _check_sampling(self) -> None:
        owner = type(self).__name__
        if not self.bootstrap and self.max_samples is not None:
            raise ParameterError(f"{owner}: max_samples says how many rows are drawn, and bootstrap=False draws none")
        if not self.bootstrap and self.oob_score:
            raise ParameterError(f"{owner}: rows are out of the bag only with bootstrap=True; oob_score needs it")

    def _draws(self, X: Array, data: Data, weight: Array) -> Draws:
        """As many draws as there are rows, or copies where weights are whole numbers, unless `max_samples` says."""
        counted = np.flatnonzero(weight > 0).astype(np.uint32)
        order = counted[order_of_content(X[counted], data.y[counted])]
        alike = bool((weight[order] == 1).all())
        given = weight if data.weight is None or counts_copies(weight) else data.weight
        copies = float(np.sum(given))
        rows = copies if counts_copies(given) else float(len(order))
        requested = self.max_samples
        if requested is None:
            number = round(rows)
        elif is_fraction(requested):
            number = int(requested * (rows if data.weight is None else min(copies, EXACT)))
        else:
            number = countable(int(requested), f"{type(self).__name__}: max_samples")
        if number < 1:
            raise ParameterError(
                f"{type(self).__name__}: max_samples={requested!r} of total weight {rows:.6g} is less than one row; "
                "the total sum of sample weights must be larger, or max_samples a whole number"
            )
        return Draws(data.n, number, order, None if alike else np.cumsum(weight[order]))

    def _new_seeds(self) -> Array:
        """Seeds of the trees that are still to grow."""
        missing = still_missing(self, len(self.__dict__.get("seeds_", ())))
        drawn = uniforms(seed_of(self.random_state), missing, 1)[:, 0]
        return np.asarray((drawn * 2.0**53).astype(np.uint64))

    def _keep(self, grower: TreeGrower, grow: Callable[[TreeGrower], Forest], trace: Trace) -> None:
        """Grow the trees that are missing and put them beside those that are there."""
        assert grower.seeds is not None
        self.draws_ = grower.draws
        if len(grower.seeds):
            fresh, seeds = grow_forest(grower, grower.seeds, grow, trace)
            if self.ccp_alpha > 0:
                fresh = Forest.of([pruned(tree, self.ccp_alpha) for tree in fresh.trees()])
            before = self.__dict__.get("forest_")
            self.forest_ = fresh if before is None else before + fresh
            self.seeds_ = np.concatenate([self.__dict__.get("seeds_", seeds[:0]), seeds])
        if not trace.rows:
            trace.record(left_over(self.forest_))
        tell_of_growth(trace, "each division of each tree is the best of all that were looked at")

    def _tree_sum(self) -> TreeSum:
        """The mean of the trees as a sum, for explanations."""
        stack = self.forest_.stack
        return TreeSum(stack, self.forest_.weighted_n_node_samples, 1 / len(stack), np.zeros(1))

    @property
    @abstractmethod
    def estimator_(self) -> Any:
        """A tree that has not grown, with the parameters of all trees."""

    @abstractmethod
    def _facts(self) -> dict[str, Any]:
        """What a single tree knows beside its nodes."""

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own."""
        found, categories = [], self._categories()
        coding = {} if categories is None else {"categories_": categories}
        for tree, seed in zip(self.forest_.trees(), self.seeds_, strict=True):
            model = self.estimator_.set_params(random_state=int(seed % 2**31))
            model.__dict__.update(tree_=tree, n_outputs_=self.n_outputs_, **coding, **self._facts())
            model._remember_columns_of(self)
            found.append(model)
        return found

    @property
    def estimator(self) -> Any:
        """A tree as it is without the parameters of the forest."""
        return type(self.estimator_)()

    def _tree_parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.estimator_params}

    def __len__(self) -> int:
        return len(self.forest_)

    @property
    def estimators_samples_(self) -> list[Array]:
        """The rows that each tree saw, as often as it drew them."""
        if self.draws_ is None:
            return [np.arange(self.n_rows_) for _ in self.seeds_]
        counts = self.draws_.counts(self.seeds_)
        return [np.repeat(np.arange(counts.shape[1]), of_tree.astype(np.int64)) for of_tree in counts]

    @property
    def feature_importances_(self) -> Array:
        """The share of the impurity that each column removes, averaged over the trees."""
        return self.forest_.importances(self.n_features_in_)

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row of `X` ends in, a column for each tree."""
        return self.forest_.stack.leaves(self._coded(self._read(X)))

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """A sparse matrix that marks the nodes on the way of each row, and where the nodes of each tree begin."""
        return self.forest_.decision_path(self._coded(self._read(X)))
