"""The table of a search, in scikit-learn's form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import warn

Results = dict[str, Any]


def cv_results(
    params: list[dict[str, Any]],
    test: dict[str, Array],
    train: dict[str, Array],
    times: dict[str, Array],
    more: dict[str, Array],
) -> Results:
    """Scores by name are (candidates, folds); `times` are means and deviations per candidate."""
    results: Results = {**more, **times, **parameter_columns(params), "params": params}
    for name, scores in test.items():
        _add_scores(results, f"test_{name}", scores)
        results[f"rank_test_{name}"] = ranks(results[f"mean_test_{name}"])
        if name in train:
            _add_scores(results, f"train_{name}", train[name])
    return results


def _add_scores(results: Results, name: str, scores: Array) -> None:
    for fold in range(scores.shape[1]):
        results[f"split{fold}_{name}"] = scores[:, fold]
    results[f"mean_{name}"] = np.average(scores, axis=1)
    results[f"std_{name}"] = np.sqrt(np.average((scores - results[f"mean_{name}"][:, None]) ** 2, axis=1))


def warn_of_missing_scores(kind: str, scores: Array) -> None:
    """Say so where the mean score of a candidate is not a number."""
    means = np.average(scores, axis=1)
    if not np.isfinite(means).all():
        warn(f"Some {kind} scores are not finite: {means}", UserWarning)


def ranks(means: Array) -> Array:
    """1 for the best; ties share the better rank, and candidates without a score come last."""
    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    filled = np.where(np.isnan(means), np.nanmin(means) - 1, means)
    return np.array([1 + int((filled > value).sum()) for value in filled], dtype=np.int32)


def parameter_columns(params: list[dict[str, Any]]) -> Results:
    """A masked column of values per parameter; masked where a candidate leaves it alone."""
    columns: Results = {}
    for name in dict.fromkeys(name for candidate in params for name in candidate):
        given = {place: candidate[name] for place, candidate in enumerate(params) if name in candidate}
        column = np.ma.MaskedArray(np.empty(len(params), dtype=_kind(list(given.values()))), mask=True)
        for place, value in given.items():
            column[place] = value
        columns[f"param_{name}"] = column
    return columns


def _kind(values: list[Any]) -> Any:
    """Numbers keep their type; text and everything else are objects."""
    try:
        array = np.array(values)
    except ValueError:
        return object
    return array.dtype if array.dtype.kind != "U" and array.ndim == 1 else object


def offered(name: str) -> Callable[[Any], bool]:
    """Whether the chosen estimator, or before `fit` the one to be tuned, has this method."""

    def condition(search: Any) -> bool:
        if not search.refit:
            raise AttributeError(f"{name} is available only with refit=True, which fits the best candidate to all rows")
        getattr(search.__dict__.get("best_estimator_", search.estimator), name)
        return True

    return condition
