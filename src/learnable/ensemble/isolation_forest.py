"""Isolation forest for outlier detection."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, generator, learned, param
from ..core.errors import warn
from ..core.numeric import is_fraction
from ..core.roles.outlier_detector import OutlierDetector
from ..core.runtime.random import seed_of
from ..core.validate.sparse_input import as_dense
from ..engines.columns.quantiles import quantiles
from ..engines.sampling.canonical_order import RowSampler
from ..engines.trees.builder import RankedColumns, Sampling, SplitSearch, grow
from ..engines.trees.forest import Forest
from ..engines.trees.growth_limits import TreeLimits, is_count_or_fraction, resolve_max_features
from ..engines.trees.regression_target import RegressionTarget
from ..engines.trees.tree import Tree
from ..tree.extra_tree_regressor import ExtraTreeRegressor
from ._boosting.adaboost_base import row_count_of_weights
from ._forest.random_trees import RandomTrees
from ._grow_in_batches import certify_exact, fit_in_batches


@estimator
class IsolationForest(RandomTrees, OutlierDetector):
    """Isolation forest: outlier detection by the number of random splits that isolate a row.

    score(x) = -2^(-mean depth of x / c(m)),    c(m) = 2 (log(m - 1) + 0.5772) - 2 (m - 1) / m

    Each tree splits m rows drawn at random by a random threshold of a random column until rows are isolated, to a depth
    of at most log2 m; a leaf with several rows adds the expected depth of a tree of these. Scores are near -1 for
    outliers and above -1/2 for inliers. Rows are drawn by weight. [Liu, Ting and Zhou, 2008]

    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0]]
    >>> IsolationForest(random_state=0, contamination=0.2).fit(X).predict(X)
    array([ 1,  1,  1,  1, -1])
    """

    max_samples: int | float | Literal["auto"] = param(
        "auto", "rows drawn for each tree: number or fraction; auto for at most 256", above=0,
        accepts=is_count_or_fraction, says="an integer or a fraction of at most 1",
    )  # fmt: skip
    contamination: float | Literal["auto"] = param(
        "auto", "fraction of outliers; auto for a threshold of -1/2 on the score", above=0, at_most=0.5
    )
    max_features: int | float = param(1.0, "columns given to each tree: number or fraction", above=0)
    bootstrap: bool = param(False, "whether rows are drawn with replacement")
    offset_: float = learned("threshold of the score below which a row is an outlier")
    max_samples_: int = learned("number of rows drawn for each tree", least=1)
    estimators_samples_: list[Array] = learned(
        "the rows of each tree, repeated as often as they were drawn", each="drawn*"
    )

    traits = Traits(infinite=True, parametric=False)
    title = "isolation forest"
    reference = "Liu, Ting and Zhou, Isolation Forest, ICDM 2008"

    def _fit(self, data: Data, trace: Trace) -> None:
        X = as_dense(data.X)
        weight = np.ones(data.n) if data.weight is None else data.weight
        sampler = RowSampler.of(X, weight)
        self.max_samples_ = self._sample_size(sampler.size)
        seed = seed_of(self.random_state)

        def grow_some(numbers: range) -> list[tuple[Array, Tree]]:
            draws = [generator(seed, t) for t in numbers]
            samples = [sampler.draw(draw, self.max_samples_, self.bootstrap) for draw in draws]
            return [(rows, self._tree(X, rows, draw)) for rows, draw in zip(samples, draws, strict=True)]

        fresh = [tree for batch in fit_in_batches(self._remaining(), grow_some, 1, trace) for tree in batch]
        self.estimators_samples_ = [*self.__dict__.get("estimators_samples_", []), *(rows for rows, _ in fresh)]
        if fresh:
            self._add_trees(Forest.of([tree for _, tree in fresh]))
        if self.contamination == "auto":
            self.offset_ = -0.5
        else:
            copies = None if data.weight is None else weight * (row_count_of_weights(weight) / weight.sum())
            self.offset_ = float(quantiles(self._scores(X), np.array([self.contamination]), copies)[0])
        certify_exact(trace, "every tree was grown until its rows were isolated or its maximum depth was reached")

    def _sample_size(self, rows: int) -> int:
        if self.max_samples == "auto":
            return min(256, rows)
        if is_fraction(self.max_samples):
            return max(1, int(self.max_samples * rows))
        if self.max_samples > rows:
            warn(
                f"max_samples ({self.max_samples}) is greater than the total number of samples ({rows}); max_samples "
                "will be set to n_samples for estimation",
                UserWarning,
            )
        return min(int(self.max_samples), rows)

    def _tree(self, X: Array, rows: Array, draws: np.random.Generator) -> Tree:
        distinct, counts = np.unique(rows, return_counts=True)
        columns = RankedColumns.of_numbers(X[distinct])
        seed = np.array([draws.integers(2**62)], dtype=np.uint64)
        given = resolve_max_features(self.max_features, X.shape[1], "IsolationForest")
        noise = draws.random((len(counts), 1))  # a random target, as the splits are random
        limits = TreeLimits(max_depth=self._depth())
        search = SplitSearch(max_features=1, random_thresholds=True, tree_features=0 if given == X.shape[1] else given)
        sampling = Sampling.of(counts.astype(np.float64), seed)
        tree = grow(RegressionTarget(noise), columns, sampling, limits, search).tree(0)
        depth = tree.depth() + expected_depth(tree.weighted_n_node_samples)
        return replace(tree, value=depth[:, None, None])

    def _scores(self, X: Matrix) -> Array:
        depth = self.forest_.means(as_dense(X))[:, 0, 0]
        average = float(expected_depth(np.array([self.max_samples_]))[0])
        found = -np.power(2.0, -depth / average) if average > 0 else np.full(len(depth), -0.5)
        return found.astype(X.dtype, copy=False)

    def _depth(self) -> int:
        """The maximum depth of a tree: that of a balanced one."""
        return max(1, int(np.ceil(np.log2(max(self.max_samples_, 2)))))

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """An unfitted tree with the parameters of the trees."""
        return super().estimator_.set_params(max_depth=self._depth())

    @property
    def estimators_features_(self) -> list[Array]:
        """The columns that each tree splits on."""
        return [np.unique(tree.feature[tree.feature >= 0]) for tree in self.forest_.trees()]


def expected_depth(rows: Array) -> Array:
    """Expected depth c(m) of a row in a random tree of m rows."""
    rows = np.asarray(rows, dtype=np.float64)
    many = np.maximum(rows, 3)
    found = 2 * (np.log(many - 1) + np.euler_gamma) - 2 * (many - 1) / many
    return np.where(rows > 2, found, np.where(rows == 2, 1.0, 0.0))
