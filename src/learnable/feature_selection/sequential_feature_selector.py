"""Columns added, or dropped, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, ParameterError, Trace, Traits, estimator, learned, param
from ..core.numeric import is_fraction
from ..engines.folds import is_splitting
from ._subset_scores import SubsetScores
from ._wrapper_base import Wrapper
from .rfecv import CV


@estimator
class SequentialFeatureSelector(Wrapper):
    """Sequential feature selection: add or drop one feature at a time by cross-validated score.

    choose greedily: S <- S + argmax_j score(S + j), or S <- S - argmax_j score(S - j), scores by cross-validation

    At most p fits a fold for each step. With `tol`, "auto" continues while the score improves by that much. Any
    estimator will do: it needs no feature importances. [Whitney, 1971]

    >>> import numpy as np
    >>> from learnable import Ridge
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> SequentialFeatureSelector(Ridge(), cv=3).fit(X, X[:, 0] - 2 * X[:, 3]).get_support(indices=True)
    array([0, 3])
    """

    title = "sequential feature selection"
    reference = "Whitney, 1971"
    traits = Traits(uses_target="if given")

    n_features_to_select: int | float | Literal["auto"] = param(
        "auto", "number or fraction of selected columns", above=0, tune=(1, 2, 5, 10), simpler="smaller"
    )
    tol: float | None = param(
        None, 'minimum gain of the score per step, with "auto" (None: stop at half of the columns)'
    )
    direction: Literal["forward", "backward"] = param("forward", "forward selection or backward elimination")
    scoring: str | Callable[..., Any] | None = param(
        None, "scoring by name or as a callable (None: the estimator's score)"
    )
    cv: Any = param(5, "cross-validation folds, as in cross_validate", accepts=is_splitting, says=CV)
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")

    n_features_to_select_: int = learned("number of selected columns")
    support_: Array = learned("mask of the selected columns", shape="features")

    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None:
        requested, forward = self._requested(data.p), self.direction == "forward"
        scores, moved = SubsetScores.of(self, data, groups), np.zeros(data.p, dtype=bool)
        automatic = self.n_features_to_select == "auto"
        before = -np.inf
        for _ in range(requested if forward or automatic else data.p - requested):
            column, score = self._best_move(moved, scores)
            if automatic and self.tol is not None and score - before < self.tol:
                break
            before, moved[column] = score, True
            trace.record(score, column=float(column))
        self.support_ = moved if forward else ~moved
        self.n_features_to_select_ = int(self.support_.sum())
        trace.exact("no single move was better at any step", float(before) if np.isfinite(before) else 0.0)

    def _best_move(self, moved: Array, scores: SubsetScores) -> tuple[int, float]:
        """The column that is best to move next, and the score then."""
        best, highest = -1, -np.inf
        for column in np.flatnonzero(~moved).tolist():
            trial = moved.copy()
            trial[column] = True
            columns = np.flatnonzero(trial if self.direction == "forward" else ~trial)
            score = scores.mean(columns) if len(columns) else -np.inf
            if best < 0 or score > highest:
                best, highest = column, score
        return best, highest

    def _requested(self, columns: int) -> int:
        given = self.n_features_to_select
        if columns < 2:
            raise ParameterError(
                "SequentialFeatureSelector: there is 1 feature(s) only, while a minimum of 2 is required"
            )
        if self.tol is not None and self.tol < 0 and self.direction == "forward":
            raise ParameterError(
                "SequentialFeatureSelector: columns are added while the score grows by tol; set it above 0"
            )
        if isinstance(given, str):
            return columns - 1 if self.tol is not None else columns // 2
        if is_fraction(given) and given <= 1:
            return int(columns * given)
        if given >= columns:
            raise ParameterError(
                f"SequentialFeatureSelector: n_features_to_select must be < n_features, which is {columns}; got {given}"
            )
        return int(given)

    def _support(self) -> Array:
        return self.support_
