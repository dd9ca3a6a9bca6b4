"""Base class of trees and forests with categorical columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Estimator, Matrix, Table, declaring, learned, param
from ..core.errors import ParameterError
from ..core.validate.sparse_input import as_dense
from ..engines.columns.table_encoding import chosen_columns, coded, learned_categories
from ..engines.trees.builder import RankedColumns
from ..engines.trees.tree_checks import flaw_of_categories, flaw_of_columns

Splits = Literal["exact", "histogram"]
Categorical = list[Any] | Array | Literal["from_dtype"]


@declaring
class CategoricalFeatures(Estimator):
    """Base class of estimators whose trees read categories as indices into the sorted values of a column."""

    monotonic_cst: Array | None  # declared by each class

    categorical_features: Categorical | None = param(
        None, 'categorical columns, split into two subsets: names, indices, mask or "from_dtype"; None for none'
    )
    splitter = "best"
    splits = "exact"  # a parameter of classes that support histogram bins
    max_bins = 255
    categories_: list[Any] = learned(
        "sorted values of each categorical column, None for others", optional=True, counts="features"
    )

    def _flaw_of_trees(self, feature: Array, targets: int, width: int) -> str:
        """Why trees are not trees over these columns, targets and classes; empty if they are."""
        categories = self.__dict__.get("categories_")
        if self.categorical_features is not None and categories is None:
            return "categories_ is missing"
        return (
            flaw_of_columns(feature, self.n_features_in_)
            or (
                "" if targets == self.__dict__["n_outputs_"] else f"n_outputs_ differs from the {targets} of the leaves"
            )
            or ("" if categories is None else flaw_of_categories(categories))
            or self._flaw_of_leaves(targets, width)
        )

    def _flaw_of_leaves(self, targets: int, width: int) -> str:
        """Why leaf values are not predictions; empty unless a subclass checks them."""
        return ""

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        return super()._enter(X) if self.categorical_features is None else self._validator.table(X)

    def _ranked_columns(self, data: Data, weight: Array) -> RankedColumns:
        """The columns as trees read them; a warm start keeps the categories of the first fit."""
        if not isinstance(data.X, Table):
            return self._rank(data.X, weight, None)
        owner = type(self).__name__
        chosen = chosen_columns(data.X, self.categorical_features, owner)
        if self.monotonic_cst is not None and (np.asarray(self.monotonic_cst)[chosen] != 0).any():
            raise ParameterError(f"{owner}: monotonic_cst must be 0 for categorical columns, which have no order")
        if "categories_" not in self.__dict__:
            self.categories_ = learned_categories(data.X, chosen, with_missing=False, owner=owner)
        return self._rank(self._coded(data.X), weight, chosen)

    def _rank(self, X: Matrix, weight: Array, categorical: Array | None) -> RankedColumns:
        if self.splitter == "random":
            return RankedColumns.of_numbers(X, categorical)
        if self.splits == "exact":
            return RankedColumns.of(X, categorical)
        return RankedColumns.in_bins(X, self.max_bins, weight, categorical)

    def _coded(self, X: Matrix) -> Array:
        """Rows as numbers, with the codes of categories."""
        return coded(X, self.categories_, type(self).__name__) if isinstance(X, Table) else as_dense(X)

    def _categories(self) -> list[Array | None] | None:
        """The category values of columns that hold codes."""
        return self.__dict__.get("categories_")

    def _tree_rows(self, X: Matrix) -> Array:
        """Rows as trees read them."""
        return self._coded(X)
