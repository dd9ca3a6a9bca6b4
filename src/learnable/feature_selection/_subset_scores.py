"""Scores of sets of columns by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, ParameterTypeError
from ..engines.folds import Fold, estimator_folds
from ..model_selection.validation import scores_of_all_folds
from ..pipeline._steps import takes_weights


@dataclass(frozen=True, slots=True)
class SubsetScores:
    """Mean scores of an estimator on columns of `data`, always on the same folds."""

    estimator: Any
    data: Data
    parts: list[Fold]
    scoring: Any
    n_jobs: int | None

    @classmethod
    def of(cls, selector: Any, data: Data, groups: Any) -> SubsetScores:
        """For a selector with parameters estimator, cv, scoring and n_jobs."""
        inner = selector.estimator
        if data.weight is not None and not takes_weights(inner):
            raise ParameterTypeError(
                f"{type(selector).__name__}: the estimator {type(inner).__name__} takes no sample_weight"
            )
        target = data.y if len(data.y) else None
        parts = estimator_folds(type(selector).__name__, inner, data.X, target, groups, selector.cv, data.n)
        return cls(inner, data, parts, selector.scoring, selector.n_jobs)

    def mean(self, columns: Array) -> float:
        """The mean score with these columns alone."""
        weights = {} if self.data.weight is None else {"sample_weight": self.data.weight}
        scores = scores_of_all_folds(
            self.estimator,
            self.data.X[:, columns],
            self.data.y if len(self.data.y) else None,
            cv=self.parts,
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            params=weights,
            error_score="raise",
        )
        return float(np.mean(scores))
