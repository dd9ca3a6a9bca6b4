"""What all trees share: where they end, what they look at, and what they can tell of themselves."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Table, Trace, declaring, learned, param
from ..core.bunch import Bunch
from ..core.errors import ParameterError
from ..core.random import seed_of
from ..engines.growth_limits import MaxFeatures as MaxFeatures
from ..engines.growth_limits import columns_tried, dense, directions, rows_wanted
from ..engines.pruning import pruned, pruning_path
from ..engines.tree_sum import TreeSum
from ..engines.trees import DEEPEST, Ground, Growth, Ranked, Tree
from .coding import chosen_columns, coded, learned_categories
from .telling import Telling

Categorical = list[Any] | Array | Literal["from_dtype"]


@declaring
class DecisionTree(Telling):
    """A tree that divides rows by one column at a time; a class says what its leaves tell and `_grow`s it."""

    splitter: Literal["best", "random"] = param("best", "the best threshold of a column, or one at random")
    max_depth: int | None = param(None, "most divisions above a leaf", at_least=1)
    min_samples_split: int | float = param(2, "fewest rows, or which share, that are divided", above=0)
    min_samples_leaf: int | float = param(1, "fewest rows of a leaf, or their share", above=0)
    min_weight_fraction_leaf: float = param(0.0, "least share of the weight in a leaf", between=(0, 0.5))
    max_features: MaxFeatures = param(None, "columns tried at a node, drawn at random: number, share or rule", above=0)
    random_state: RandomState = param(None, "seed of the columns and thresholds that are drawn")
    max_leaf_nodes: int | None = param(None, "most leaves; the tree then grows where it gains most", at_least=2)
    min_impurity_decrease: float = param(0.0, "least impurity that a division must remove", at_least=0)
    ccp_alpha: float = param(0.0, "price of a leaf at which the tree is pruned", at_least=0)
    monotonic_cst: Array | None = param(None, "1, -1 or 0 for each column: values must not fall, not rise, are free")
    categorical_features: Categorical | None = param(
        None, 'columns of categories, divided in two groups: names, numbers, marks or "from_dtype"; None: no column'
    )
    tree_: Tree = learned("the tree as arrays, an entry for each node")
    max_features_: int = learned("columns tried at a node")
    n_outputs_: int = learned("number of targets")
    categories_: list[Any] = learned("sorted values of each column of categories, None for others", optional=True)

    sparse = True
    storage = "csc"
    missing = "native"
    multi_target = True
    parametric = False

    def _ground(self, data: Data, weight: Array, unit: float) -> Ground:
        """What the tree grows from; `unit` times the total weight is the worth of an impurity of one."""
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        n = len(rows)
        self.max_features_ = columns_tried(self.max_features, data.p, type(self).__name__)
        self.n_outputs_ = 1 if data.y.ndim == 1 else data.y.shape[1]
        growth = Growth(
            DEEPEST if self.max_depth is None else self.max_depth,
            self.max_leaf_nodes or 0,
            max(rows_wanted(self.min_samples_split, n), 2),
            rows_wanted(self.min_samples_leaf, n),
            self.min_weight_fraction_leaf * float(weight.sum()),
            self.min_impurity_decrease * unit * float(weight.sum()),
            0 if self.max_features_ == data.p else self.max_features_,
            self.splitter == "random",
            seed_of(self.random_state) % 2**64,
            directions(self.monotonic_cst, data.p, self.n_outputs_, type(self).__name__),
        )
        return Ground(self._ranked(data), rows, weight, growth)

    def _ranked(self, data: Data) -> Ranked:
        if not isinstance(data.X, Table):
            return Ranked.of(data.X)
        owner = type(self).__name__
        chosen = chosen_columns(data.X, self.categorical_features, owner)
        if self.monotonic_cst is not None and (np.asarray(self.monotonic_cst)[chosen] != 0).any():
            raise ParameterError(f"{owner}: monotonic_cst gives a direction to a column of categories, which has none")
        self.categories_ = learned_categories(data.X, chosen, gaps_too=False, owner=owner)
        return Ranked.of(self._coded(data.X), chosen)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        return super()._enter(X) if self.categorical_features is None else self._door.table(X)

    def _coded(self, X: Matrix) -> Array:
        """Rows as numbers, categories as their codes."""
        return coded(X, self.categories_, type(self).__name__) if isinstance(X, Table) else dense(X)

    def _categories(self) -> list[Array | None] | None:
        return self.__dict__.get("categories_")

    def _ends(self, X: Any) -> Array:
        return self.apply(X)

    def _keep(self, tree: Tree, trace: Trace) -> None:
        self.tree_ = pruned(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree
        left = self.tree_.children_left < 0
        impurity = self.tree_.impurity[left] @ self.tree_.weighted_n_node_samples[left]
        words = "each division is the best of all that were looked at"
        trace.exact(words, float(impurity / self.tree_.weighted_n_node_samples[0]))

    def _leaf_values(self, X: Matrix) -> Array:
        return self.tree_.predict(self._coded(X))

    def _tree_sum(self) -> TreeSum:
        """The tree as a sum of one, for explanations."""
        return TreeSum.of([self._grown()])

    def _tree_rows(self, X: Matrix) -> Array:
        """Rows as the tree sees them."""
        return self._coded(X)

    @property
    def feature_importances_(self) -> Array:
        """The share of the impurity that each column removes."""
        return self.tree_.compute_feature_importances(self.n_features_in_)

    def get_depth(self) -> int:
        """How many divisions a row passes at most."""
        return self._grown().max_depth

    def get_n_leaves(self) -> int:
        """How many leaves there are."""
        return self._grown().n_leaves

    def _grown(self) -> Tree:
        from ..core.errors import not_fitted

        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self.tree_

    def apply(self, X: Any, check_input: bool = True) -> Array:
        """The number of the leaf that each row of `X` ends in."""
        return self.tree_.apply(self._coded(self._read(X)))

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """A sparse matrix that marks, for each row of `X`, the nodes on its way."""
        return self.tree_.decision_path(self._coded(self._read(X)))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The prices of a leaf, `ccp_alphas`, at which the pruned tree changes, and its `impurities`."""
        whole: Any = self.clone().set_params(ccp_alpha=0.0)
        whole.fit(X, y, sample_weight)
        prices, impurities = pruning_path(whole.tree_)
        return Bunch(ccp_alphas=prices, impurities=impurities)
