"""The settings of a study, and what the effort means in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["quick", "standard", "thorough"]
MANY_ROWS = 5000  # rows from which on one repeat suffices: scores differ little from one split to another
MOST_COMPARED: dict[Effort, float] = {"quick": 10_000, "standard": 50_000, "thorough": float("inf")}


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

    @property
    def most_compared(self) -> float:
        """Maximum number of rows for the comparison of models; more would hardly change which one is best."""
        return MOST_COMPARED[self.effort]

    @property
    def searches(self) -> bool:
        """Whether hyperparameters are tuned by a search on every training set, or keep their defaults."""
        return self.searching and self.effort != "quick"


def default_repeats(effort: Effort, rows: int) -> int:
    """Repeats of the cross-validation unless a number is requested."""
    return 1 if effort == "quick" or (effort == "standard" and rows >= MANY_ROWS) else 2


DEFAULT = StudySettings()
