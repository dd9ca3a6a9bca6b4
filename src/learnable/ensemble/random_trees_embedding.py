"""Totally random trees embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Traits, Transformer, estimator, learned, param, uniforms
from ..core.runtime.random import seed_of
from ..core.runtime.trace import Trace
from ..core.validate.sparse_input import as_dense
from ..engines.sampling.canonical_order import order_of_content
from ..engines.trees.builder import RankedColumns, Sampling, SplitSearch, grow
from ..engines.trees.growth_limits import TreeLimits
from ..engines.trees.regression_target import RegressionTarget
from ..preprocessing import OneHotEncoder
from ..tree._growth_limits import TreeLimitParams
from ._forest.forest_base import MAX_LISTED
from ._forest.random_trees import RandomTrees
from ._grow_in_batches import certify_exact, grow_forest


@estimator
class RandomTreesEmbedding(RandomTrees, TreeLimitParams, Transformer):
    """Totally random trees embedding: one-hot encoding of the leaf that a row reaches in each of many random trees.

    z(x) = one-hot code of the leaf of x in each tree, concatenated

    The trees split by random thresholds of random columns, without any target. Close rows share many leaves, so that a
    linear model of the codes is a flexible model of the rows. [Geurts et al., 2006; Moosmann et al., 2006]

    >>> RandomTreesEmbedding(n_estimators=3, max_depth=1, random_state=0).fit_transform([[0.0], [1.0]]).toarray()
    array([[1., 0., 1., 0., 1., 0.],
           [0., 1., 0., 1., 0., 1.]])
    """

    n_estimators: int = param(100, "number of trees", at_least=1, kw_only=False)
    max_depth: int | None = param(5, "maximum depth of a tree", at_least=1, tune=(2, 3, 5, 8), simpler="smaller")
    sparse_output: bool = param(True, "whether the encoding is a sparse matrix")
    n_rows_: int = learned("number of training rows")

    estimator_params = (   # parameters passed on to each tree
        "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_leaf_nodes",
        "min_impurity_decrease",
    )  # fmt: skip
    traits = Traits(uses_target="never")
    n_outputs_ = 1
    title = "totally random trees embedding"
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"

    def _fit(self, data: Data, trace: Trace) -> None:
        X = as_dense(data.X)
        self.n_rows_ = data.n
        weight = np.ones(data.n) if data.weight is None else data.weight
        drawn = uniforms(seed_of(self.random_state), self._remaining(), 1)[:, 0]
        sampling = Sampling.of(weight, (drawn * 2.0**53).astype(np.uint64))
        limits = TreeLimits.of(self, len(sampling.rows), float(weight.sum()), 0.0)
        search = SplitSearch(max_features=1, random_thresholds=True)
        if len(drawn):
            columns, target = RankedColumns.of_numbers(X), RegressionTarget(_row_codes(X))
            fresh, _ = grow_forest(
                lambda few: grow(target, columns, sampling.for_seeds(few), limits, search), sampling.seeds, trace
            )
            self._add_trees(fresh)
        certify_exact(trace, "every tree was grown to its limits")

    def _transform(self, X: Any) -> Any:
        from scipy import sparse

        stack = self.forest_.stack
        is_leaf = stack.left < 0
        column_of_leaf = np.cumsum(is_leaf) - 1
        columns = column_of_leaf[stack.leaves(as_dense(X)) + stack.start[:-1]]
        n, trees = columns.shape
        encoding = sparse.csr_matrix(
            (np.ones(n * trees, dtype=X.dtype), columns.ravel(), np.arange(0, n * trees + 1, trees)),
            shape=(n, int(is_leaf.sum())),
        )
        return encoding if self.sparse_output else encoding.toarray()

    def _names_out(self, names: list[str]) -> list[str]:
        stack = self.forest_.stack
        tree = np.repeat(np.arange(len(stack)), np.diff(stack.start))
        nodes = np.flatnonzero(stack.left < 0)
        own = nodes - stack.start[tree[nodes]]
        return [f"randomtreesembedding_{t}_{leaf}" for t, leaf in zip(tree[nodes], own, strict=True)]

    @property
    def estimators_samples_(self) -> list[Array]:
        """The training rows of each tree: all of them."""
        try:
            if self.n_rows_ > MAX_LISTED:
                raise MemoryError
            rows = np.arange(self.n_rows_)
        except MemoryError:
            raise DataError(f"{type(self).__name__}: memory has no room for a list of {self.n_rows_} rows") from None
        return [rows.view() for _ in range(len(self.forest_))]

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """The one-hot encoder of the leaves of each tree."""
        leaves = [np.flatnonzero(tree.children_left < 0) for tree in self.forest_.trees()]
        first = np.array([[own[0] for own in leaves]])
        return OneHotEncoder(categories=leaves, sparse_output=self.sparse_output).fit(first)

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importances; of random splits, they say little."""
        return self.forest_.importances(self.n_features_in_)

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """A sparse indicator matrix of the nodes that each row of `X` passes, and the first column of each tree."""
        return self.forest_.decision_path(as_dense(self._read(X)))

    def apply(self, X: Any) -> Array:
        """The leaf of each row of `X`, a column for each tree."""
        return self.forest_.stack.leaves(as_dense(self._read(X)))


def _row_codes(X: Array) -> Array:
    """A target that is equal for equal rows only, so that trees grow while rows differ."""
    order = order_of_content(X, np.zeros(len(X)))
    after, before = X[order[1:]], X[order[:-1]]
    differ = (after != before) & ~(np.isnan(after) & np.isnan(before))
    new = np.concatenate([[True], differ.any(axis=1)])
    target = np.empty(len(X))
    target[order] = np.cumsum(new)
    return target[:, None]
