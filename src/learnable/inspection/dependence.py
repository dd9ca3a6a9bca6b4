"""Partial dependence: the mean prediction as a function of one or two features."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Column, FittedModel, Rows, checked, limits, numbers
from ..core.errors import not_fitted
from ..core.sklearn_api.bunch import Bunch
from ..core.sklearn_api.estimator_type import is_fitted
from ..engines.trees.additive_trees import TreeSum, is_tree_sum
from ._grids import grid_of
from ._perturbed_tables import as_table, names_of, place_of, replaced, rows

Kind = Literal["average", "individual", "both"]
Method = Literal["auto", "recursion", "brute"]
Response = Literal["auto", "predict_proba", "decision_function"]


@checked(grid_resolution=limits(at_least=2))
def partial_dependence(
    estimator: FittedModel, X: Rows, features: Any, *, sample_weight: Column | None = None,
    categorical_features: Column | None = None, feature_names: Any = None,
    response_method: Response = "auto", percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100, custom_values: dict[Any, Any] | None = None, method: Method = "auto",
    kind: Kind = "average",
) -> Bunch:  # fmt: skip
    """Partial dependence: the mean prediction of a model when some features are set to given values for all rows.

    average(v) = mean over rows i of f(x_i with its `features` set to v),   individual(i, v) = one term of the mean

    over a grid between the `percentiles` of each column, all its values if they are few or categories. Sums of trees
    predict by "recursion": both branches at splits on other features, weighted by the training rows that took them,
    with no row of `X` at all, in scores where these are logarithms of predictions, for which "auto" takes "brute": it
    evaluates the model for every row and value. Where columns are independent, both are the same, as boosting begins
    with its constant either way; scikit-learn's recursion leaves that out, and is lower by `baseline_`. The mean says
    nothing of rows that cannot be, where columns depend on each other. [Friedman, 2001]

    >>> from learnable import LinearRegression
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]], [0.0, 1.0, 2.0]
    >>> found = partial_dependence(LinearRegression().fit(X, y), X, [0])
    >>> found.average.round(6).tolist(), found.grid_values[0].tolist()
    ([[0.0, 1.0, 2.0]], [0.0, 1.0, 2.0])
    """
    owner, X = "partial_dependence", as_table(X)
    if not is_fitted(estimator):
        raise not_fitted(estimator)
    _check(estimator, kind, method, response_method, sample_weight)
    names = names_of(X, feature_names)
    listed = features if _is_list(features) else [features]
    if all(isinstance(name, (bool, np.bool_)) for name in listed):  # a mask
        listed = np.flatnonzero(listed).tolist()
    columns = [place_of(name, names, owner) for name in listed]
    categorical = _marks(categorical_features, names, owner)
    requested = {place_of(name, names, owner): values for name, values in (custom_values or {}).items()}
    values = [grid_of(X, j, percentiles, grid_resolution, j in categorical, requested.get(j)) for j in columns]
    shape = [len(axis) for axis in values]
    found = Bunch(grid_values=values)
    if _recursive(estimator, method, kind, sample_weight, columns, response_method):
        sums = estimator._tree_sum()
        seen = _as_trees_see(estimator, sums, X, columns, values)
        points = np.array(list(itertools.product(*seen)), dtype=np.float64)
        found["average"] = recursion(sums, points, columns).reshape(-1, *shape)
        return found
    responses = _brute(estimator, X, columns, list(itertools.product(*values)), response_method)
    if kind != "individual":
        weight = None if sample_weight is None else numbers(owner, "sample_weight", sample_weight, responses.shape[1])
        found["average"] = np.average(responses, axis=1, weights=weight).reshape(-1, *shape)
    if kind != "average":
        found["individual"] = responses.reshape(responses.shape[0], responses.shape[1], *shape)
    return found


def _is_list(features: Any) -> bool:
    return isinstance(features, (list, tuple, np.ndarray))


def _check(estimator: Any, kind: str, method: str, response: str, weight: Any) -> None:
    if isinstance(getattr(estimator, "classes_", None), list):
        raise DataError("partial_dependence: classifiers of several targets have no single prediction to average")
    if not hasattr(estimator, "classes_") and response != "auto":
        raise ParameterError("partial_dependence: a regressor has one response method; leave response_method at 'auto'")
    if method == "recursion" and kind != "average":
        raise ParameterError("partial_dependence: method='recursion' finds averages; use method='brute' for each row")
    if method == "recursion" and weight is not None:
        raise ParameterError(
            "partial_dependence: method='recursion' uses the sample weights of the fit; use method='brute' for others"
        )


def _marks(given: Any, names: list[str], owner: str) -> set[int]:
    """Which columns hold categories."""
    if given is None:
        return set()
    requested = np.asarray(given)
    if requested.dtype == bool:
        if requested.size != len(names):
            raise DataError(f"{owner}: categorical_features has {requested.size} entries for {len(names)} columns")
        return set(np.flatnonzero(requested).tolist())
    return {place_of(name, names, owner) for name in requested.tolist()}


def _recursive(model: Any, method: str, kind: str, weight: Any, columns: list[int], response: str) -> bool:
    """Whether the recursion method applies: requested, or possible with the same result as brute force."""
    able = is_tree_sum(model)
    scores = not hasattr(model, "classes_") or hasattr(model, "decision_function")  # shares are no sums of scores
    if method == "recursion":
        if not able or not scores:
            raise ParameterError(
                f"partial_dependence: 'recursion' needs a sum of trees, and {type(model).__name__} is not one; use "
                "method='brute'"
            )
        if response == "predict_proba":
            raise ParameterError(
                "partial_dependence: method='recursion' explains the decision_function; set response_method to it"
            )
        return True
    return bool(
        method == "auto" and kind == "average" and weight is None and able and scores and response != "predict_proba"
        and _is_plain(model._tree_sum(), hasattr(model, "classes_"))
    )  # fmt: skip


def _is_plain(sums: TreeSum, scored: bool) -> bool:
    """Whether trees have no categorical splits, and their sum is the prediction: for classes the raw score."""
    return len(sums.stack.set_words) == 0 and (scored or sums.link == "identity")


def _as_trees_see(model: Any, sums: TreeSum, X: Any, columns: list[int], values: list[Array]) -> list[Array]:
    """The values of a grid as numbers, categories by their codes in training."""
    if len(sums.stack.set_words) == 0 and all(axis.dtype.kind in "biuf" for axis in values):
        return values
    one = rows(X, np.zeros(1, dtype=np.int64))
    return [
        np.array([model._tree_rows(model._read(replaced(one, [j], [value])))[0, j] for value in axis])
        for j, axis in zip(columns, values, strict=True)
    ]


def recursion(sums: TreeSum, points: Array, columns: list[int]) -> Array:
    """The mean prediction of a sum of trees at each point of a grid over some columns: (outputs, points)."""
    few = max(1, 2_000_000 // len(sums.cover))
    parts = [_recursion(sums, points[k : k + few], columns) for k in range(0, len(points), few)]
    return np.concatenate(parts, axis=1)


def _recursion(sums: TreeSum, points: Array, columns: list[int]) -> Array:
    stack, cover = sums.stack, sums.cover
    probability = np.zeros((len(cover), len(points)))
    level = stack.start[:-1]
    probability[level] = 1.0
    first = np.repeat(stack.start[:-1], np.diff(stack.start))
    while len(level := level[stack.left[level] >= 0]):
        left, right = first[level] + stack.left[level], first[level] + stack.right[level]
        share = (cover[left] / np.where(cover[level] > 0, cover[level], 1.0))[:, None] * np.ones(len(points))
        for k, j in enumerate(columns):
            splits_here = stack.feature[level] == j
            share[splits_here] = stack.go_left(level[splits_here], points[:, k])
        probability[left], probability[right] = probability[level] * share, probability[level] * (1 - share)
        level = np.concatenate([left, right])
    leaf = stack.left < 0
    if stack.value.shape[1] > 1:
        found = stack.value[leaf].T @ probability[leaf]
    else:
        output = np.repeat(stack.output, np.diff(stack.start))[leaf]
        responses = probability[leaf] * stack.value[leaf]
        found = np.stack([responses[output == k].sum(axis=0) for k in range(sums.outputs)])
    return np.asarray(sums.base[:, None] + sums.scale * found)


def _brute(model: Any, X: Any, columns: list[int], points: list[Any], response: str) -> Array:
    """The prediction for every row at every point: (outputs, rows, points)."""
    responses = [_response(model, replaced(X, columns, list(point)), response) for point in points]
    return np.moveaxis(np.stack(responses), 0, 2)


def _response(model: Any, X: Any, response: str) -> Array:
    """The responses of a model, a row for each output; of two classes the second only."""
    if not hasattr(model, "classes_"):
        found = np.asarray(model.predict(X))
        return found[None] if found.ndim == 1 else found.T
    name = response
    if response == "auto":
        name = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    found = np.asarray(getattr(model, name)(X))
    if found.ndim == 1:
        return found[None]
    return found[:, 1:].T if found.shape[1] == 2 else found.T
