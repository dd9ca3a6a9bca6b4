"""Rows that are held out while stages grow, and what a scorer may ask about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.numeric import is_fraction
from ...core.runtime.random import generator

HELD_OUT = 4  # key of the draw


def held_out_rows(model: Any, share: int | float, rows: Array, seed: int, strata: Array | None) -> tuple[Array, Array]:
    """Rows to learn from and rows to validate on; a number of rows, or a share of them, of each stratum alike."""
    count = int(np.ceil(share * len(rows))) if is_fraction(share) else int(share)
    if not 0 < count < len(rows):
        raise DataError(
            f"{type(model).__name__}: validation_fraction={share} of {len(rows)} rows leaves an empty set "
            f"({len(rows) - count} and {count}); change it, bring more rows, or do not stop early"
        )
    drawn = generator(seed, HELD_OUT).permutation(rows)
    if strata is not None:  # the n-th of a stratum of m rows stands at n / m: neighbours then are of all strata
        labels, place = strata[drawn], np.empty(len(drawn))
        for label in np.unique(labels):
            here = np.flatnonzero(labels == label)
            place[here] = (np.arange(len(here)) + 0.5) / len(here)
        drawn = drawn[np.argsort(place, kind="stable")]
    return np.sort(drawn[count:]), np.sort(drawn[:count])


@dataclass(frozen=True)
class PredictionSnapshot:
    """A model in the middle of its fit: it answers for rows whose scores are known, whatever it is shown."""

    task: str
    classes_: Array | None
    answer: Array
    chances: Array | None
    decision: Array | None
    unit: float = 1.0

    def predict(self, X: Any) -> Array:
        """The prediction of each row."""
        return self.answer

    def predict_proba(self, X: Any) -> Array | None:
        """The probability of each class."""
        return self.chances

    def decision_function(self, X: Any) -> Array | None:
        """The score of each class, or of the second of two."""
        return self.decision

    def truth(self, y: Array) -> Array:
        """Targets as the user gave them."""
        return y * self.unit if self.classes_ is None else np.asarray(self.classes_[y.astype(np.intp)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right classes, or R squared."""
        from ...metrics import accuracy_score, r2_score

        measure = r2_score if self.classes_ is None else accuracy_score
        return float(measure(y, self.answer, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        target = TargetTags(required=True)
        if self.classes_ is None:
            return Tags(estimator_type="regressor", target_tags=target, regressor_tags=RegressorTags())
        return Tags(estimator_type="classifier", target_tags=target, classifier_tags=ClassifierTags())
