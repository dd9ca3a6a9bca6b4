"""Shapley values: how much each feature moves the prediction for a row away from the mean prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.errors import not_fitted
from ..core.validate.sparse_input import checks_sparse
from ._perturbed_tables import as_table, names_of


@dataclass(frozen=True)
class ShapValues:
    """SHAP values.

    `values` (rows, columns) or (rows, columns, outputs) that add up, with `base`, to the prediction of each row.

    `data` are the rows as the trees see them, and `names` the columns.
    """

    values: Array
    base: Array | float
    data: Array
    names: list[str]
    outputs: list[Any]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.values if dtype is None else self.values.astype(dtype)

    def importances(self, output: int = -1) -> Array:
        """Mean absolute SHAP value of each column, of one output."""
        values = self.values if self.values.ndim == 2 else self.values[:, :, output]
        return np.asarray(np.abs(values).mean(axis=0))


@checks_sparse
def shap_values(model: Any, X: Any, *, background: Any = None) -> ShapValues:
    """Exact Shapley values (SHAP) of a tree, or of a sum of trees, for the rows of `X`.

    phi_i = sum over sets S of other columns of |S|! (p - |S| - 1)! / p! (f(S + i) - f(S)),   f(x) = base + sum_i phi_i

    where f(S) is the prediction when only the features in S are known: at a split on another feature rows go both
    ways, as the training rows did. Every set is counted, in O(nodes x depth) for a row: an integral over the chance to
    know a column that few points give exactly. With a `background`, columns that are not known are those of each of
    its rows in turn: the prediction of the model, not the conditional expectation in training. Classifiers that
    predict with shares are explained in shares, boosting in scores. [Lundberg et al., 2020]

    >>> from learnable import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[0.0, 5.0], [1.0, 5.0]], [10.0, 20.0])
    >>> found = shap_values(model, [[0.0, 5.0]])
    >>> found.base.item(), found.values.tolist()
    (15.0, [[-5.0, 0.0]])
    """
    if not hasattr(model, "n_features_in_"):
        raise not_fitted(model)
    if not hasattr(model, "_tree_sum"):
        raise DataError(f"shap_values: {type(model).__name__} is not a tree ensemble; exact Shapley values need one")
    names = names_of(as_table(X))
    own = getattr(model, "feature_names_in_", None)
    data, others = (
        None if table is None else np.ascontiguousarray(model._tree_rows(model._read(table)), dtype=np.float64)
        for table in (X, background)
    )
    assert data is not None
    values, base = model._tree_sum().shapley(data, others)
    called = names if own is None else [str(name) for name in own]
    classes = getattr(model, "classes_", None)
    outputs = list(range(values.shape[2])) if classes is None or len(classes) != values.shape[2] else list(classes)
    if values.shape[2] == 1:
        return ShapValues(values[:, :, 0], base[0], data, called, outputs)
    return ShapValues(values, base, data, called, outputs)
