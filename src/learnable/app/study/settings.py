"""The settings of a study, and what the effort means in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["quick", "standard", "thorough"]
MANY_ROWS = 5000  # rows from which on one repeat suffices: scores differ little from one split to another
MANY_CELLS, MIN_OF_WIDE = 200_000, 1000  # rows times features for which the same holds, and the fewest rows then
MAX_COMPARED: dict[Effort, float] = {"quick": 10_000, "standard": 50_000, "thorough": float("inf")}
MAX_CELLS: dict[Effort, float] = {"quick": 1_000_000, "standard": 5_000_000, "thorough": float("inf")}
MIN_COMPARED = 500  # however many features there are


@dataclass(frozen=True, slots=True)
class StudySettings:
    """How much work a study is: `folds` x `repeats` outer test folds, a nested search, a held-out test fraction."""

    seed: int = 0
    folds: int = 5
    repeats: int = 2
    effort: Effort = "standard"
    metric: str | None = None
    models: tuple[str, ...] = ()
    test_fraction: float = 0.2
    inner_folds: int = 3
    searching: bool = True

    def most_compared(self, features: int) -> float:
        """Maximum number of rows for the comparison of models; more would hardly change which one is best."""
        most = MAX_CELLS[self.effort] / max(features, 1)
        return min(MAX_COMPARED[self.effort], max(most if most == float("inf") else int(most), MIN_COMPARED))

    @property
    def searches(self) -> bool:
        """Whether hyperparameters are tuned by a search on every training set, or keep their defaults."""
        return self.searching and self.effort != "quick"


def is_large(rows: int, features: int) -> bool:
    """Whether one repeat suffices, and hopeless candidates are stopped.

    >>> is_large(5000, 3), is_large(4999, 3), is_large(2930, 80)
    (True, False, True)
    """
    return rows >= MANY_ROWS or (rows >= MIN_OF_WIDE and rows * features >= MANY_CELLS)


def default_repeats(effort: Effort, rows: int, features: int = 1) -> int:
    """Repeats of the cross-validation unless a number is requested."""
    return 1 if effort == "quick" or (effort == "standard" and is_large(rows, features)) else 2


DEFAULT = StudySettings()
