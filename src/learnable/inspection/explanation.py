"""Contributions of the columns to single predictions, for any model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, generator
from ..core.declare.checked_functions import FittedModel, Rows, checked, limits
from ..core.errors import not_fitted
from ..core.sklearn_api.estimator_type import is_fitted
from ._encoded_columns import EncodedModel, linear_terms, tree_terms
from ._perturbed_tables import as_table, names_of, rows, width
from ._players import RowMixer, enumerated, index_of_output, refuse_several_outputs, sampled

MAX_PREDICTED = 200_000  # rows predicted for the exact values of one row
MAX_CELLS = 10**8  # predicted for the sampled values of one row
MIN_WALKS = 2
LEVEL = 0.95


@dataclass(frozen=True)
class Contributions:
    """Contributions of columns to predictions: `values` (rows, columns) that add up, with `base`, to each prediction.

    `base` is the mean prediction of the background, one for each row where it was sampled. `low` and `high` are the
    ends of 95 % intervals of sampled values, and the values themselves if these are exact. `unit` is what is explained:
    the prediction, a probability, log-odds, a score, or the logarithm of the prediction; `method` how.
    """

    values: Array
    base: Array
    low: Array
    high: Array
    names: list[str]
    unit: str
    method: str
    output: Any = None

    @property
    def exact(self) -> bool:
        """Whether the values were computed rather than sampled."""
        return not self.method.startswith("sampled")


@checked(n_permutations=limits(at_least=MIN_WALKS))
def contributions(
    model: FittedModel, X: Rows, background: Rows, *, output: Any = None, n_permutations: int = 64,
    random_state: int = 0,
) -> Contributions:  # fmt: skip
    """Shapley values (SHAP) of any model: how much each column moves the predictions for the rows of `X`.

    phi_j = sum over sets S without j of |S|! (p - |S| - 1)! / p! (v(S + j) - v(S)),   v(S) = mean_b f(x_S, b)

    Columns outside S are those of the background rows b. Linear models and sums of trees are exact, also behind an
    encoder of single columns, and so is every model of few columns; all others are sampled by random orders of the
    columns, each also reversed, with 95 % intervals. `output` is the class that is explained, by default the last one.
    Categories that trees see as several columns get the sum of the values of these. [Strumbelj and Kononenko, 2014]

    >>> from learnable import LinearRegression
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], [1.0, 3.0, 5.0]
    >>> found = contributions(LinearRegression().fit(X, y), [[2.0, 9.0]], X)
    >>> found.values.round(6).tolist(), found.base.round(6).tolist(), found.method
    ([[2.0, 0.0]], [3.0], 'exact: linear model')
    """
    if not is_fitted(model):
        raise not_fitted(model)
    X, background = as_table(X), as_table(background)
    names, p = names_of(X), width(X)
    if width(background) != p or len(background) == 0:
        raise DataError(f"contributions: the background must have rows with the {p} columns of X")
    refuse_several_outputs(model, rows(background, np.arange(1)), "contributions")
    index = index_of_output(model, output, "contributions")
    label = None if index is None else np.asarray(model.classes_)[index]
    parts = EncodedModel.of(model, p)
    for kind, terms in (("linear model", linear_terms), ("trees", tree_terms)):
        found = None if parts is None else terms(parts, X, background, index or 0)
        if parts is not None and found is not None:
            values, base, unit = found
            method = f"exact: {kind}" + ", summed over the columns of a category" * (
                kind == "trees" and not parts.one_to_one
            )
            return Contributions(values, np.full(len(values), base), values, values, names, unit, method, label)
    return _of_any_model(model, X, background, index, label, names, n_permutations, random_state)


def _of_any_model(
    model: Any, X: Any, background: Any, index: int | None, label: Any, names: list[str], walks: int, seed: int
) -> Contributions:  # fmt: skip
    """Exact values if the sets of columns are few, sampled ones otherwise."""
    unit = "prediction" if index is None else "probability" if hasattr(model, "predict_proba") else "score"

    def predict(rows: Any) -> Array:
        if index is None:
            return np.asarray(model.predict(rows), dtype=np.float64)
        found = np.asarray(model.predict_proba(rows) if unit == "probability" else model.decision_function(rows))
        if found.ndim == 1:
            return found if index else -found
        return found[:, index]

    rows, count, p = RowMixer(X, background), len(background), len(names)
    if p < 20 and 2**p * count <= MAX_PREDICTED:
        pairs = [enumerated(rows, predict, row, count) for row in range(rows.first)]
        values = np.array([one for one, _ in pairs]).reshape(rows.first, p)
        base = np.array([mean for _, mean in pairs])
        return Contributions(values, base, values, values, names, unit, "exact: all sets of columns", label)
    from scipy.special import stdtrit

    walks = max(MIN_WALKS, min(walks, MAX_CELLS // (2 * p * p)))
    triples = [sampled(rows, predict, row, count, walks, generator(seed, row)) for row in range(rows.first)]
    values = np.array([one for one, _, _ in triples]).reshape(rows.first, p)
    reach = stdtrit(walks - 1, (1 + LEVEL) / 2) * np.array([one for _, _, one in triples]).reshape(rows.first, p)
    base = np.array([mean for _, mean, _ in triples])
    how = f"sampled: {walks} orders of the columns, each also reversed"
    return Contributions(values, base, values - reach, values + reach, names, unit, how, label)
