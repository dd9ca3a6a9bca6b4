"""What a person may decide about a study, and what the effort means in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["quick", "standard", "thorough"]
MOST_COMPARED: dict[Effort, float] = {"quick": 10_000, "standard": 50_000, "thorough": float("inf")}


@dataclass(frozen=True, slots=True)
class Settings:
    """How much work a study is: `folds` x `repeats` outer test parts, a search inside each, a share locked away."""

    seed: int = 0
    folds: int = 5
    repeats: int = 2
    effort: Effort = "standard"
    metric: str | None = None
    models: tuple[str, ...] = ()
    locked_share: float = 0.2
    inner_folds: int = 3
    searching: bool = True

    @property
    def most_compared(self) -> float:
        """Rows that models are compared on: more would hardly change which is best. All, where time does not matter."""
        return MOST_COMPARED[self.effort]

    @property
    def searches(self) -> bool:
        """Whether parameters are chosen by a search inside every training part, or left as they are."""
        return self.searching and self.effort != "quick"


DEFAULT = Settings()
