"""k-prototypes: groups of rows of numbers and categories."""

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
    WeightedClusterer,
    estimator,
    learned,
    param,
)
from ._kmeans.base_centroid import counted_table
from ._kmeans.kmodes_base import MixedRows, categories_of, coded, counted_part, holds_numbers, numbers_of
from .k_modes import best_prototypes


@estimator
class KPrototypes(WeightedClusterer):
    """Groups of rows with numbers and categories, each about the means of the ones and the modes of the others.

    minimise over centres c and labels    sum_i s_i (|x_i - c_label(i)|^2 over numbers + gamma * categories that differ)

    With categories alone it is k-modes, with numbers alone k-means. Numbers count in their units: scale them first.
    Cost of a step: rows times groups times columns. [Huang, 1998]

    >>> X = [[1.0, "red"], [1.2, "red"], [9.0, "red"], [9.1, "blue"]]
    >>> KPrototypes(n_clusters=2, gamma=0.5, random_state=0).fit(X).inertia_
    0.525
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    categorical_features: Sequence[Any] | None = param(
        None, "columns of categories, by number or name; None for all that hold no numbers"
    )
    gamma: float | None = param(
        None, "price of a category that differs; None is half the mean standard deviation of the numbers", at_least=0
    )
    n_init: int = param(1, "number of runs, of which the best is kept", at_least=1)
    max_iter: int = param(100, "most steps of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the rows that runs begin with")
    means_: Array = learned("mean of each column of numbers, for each group", shape="groups numbers")
    modes_: Array = learned("place of each mode among the categories of its column", shape="groups categories", least=0)
    categories_: list[Array] = learned("the different values of each column of categories", counts="categories")
    numeric_: Array = learned("which columns are numbers, by place", shape="numbers", index="features")
    nominal_: Array = learned("which columns are categories, by place", shape="categories", index="features")
    gamma_: float = learned("price of a category that differs")
    inertia_: float = learned("weighted sum of the costs of the training rows to their centres")
    n_iter_: int = learned("steps of the best run")

    takes = "table"
    stochastic = True
    reference = (
        "Huang, Extensions to the k-means algorithm for clustering large data sets with categorical values, 1998"
    )

    def _fit(self, data: Data, trace: Trace) -> None:
        table, weight = counted_table(self, data)
        self.nominal_ = self._columns(table, data.names)
        self.numeric_ = np.setdiff1d(np.arange(data.p), self.nominal_)
        self.categories_ = categories_of(table, self.nominal_, "KPrototypes")
        rows = self._rows(data.X)
        counted = counted_part(rows, data.weight)
        self.gamma_ = self._price(counted.numbers, weight)
        best = best_prototypes(counted, weight, self.gamma_, self, trace)
        self.means_, self.modes_, self.n_iter_ = best.state["numbers"], best.state["codes"], best.steps
        costs = self._costs(rows)
        self.labels_ = costs.argmin(axis=1).astype(np.int32)
        least = costs.min(axis=1)
        self.inertia_ = float(least.sum() if data.weight is None else (least * data.weight).sum())
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances leave the range of floats")

    def _columns(self, table: Table, names: list[str] | None) -> Array:
        """The places of the columns of categories."""
        if self.categorical_features is None:
            return np.array([j for j, part in enumerate(table.parts) if not holds_numbers(part)], dtype=np.int64)
        places = [names.index(one) if names is not None and one in names else one for one in self.categorical_features]
        if not all(isinstance(place, (int, np.integer)) and 0 <= place < len(table.parts) for place in places):
            raise ParameterError(
                "KPrototypes: categorical_features must name columns of X, by number or name; "
                f"got {self.categorical_features!r:.60}"
            )
        return np.unique(np.array(places, dtype=np.int64))

    def _price(self, numbers: Array, weight: Array) -> float:
        if self.gamma is not None:
            return self.gamma
        if not numbers.shape[1]:
            return 1.0
        shares = weight / weight.sum()
        deviation = np.sqrt(shares @ (numbers - shares @ numbers) ** 2)
        return float(deviation.mean() / 2)

    def _rows(self, X: Table) -> MixedRows:
        return MixedRows(
            numbers_of(X, self.numeric_, "KPrototypes"), coded(X, self.nominal_, self.categories_, "KPrototypes")
        )

    def _costs(self, rows: MixedRows) -> Array:
        return rows.costs(MixedRows(self.means_, self.modes_), self.gamma_)

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self._costs(self._rows(X)).argmin(axis=1), dtype=np.int32)
