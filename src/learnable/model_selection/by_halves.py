"""Cross-validated scores with intervals that halves of their table tell: what `summary(method="halves")` does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, BudgetError, DataError, generator
from ..engines.folds import Fold
from .estimate import HIDDEN_SHARES, Basis, Estimate
from .row_halves import FEWEST_OF_HALVES, folds_of_row_halves, interval_by_row_halves

FEW = f"halves tell how shares of rows vary, other scores only with {FEWEST_OF_HALVES} folds and more"
UNKNOWN = "halves of the table could not be scored, so it is the interval of its folds"


@dataclass(frozen=True, slots=True)
class Halves:
    """What it takes to score halves of a table as the whole was: who scores folds, and what is divided into them."""

    score: Callable[[list[Fold]], dict[str, Array]]
    n: int
    folds: int
    classes: Any

    def scores(self) -> dict[str, Array]:
        """The scores of all folds of all halves by name; none where a half is too small or time is up."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes that some folds lack: their scores tell
            try:
                return self.score(folds_of_row_halves("summary", self.n, self.folds, self.classes, generator(0, 1)))
            except (DataError, BudgetError):
                return {}

    def estimate(self, scores: Array, found: Array | None, basis: Basis, confidence: float) -> Estimate:
        """The mean of the `scores` of all folds; `found` are those of folds of halves."""
        usual = Estimate.of(scores, basis, confidence)
        if not basis.scale.of_rows and len(scores) < FEWEST_OF_HALVES:
            return replace(usual, caveat="; ".join(filter(None, [usual.caveat, FEW])))
        if found is None or not np.isfinite([*found, *scores]).all():
            return replace(usual, caveat="; ".join(filter(None, [usual.caveat, UNKNOWN])))
        low, high = interval_by_row_halves(np.asarray(scores), found, self.n, basis.scale, confidence)
        caveat = "" if usual.caveat == HIDDEN_SHARES else usual.caveat  # halves differ in their shares of classes
        return replace(usual, low=low, high=high, method="halves", caveat=caveat)
