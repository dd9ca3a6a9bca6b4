"""Rows as the leaves that they come to in trees grown at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, RandomState, Transformer, estimator, learned, param, uniforms
from ..core.random import seed_of
from ..core.trace import Trace
from ..engines.forest_nodes import Forest
from ..engines.growth_limits import dense, rows_wanted
from ..engines.row_order import order_of_content
from ..engines.trees import DEEPEST, Ground, Growth, Ranked
from ..preprocessing import OneHotEncoder
from ..tree.extra_tree_regressor import ExtraTreeRegressor


@estimator
class RandomTreesEmbedding(Transformer):
    """Rows as marks of the leaves that they come to in trees grown at random: close rows share many.

    z(x) = one mark in each tree, at the leaf of x

    The trees divide by random thresholds of random columns, without any target. A linear model of the marks is a
    smooth model of the rows. [Geurts et al., 2006; Moosmann et al., 2006]

    >>> RandomTreesEmbedding(n_estimators=3, max_depth=1, random_state=0).fit_transform([[0.0], [1.0]]).toarray()
    array([[1., 0., 1., 0., 1., 0.],
           [0., 1., 0., 1., 0., 1.]])
    """

    n_estimators: int = param(100, "number of trees", at_least=1, kw_only=False)
    max_depth: int | None = param(5, "most divisions above a leaf", at_least=1)
    min_samples_split: int | float = param(2, "fewest rows, or which share, that are divided", above=0)
    min_samples_leaf: int | float = param(1, "fewest rows of a leaf, or their share", above=0)
    min_weight_fraction_leaf: float = param(0.0, "least share of the weight in a leaf", between=(0, 0.5))
    max_leaf_nodes: int | None = param(None, "most leaves of a tree", at_least=2)
    min_impurity_decrease: float = param(0.0, "accepted; divisions have no aim here", at_least=0)
    sparse_output: bool = param(True, "whether marks come as a sparse matrix")
    n_jobs: int | None = param(None, "accepted; trees grow on the threads of `learnable.threads`")
    random_state: RandomState = param(None, "seed of the columns and thresholds that are drawn")
    verbose: int = param(0, "accepted; `learnable.progress()` shows how a fit goes")
    warm_start: bool = param(False, "whether a further fit adds trees to those that are there")
    forest_: Forest = learned("the trees, packed")

    sparse = True
    storage = "csc"
    missing = "native"
    looks_at_target = "never"
    n_outputs_ = 1
    stochastic = True
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"

    def _fit(self, data: Data, trace: Trace) -> None:
        X = dense(data.X)
        weight = np.ones(data.n) if data.weight is None else data.weight
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        there = self.__dict__.get("forest_") if self.warm_start else None
        begun = 0 if there is None else len(there)
        drawn = uniforms(seed_of(self.random_state), range(begun, self.n_estimators), 1)[:, 0]
        growth = Growth(
            DEEPEST if self.max_depth is None else self.max_depth,
            self.max_leaf_nodes or 0,
            max(rows_wanted(self.min_samples_split, len(rows)), 2),
            rows_wanted(self.min_samples_leaf, len(rows)),
            self.min_weight_fraction_leaf * float(weight.sum()),
            candidates=1,
            random_thresholds=True,
        )
        if len(drawn):
            ground = Ground(Ranked.of(X), rows, weight, growth, (drawn * 2.0**53).astype(np.uint64))
            fresh = ground.forest_of_numbers(_aimless(X), "squares")
            self.forest_ = fresh if there is None else there + fresh
        trace.exact("every tree was grown to its limits")

    def _transform(self, X: Any) -> Any:
        from scipy import sparse

        stack = self.forest_.stack
        is_leaf = stack.left < 0
        place = np.cumsum(is_leaf) - 1
        columns = place[stack.leaves(dense(X)) + stack.start[:-1]]
        n, trees = columns.shape
        marks = sparse.csr_matrix(
            (np.ones(n * trees, dtype=X.dtype), columns.ravel(), np.arange(0, n * trees + 1, trees)),
            shape=(n, int(is_leaf.sum())),
        )
        return marks if self.sparse_output else marks.toarray()

    def _names_out(self, names: list[str]) -> list[str]:
        stack = self.forest_.stack
        tree = np.repeat(np.arange(len(stack)), np.diff(stack.start))
        nodes = np.flatnonzero(stack.left < 0)
        own = nodes - stack.start[tree[nodes]]
        return [f"randomtreesembedding_{t}_{leaf}" for t, leaf in zip(tree[nodes], own, strict=True)]

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """A tree that has not grown."""
        return ExtraTreeRegressor(max_features=1, max_depth=self.max_depth)

    @property
    def estimators_(self) -> list[ExtraTreeRegressor]:
        """The trees as estimators of their own."""
        found = []
        for tree in self.forest_.trees():
            model = self.estimator_
            model.__dict__.update(tree_=tree, n_outputs_=1, max_features_=1)
            model._remember_columns_of(self)
            found.append(model)
        return found

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """Leaves of each tree as marks."""
        leaves = [np.flatnonzero(tree.children_left < 0) for tree in self.forest_.trees()]
        first = np.array([[own[0] for own in leaves]])
        return OneHotEncoder(categories=leaves, sparse_output=self.sparse_output).fit(first)

    @property
    def feature_importances_(self) -> Array:
        """How much each column divides; with no aim, this tells little."""
        return self.forest_.importances(self.n_features_in_)

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """A sparse matrix that marks the nodes on the way of each row, and where the nodes of each tree begin."""
        return self.forest_.decision_path(dense(self._read(X)))

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row of `X` ends in, a column for each tree."""
        return self.forest_.stack.leaves(dense(self._read(X)))


def _aimless(X: Array) -> Array:
    """A target that is the same for equal rows and tells nothing else: trees go on while rows differ."""
    order = order_of_content(X, np.zeros(len(X)))
    after, before = X[order[1:]], X[order[:-1]]
    differ = (after != before) & ~(np.isnan(after) & np.isnan(before))
    new = np.concatenate([[True], differ.any(axis=1)])
    target = np.empty(len(X))
    target[order] = np.cumsum(new)
    return target[:, None]
