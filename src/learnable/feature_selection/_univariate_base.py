"""Base class of univariate feature selection: a score function of each feature and the target."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, ParameterError, ParameterTypeError, Trace, Traits, declaring, learned, param
from ._selector_base import Selector, best
from .univariate_tests import f_classif

Cut = Literal["percentile", "k_best", "fpr", "fdr", "fwe"]


@declaring
class UnivariateSelector(Selector):
    """A selector that asks `score_func(X, y)` for a score of each column, and perhaps p-values."""

    traits = Traits(sparse=True, uses_target="always")
    several_targets = True

    score_func: Callable[..., Any] = param(
        f_classif, "function of X and y that gives scores, or scores and p-values", kw_only=False
    )

    scores_: Array = learned("score of each column", shape="features")
    pvalues_: Array | None = learned("p-value of each column; None if there are only scores", shape="features")

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> Data:
        """The training rows; without a target for a score function that needs none."""
        names = list(signature(self.score_func).parameters.values()) if y is None and callable(self.score_func) else []
        if len(names) < 2 or names[1].default is Parameter.empty:
            return super()._training_data(X, y, sample_weight)
        matrix, columns = self._enter_to_learn(X, sample_weight)
        return Data(matrix, np.empty(0), self._validator.weights(sample_weight, matrix.shape[0]), columns)

    def _fit(self, data: Data, trace: Trace) -> None:
        target = data.y if len(data.y) else None
        found = self.score_func(data.X, target, **self._weights(data.weight))
        scores, p_values = found if isinstance(found, (tuple, list)) else (found, None)
        self.scores_ = np.asarray(scores)
        self.pvalues_ = None if p_values is None else np.asarray(p_values)
        if self.scores_.shape != (data.p,):
            raise ParameterError(
                f"{type(self).__name__}: score_func must give one score for each of the {data.p} columns; it gives "
                f"shape {self.scores_.shape}"
            )
        self._check_cut(data)
        trace.exact("the scores of the training rows, computed directly")

    def _weights(self, weight: Array | None) -> dict[str, Any]:
        if weight is None:
            return {}
        if "sample_weight" not in signature(self.score_func).parameters:
            name = getattr(self.score_func, "__name__", repr(self.score_func))
            raise ParameterTypeError(
                f"{type(self).__name__}: score_func {name} takes no sample_weight; use f_classif, f_regression or chi2"
            )
        return {"sample_weight": weight}

    def _check_cut(self, data: Data) -> None:
        """Raise an error if the scores do not allow the requested selection."""
        self._need_p_values()

    def _need_p_values(self) -> None:
        if self.pvalues_ is None:
            raise ParameterError(
                f"{type(self).__name__}: score_func gives scores only, and p-values are needed; "
                "use f_classif, f_regression or chi2, or SelectKBest"
            )


def cut_percentile(scores: Array, percentile: float) -> Array:
    """The mask of the highest `percentile` per cent of the scores."""
    if percentile in (0, 100):
        return np.full(len(scores), percentile == 100)
    ranked = np.where(np.isnan(scores), np.finfo(np.float64).min, scores)
    threshold = np.percentile(ranked, 100 - percentile)
    mask = ranked > threshold
    room = int(len(ranked) * percentile / 100) - int(mask.sum())
    mask[np.flatnonzero(ranked == threshold)[: room if room >= 0 else None]] = True
    return np.asarray(mask)


def cut_k_best(scores: Array, k: int | Literal["all"]) -> Array:
    """The mask of the `k` highest scores."""
    return np.ones(len(scores), dtype=bool) if k == "all" else best(scores, int(k))


def cut_fdr(p_values: Array, alpha: float) -> Array:
    """The mask of the step-up rule of Benjamini and Hochberg, which bounds the expected share of false discoveries."""
    ranked = np.sort(p_values)
    found = ranked[ranked <= alpha / len(ranked) * np.arange(1, len(ranked) + 1)]
    return p_values <= found.max() if len(found) else np.zeros(len(p_values), dtype=bool)
