"""k-prototypes clustering of mixed data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Table,
    Trace,
    Traits,
    WeightedClusterer,
    estimator,
    learned,
    param,
)
from ._kmeans.base_centroid import table_with_weight
from ._kmeans.kmodes_base import MixedRows, categories_of, coded, drop_weightless, flaw_of_modes, is_numeric, numbers_of
from .k_modes import best_prototypes


@estimator
class KPrototypes(WeightedClusterer):
    """K-prototypes clustering of mixed data: centres are means of numeric and modes of categorical columns.

    minimise over centres c and labels    sum_i s_i (|x_i - c_label(i)|^2 + gamma * number of mismatched categories)

    Equals k-modes if all columns are categorical, and k-means if all are numeric. Numeric columns should be scaled
    first. Cost of an iteration: rows times clusters times columns. [Huang, 1998]

    >>> X = [[1.0, "red"], [1.2, "red"], [9.0, "red"], [9.1, "blue"]]
    >>> KPrototypes(n_clusters=2, gamma=0.5, random_state=0).fit(X).inertia_
    0.525
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    categorical_features: Sequence[Any] | None = param(
        None, "categorical columns, by index or name; None: all that are not numeric"
    )
    gamma: float | None = param(
        None, "cost of a mismatched category; None: half the mean standard deviation of the numeric columns", at_least=0
    )
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    max_iter: int = param(100, "maximum number of iterations of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the initial centres")
    means_: Array = learned("means of the numeric columns of each cluster", shape="clusters numbers")
    modes_: Array = learned(
        "modes as indices into the categories of their column", shape="clusters categories", least=0
    )
    categories_: list[Array] = learned("categories of each categorical column", counts="categories")
    numeric_: Array = learned("indices of the numeric columns", shape="numbers", index="features")
    nominal_: Array = learned("indices of the categorical columns", shape="categories", index="features")
    gamma_: float = learned("cost of a mismatched category")
    inertia_: float = learned("weighted sum of the costs of the training rows to their centres")
    n_iter_: int = learned("number of iterations of the best run")

    traits = Traits(takes="table", stochastic=True)
    title = "k-prototypes clustering"
    reference = (
        "Huang, Extensions to the k-means algorithm for clustering large data sets with categorical values, 1998"
    )

    def _unsound(self) -> str:
        """Modes are categories of their columns."""
        return flaw_of_modes(self.modes_, self.categories_)

    def _fit(self, data: Data, trace: Trace) -> None:
        table, weight = table_with_weight(self, data)
        self.nominal_ = self._columns(table, data.names)
        self.numeric_ = np.setdiff1d(np.arange(data.p), self.nominal_)
        self.categories_ = categories_of(table, self.nominal_, "KPrototypes")
        rows = self._rows(data.X)
        weighted = drop_weightless(rows, data.weight)
        self.gamma_ = self._default_gamma(weighted.numbers, weight)
        best = best_prototypes(weighted, weight, self.gamma_, self, trace)
        self.means_, self.modes_, self.n_iter_ = best.state["numbers"], best.state["codes"], best.steps
        costs = self._costs(rows)
        self.labels_ = costs.argmin(axis=1).astype(np.int32)
        least = costs.min(axis=1)
        self.inertia_ = float(least.sum() if data.weight is None else (least * data.weight).sum())
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances overflow")

    def _columns(self, table: Table, names: list[str] | None) -> Array:
        """The indices of the categorical columns."""
        if self.categorical_features is None:
            return np.array([j for j, column in enumerate(table.parts) if not is_numeric(column)], dtype=np.int64)
        columns = [names.index(one) if names is not None and one in names else one for one in self.categorical_features]
        if not all(isinstance(j, (int, np.integer)) and 0 <= j < len(table.parts) for j in columns):
            raise ParameterError(
                "KPrototypes: categorical_features must be columns of X, by index or name; "
                f"got {self.categorical_features!r:.60}"
            )
        return np.unique(np.array(columns, dtype=np.int64))

    def _default_gamma(self, numbers: Array, weight: Array) -> float:
        if self.gamma is not None:
            return self.gamma
        if not numbers.shape[1]:
            return 1.0
        fractions = weight / weight.sum()
        deviation = np.sqrt(fractions @ (numbers - fractions @ numbers) ** 2)
        return float(deviation.mean() / 2)

    def _rows(self, X: Table) -> MixedRows:
        return MixedRows(
            numbers_of(X, self.numeric_, "KPrototypes"), coded(X, self.nominal_, self.categories_, "KPrototypes")
        )

    def _costs(self, rows: MixedRows) -> Array:
        return rows.costs(MixedRows(self.means_, self.modes_), self.gamma_)

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self._costs(self._rows(X)).argmin(axis=1), dtype=np.int32)
