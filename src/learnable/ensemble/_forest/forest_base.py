"""Base class of forests: trees that differ by their rows and columns, grown in parallel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array, Data, RandomState, Trace, Traits, declaring, learned, param, uniforms
from ...core.errors import DataError, ParameterError
from ...core.numeric import EXACT, is_fraction
from ...core.runtime.random import seed_of
from ...engines.sampling.canonical_order import counts_copies, order_of_content
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.builder import Draws, RankedColumns, Sampling, SplitSearch, grow
from ...engines.trees.classification_target import ClassificationTarget
from ...engines.trees.forest import Forest
from ...engines.trees.growth_limits import (
    MaxFeatures,
    TreeLimits,
    check_draw_count,
    resolve_max_features,
    resolve_monotonic_cst,
)
from ...engines.trees.pruning.cost_complexity import prune_by_cost_complexity
from ...engines.trees.regression_target import ScaledTarget
from ...tree._categorical_features import CategoricalFeatures
from ...tree._growth_limits import TreeLimitParams
from .._grow_in_batches import certify_exact, grow_forest, mean_leaf_impurity
from .._warm_start import remaining_range

MAX_LISTED = 2**28  # rows in the samples of all trees that are listed: two gigabytes


@declaring
class ForestBase(CategoricalFeatures, TreeLimitParams):
    """Base class of forests, whose trees are grown from columns that are sorted once."""

    n_estimators: int = param(100, "number of trees", at_least=1, kw_only=False)
    max_depth: int | None = param(
        None, "maximum depth of a tree", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    max_features: MaxFeatures = param(
        1.0, "columns tried at each node: number, fraction or rule", above=0, tune=("sqrt", 0.3, 0.6, 1.0)
    )
    bootstrap: bool = param(True, "whether each tree is grown on a bootstrap sample, or on all rows")
    oob_score: bool | Callable[..., Any] = param(
        False, "whether to compute the out-of-bag score; or a scoring function of targets and predictions"
    )
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of the draws of rows, columns and thresholds")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    warm_start: bool = param(False, "whether a further fit adds trees to those of the last fit")
    ccp_alpha: float = param(0.0, "cost per leaf of minimal cost-complexity pruning", at_least=0)
    max_samples: int | float | None = param(
        None,
        "size of a bootstrap sample: number or fraction of rows",
        above=0,
    )
    monotonic_cst: Array | None = param(
        None, "monotonic constraint of each column: 1 increasing, -1 decreasing, 0 none"
    )
    tree_features: MaxFeatures = param(None, "columns drawn for each tree: number, fraction or rule", above=0)
    top_features: int = param(1, "number of best columns from which the split column is drawn", at_least=1)
    forest_: Forest = learned("the fitted trees, packed")
    n_outputs_: int = learned("number of targets", least=1)
    n_rows_: int = learned("number of training rows", least=1)
    seeds_: Array = learned("the seed of each tree", shape="trees")
    draws_: Draws | None = learned("the bootstrap sampling of rows; None if all rows are used")
    oob_score_: float = learned("out-of-bag score", optional=True)
    oob_curve_: Array = learned("out-of-bag score of the first tree, the first two, and so on", optional=True)

    estimator_params = (   # parameters passed on to each tree
        "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf",
        "max_features", "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst",
        "categorical_features", "splits", "max_bins",
    )  # fmt: skip
    splitter = "best"
    traits = Traits(sparse=True, storage="csc", missing="native", multi_target=True, stochastic=True, parametric=False)

    def _unsound(self) -> str:
        """Check that trees, seeds and draws belong together."""
        forest = self.forest_
        width = forest.stack.value.shape[1] // forest.targets
        if self.seeds_.dtype != np.uint64 or len(self.seeds_) != len(forest):
            return f"seeds_ must hold one for each of {len(forest)} trees"
        if self.draws_ is not None and self.draws_.rows != self.n_rows_:
            return f"n_rows_ is {self.n_rows_}, and rows are drawn from {self.draws_.rows}"
        return self._flaw_of_trees(forest.stack.feature, forest.targets, width)

    def _grow(
        self,
        target: ClassificationTarget | ScaledTarget,
        data: Data,
        weight: Array,
        trace: Trace,
        balanced: tuple[Array, int] | None = None,
    ) -> tuple[RankedColumns, Draws | None]:
        """Grow the remaining trees and add them to the forest; returns their columns and bootstrap draws.

        With `balanced`, class labels and their number, the classes of each bootstrap sample get equal total weights.
        """
        self.n_outputs_, self.n_rows_ = self._check_outputs(data), data.n
        self._check_sampling()
        columns = self._ranked_columns(data, weight)
        draws = self._bootstrap(columns.numbers, data, weight) if self.bootstrap else None
        if balanced is not None and draws is not None:
            draws = replace(draws, label=balanced[0], classes=balanced[1])
        sampling = Sampling.of(weight, self._new_seeds(), draws)
        total = 1.0 if self.bootstrap else float(weight.sum())
        limits = TreeLimits.of(self, len(sampling.rows), total, target.unit)
        search = self._split_search(data.p, target)
        if len(sampling.seeds):
            fresh, seeds = grow_forest(
                lambda few: grow(target, columns, sampling.for_seeds(few), limits, search), sampling.seeds, trace
            )
            self._add_trees(fresh, seeds)
        self.draws_ = draws
        if not trace.rows:
            trace.record(mean_leaf_impurity(self.forest_))
        certify_exact(trace, "each split of each tree is the best of all candidates")
        return columns, draws

    def _check_outputs(self, data: Data) -> int:
        """The number of targets, which a warm start cannot change."""
        outputs = 1 if data.y.ndim == 1 else int(data.y.shape[1])
        if "forest_" in self.__dict__ and outputs != self.n_outputs_:
            raise DataError(
                f"{type(self).__name__}: warm_start adds to trees of {self.n_outputs_} targets, but y has {outputs}; "
                "pass as many, or set warm_start=False"
            )
        return outputs

    def _check_sampling(self) -> None:
        owner = type(self).__name__
        if not self.bootstrap and self.max_samples is not None:
            raise ParameterError(f"{owner}: max_samples needs bootstrap=True; with bootstrap=False no rows are drawn")
        if not self.bootstrap and self.oob_score:
            raise ParameterError(f"{owner}: oob_score needs bootstrap=True; without it no row is out of bag")

    def _split_search(self, columns: int, target: ClassificationTarget | ScaledTarget) -> SplitSearch:
        owner = type(self).__name__
        per_tree = resolve_max_features(self.tree_features, columns, owner)
        tried = resolve_max_features(self.max_features, per_tree, owner)
        constraint = resolve_monotonic_cst(self.monotonic_cst, columns, self.n_outputs_, owner)
        return SplitSearch(
            max_features=0 if tried == per_tree or self.top_features > 1 else tried,
            tree_features=0 if per_tree == columns else per_tree,
            top_features=min(self.top_features, columns),
            random_thresholds=self.splitter == "random",
            monotonic_cst=target.constraint(constraint, owner),
        )

    def _bootstrap(self, X: Array, data: Data, weight: Array) -> Draws:
        """As many draws as there are rows, or copies if weights are integers, unless `max_samples` is given."""
        counted = np.flatnonzero(weight > 0).astype(np.uint32)
        order = counted[order_of_content(X[counted], data.y[counted])]
        unit_weights = bool((weight[order] == 1).all())
        given = weight if data.weight is None or counts_copies(weight) else data.weight
        copies = float(np.sum(given))
        rows = copies if counts_copies(given) else float(len(order))
        requested = self.max_samples
        if requested is None:
            number = round(rows)
        elif is_fraction(requested):
            number = int(requested * (rows if data.weight is None else min(copies, EXACT)))
        else:
            number = check_draw_count(int(requested), f"{type(self).__name__}: max_samples")
        return Draws(data.n, max(1, number), order, None if unit_weights else np.cumsum(weight[order]))

    def _new_seeds(self) -> Array:
        """Seeds of the trees that are still to be grown."""
        grown = len(self.seeds_) if "seeds_" in self.__dict__ else 0
        remaining = remaining_range(self, grown) if grown else range(self.n_estimators)
        drawn = uniforms(seed_of(self.random_state), remaining, 1)[:, 0]
        return np.asarray((drawn * 2.0**31).astype(np.uint64))  # each is the random_state of its tree

    def _add_trees(self, fresh: Forest, seeds: Array) -> None:
        """Prune new trees and add them to those of the last fit."""
        if self.ccp_alpha > 0:
            fresh = Forest.of([prune_by_cost_complexity(tree, self.ccp_alpha) for tree in fresh.trees()])
        if "forest_" in self.__dict__:
            fresh, seeds = self.forest_ + fresh, np.concatenate([self.seeds_, seeds])
        self.forest_, self.seeds_ = fresh, seeds

    def _tree_sum(self) -> TreeSum:
        """The mean of the trees as an additive model, for explanations."""
        stack = self.forest_.stack
        return TreeSum(stack, self.forest_.weighted_n_node_samples, 1 / len(stack), np.zeros(1))

    @property
    @abstractmethod
    def estimator_(self) -> Any:
        """An unfitted tree with the parameters of the trees."""

    @abstractmethod
    def _facts(self) -> dict[str, Any]:
        """What a single tree knows beside its nodes."""

    @property
    def estimators_(self) -> list[Any]:
        """The trees as fitted estimators."""
        found, categories = [], self._categories()
        coding = {} if categories is None else {"categories_": categories}
        tried = resolve_max_features(self.max_features, self.n_features_in_, type(self).__name__)
        for tree, seed in zip(self.forest_.trees(), self.seeds_, strict=True):
            model = self.estimator_.set_params(random_state=int(seed))
            found.append(
                model._adopt(tree, self, n_outputs_=self.n_outputs_, max_features_=tried, **coding, **self._facts())
            )
        return found

    @property
    def estimator(self) -> Any:
        """An unfitted tree with default parameters."""
        return type(self.estimator_)()

    def _tree_parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.estimator_params}

    def __len__(self) -> int:
        return len(self.forest_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    @property
    def estimators_samples_(self) -> list[Array]:
        """The bootstrap sample of each tree, rows repeated as often as they were drawn."""
        try:
            if self.n_rows_ * len(self.seeds_) > MAX_LISTED or (self.draws_ and self.draws_.number > MAX_LISTED):
                raise MemoryError
            if self.draws_ is None:
                return [np.arange(self.n_rows_, dtype=np.int32) for _ in self.seeds_]
            counts = self.draws_.counts(self.seeds_)
            return [
                np.repeat(np.arange(counts.shape[1], dtype=np.int32), of_tree.astype(np.int64)) for of_tree in counts
            ]
        except MemoryError:
            raise DataError(
                f"{type(self).__name__}: memory has no room for the {self.n_rows_} rows of each of {len(self)} trees"
            ) from None

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importance of each column, averaged over the trees."""
        return self.forest_.importances(self.n_features_in_)

    def apply(self, X: Any) -> Array:
        """The leaf of each row of `X`, a column for each tree."""
        return self.forest_.stack.leaves(self._coded(self._read(X)))

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """A sparse indicator matrix of the nodes that each row of `X` passes, and the first column of each tree."""
        return self.forest_.decision_path(self._coded(self._read(X)))
