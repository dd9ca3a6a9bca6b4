"""Friedman's H statistic: how much of the joint effect of two features is not the sum of their effects."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..core import Array, DataError, generator
from ..core.declare.checked_functions import FittedModel, Rows, checked, limits
from ..core.errors import not_fitted
from ..core.sklearn_api.estimator_type import is_fitted
from ._perturbed_tables import as_table, names_of, place_of, rows
from ._players import RowMixer, index_of_output, refuse_several_outputs


@dataclass(frozen=True)
class Interaction:
    """An interaction of two features: `h` from 0 to 1, and `size`, its standard deviation in the predictions."""

    features: tuple[str, str]
    h: float
    size: float


@checked(max_samples=limits(at_least=2))
def interactions(
    model: FittedModel, X: Rows, features: Any = None, *, output: Any = None, max_samples: int = 50,
    random_state: int = 0,
) -> list[Interaction]:  # fmt: skip
    """Friedman's H statistic of pairs of features, the strongest first.

    H^2 = sum_i (F_jk(x_i) - F_j(x_i) - F_k(x_i))^2 / sum_i F_jk(x_i)^2

    with F the partial dependence on the columns named, centred, over at most `max_samples` rows of `X`: 0 if the
    effects add up, 1 if there is nothing but interaction. Where the joint effect is small, H is noise: see `size`.
    Cost: max_samples^2 predictions for each feature and each pair. [Friedman and Popescu, 2008]

    >>> from learnable import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> found = interactions(DecisionTreeRegressor().fit(X, y), X)
    >>> found[0].features, round(found[0].h, 3), found[0].size
    (('x0', 'x1'), 0.577, 1.0)
    """
    if not is_fitted(model):
        raise not_fitted(model)
    X = as_table(X)
    names = names_of(X)
    if len(X) == 0:
        raise DataError("interactions: X has no rows")
    refuse_several_outputs(model, rows(X, np.arange(1)), "interactions")
    index = index_of_output(model, output, "interactions")
    chosen = _chosen(features, names)
    if len(set(chosen)) < 2:
        raise DataError("interactions: two features or more are needed")
    sample = np.sort(generator(random_state).permutation(len(X))[:max_samples])
    part = rows(X, sample)
    mixed, count = RowMixer(part, part), len(sample)
    own_rows, others = np.repeat(np.arange(count), count), np.tile(np.arange(count), count)

    def predict(table: Any) -> Array:
        return _response(model, table, index)

    def effect(*columns: int) -> Array:
        own = np.zeros((count * count, mixed.width), dtype=bool)
        own[:, list(columns)] = True
        found = mixed.predict(predict, own_rows, others, own).reshape(count, count).mean(axis=1)
        return np.asarray(found - found.mean())

    single = {j: effect(j) for j in chosen}
    made = []
    for j, k in combinations(chosen, 2):
        joint = effect(j, k)
        rest = joint - single[j] - single[k]
        total = float((joint**2).sum())
        h = float(np.sqrt(min((rest**2).sum() / total, 1.0))) if total > 0 else 0.0
        made.append(Interaction((names[j], names[k]), h, float(np.sqrt((rest**2).mean()))))
    return sorted(made, key=lambda one: -one.size)


def _chosen(features: Any, names: list[str]) -> list[int]:
    """The indices of the features, all by default."""
    if features is None:
        return list(range(len(names)))
    if not isinstance(features, (list, tuple, np.ndarray)):
        raise DataError(f"interactions: features must be a list of names or indices; got {features!r:.60}")
    return [place_of(one, names, "interactions") for one in features]


def _response(model: Any, table: Any, index: int | None) -> Array:
    """The prediction, or the probability or score of a class."""
    if index is None:
        return np.asarray(model.predict(table), dtype=np.float64)
    response = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    found = np.asarray(response(table))
    return found if found.ndim == 1 else found[:, index]
