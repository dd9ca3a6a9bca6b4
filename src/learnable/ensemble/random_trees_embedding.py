"""Rows as the leaves that they come to in trees grown at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Transformer, estimator, learned, param, uniforms
from ..core.runtime.random import seed_of
from ..core.runtime.trace import Trace
from ..engines.sampling.canonical_order import order_of_content
from ..engines.trees.builder import Ranked, TreeGrower
from ..engines.trees.growth_limits import dense
from ..preprocessing import OneHotEncoder
from ..tree._growth_limits import LimitedGrowth
from ._forest.random_trees import AimlessTrees
from ._grow_in_batches import grow_forest, tell_of_growth


@estimator
class RandomTreesEmbedding(AimlessTrees, LimitedGrowth, Transformer):
    """Rows as marks of the leaves that they come to in trees grown at random: close rows share many.

    z(x) = one mark in each tree, at the leaf of x

    The trees divide by random thresholds of random columns, without any target. A linear model of the marks is a
    smooth model of the rows. [Geurts et al., 2006; Moosmann et al., 2006]

    >>> RandomTreesEmbedding(n_estimators=3, max_depth=1, random_state=0).fit_transform([[0.0], [1.0]]).toarray()
    array([[1., 0., 1., 0., 1., 0.],
           [0., 1., 0., 1., 0., 1.]])
    """

    n_estimators: int = param(100, "number of trees", at_least=1, kw_only=False)
    max_depth: int | None = param(5, "most divisions above a leaf", at_least=1, tune=(2, 3, 5, 8), simpler="smaller")
    sparse_output: bool = param(True, "whether marks come as a sparse matrix")
    n_rows_: int = learned("number of rows that were learned from")

    estimator_params = (  # what each tree takes over
        "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_leaf_nodes",
        "min_impurity_decrease",
    )  # fmt: skip
    looks_at_target = "never"
    n_outputs_ = 1
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"

    def _fit(self, data: Data, trace: Trace) -> None:
        X = dense(data.X)
        self.n_rows_ = data.n
        weight = np.ones(data.n) if data.weight is None else data.weight
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        growth = self._growth(len(rows), float(weight.sum()), 0.0, candidates=1, random_thresholds=True)
        drawn = uniforms(seed_of(self.random_state), self._missing(), 1)[:, 0]
        if len(drawn):
            grower, target = TreeGrower(Ranked.of_numbers(X), rows, weight, growth), _aimless(X)
            seeds = (drawn * 2.0**53).astype(np.uint64)
            self._put(grow_forest(grower, seeds, lambda some: some.forest_of_numbers(target, "squares"), trace)[0])
        tell_of_growth(trace, "every tree was grown to its limits")

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
    def estimators_samples_(self) -> list[Array]:
        """The rows that each tree saw: all of them."""
        return [np.arange(self.n_rows_) for _ in range(len(self.forest_))]

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
