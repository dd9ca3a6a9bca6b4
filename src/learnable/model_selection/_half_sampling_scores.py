"""Cross-validated scores with intervals estimated from halves of their table: what `summary()` does where it can."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, BudgetError, DataError, ParameterError, generator
from ..engines.folds import Fold
from ..metrics._score_range import Scale
from ._cv_estimate import HIDDEN_SHARES, Basis, Estimate, Method
from ._row_half_sampling import MIN_OF_HALVES, ROWS, folds_of_row_halves, interval_by_row_halves

TOO_FEW_FOLDS = f"halves show how proportions of rows vary, other scores only with {MIN_OF_HALVES} folds and more"
UNKNOWN = "halves of the table could not be scored, so it is the interval of its folds"


@dataclass(slots=True)
class Halves:
    """What it takes to score halves of a table as the whole was: who scores folds, and what is divided into them."""

    score: Callable[[list[Fold]], dict[str, Array]]
    n: int
    folds: int
    classes: Any
    known: dict[str, Array] | None = None

    def scores(self) -> dict[str, Array]:
        """The scores of all folds of all halves by name; none where a half is too small or time is up."""
        if self.known is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of classes that some folds lack: their scores show it
                try:
                    parts = folds_of_row_halves("summary", self.n, self.folds, self.classes, generator(0, 1))
                    self.known = self.score(parts)
                except (DataError, BudgetError):
                    return {}
        return self.known

    def without_table(self) -> Halves | None:
        """What is known already, without what could score more; None if that is nothing."""
        return None if self.known is None else replace(self, score=_of_no_rows, classes=None)

    def pay(self, scores: Array, scale: Scale) -> bool:
        """Whether half sampling applies to such scores, and the table is small enough for the additional fits."""
        can = np.isfinite(scores).all() and (bool(scale.of_rows) or len(scores) >= MIN_OF_HALVES)
        return bool(can) and ROWS[0] <= self.n <= ROWS[1]

    def estimate(self, name: str, scores: Array, basis: Basis, confidence: float) -> Estimate:
        """The mean of the `scores` of all folds, and the interval estimated from halves."""
        usual = Estimate.of(scores, basis, confidence)
        if not basis.scale.of_rows and len(scores) < MIN_OF_HALVES:
            return replace(usual, caveat="; ".join(filter(None, [usual.caveat, TOO_FEW_FOLDS])))
        found = self.scores().get(name)
        if found is None or not np.isfinite([*found, *scores]).all():
            return replace(usual, caveat="; ".join(filter(None, [usual.caveat, UNKNOWN])))
        low, high = interval_by_row_halves(np.asarray(scores), found, self.n, basis.scale, confidence)
        caveat = "" if usual.caveat == HIDDEN_SHARES else usual.caveat  # halves differ in their shares of classes
        return replace(usual, low=low, high=high, method="halves", caveat=caveat)


def _of_no_rows(parts: list[Fold]) -> dict[str, Array]:
    return {}


def estimated(
    name: str, scores: Array, basis: Basis, halves: Halves | None, confidence: float, method: Method
) -> Estimate:
    """The mean of the scores of all folds with the requested interval; `halves` may be out of the question."""
    if method == "halves" and halves is None:
        raise ParameterError(
            'summary: method="halves" draws rows one by one, which groups, times and folds that were given may not '
            'allow; let cv be a number, KFold or StratifiedKFold, without groups, or use "corrected"'
        )
    if halves is not None and (method == "halves" or (method == "auto" and halves.pay(scores, basis.scale))):
        return halves.estimate(name, scores, basis, confidence)
    return Estimate.of(scores, basis, confidence, method)


class FoldScores(np.ndarray[Any, np.dtype[Any]]):
    """The score of each fold; an array with a confidence interval of its mean."""

    basis: Basis
    halves: Halves | None

    @classmethod
    def of(cls, scores: Array, basis: Basis, halves: Halves | None = None) -> FoldScores:
        """The scores as they are, with what they were measured on."""
        found = np.asarray(scores).view(cls)
        found.basis, found.halves = basis, halves
        return found

    def __array_finalize__(self, source: Any) -> None:
        self.basis, self.halves = getattr(source, "basis", Basis()), None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What is computed from the scores; a single number, such as their mean, is a number."""
        return super().__array_wrap__(array, context, return_scalar) if array.ndim else array[()]

    def __reduce__(self) -> tuple[Any, ...]:
        return FoldScores.of, (np.asarray(self), self.basis, self.halves and self.halves.without_table())

    def summary(self, confidence: float = 0.95, method: Method = "auto") -> Estimate:
        """The mean with its interval; `method` is that of the summary of `cross_validate`."""
        return estimated("score", np.asarray(self), self.basis, self.halves, confidence, method)
