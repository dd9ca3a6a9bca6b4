"""An alarm: something in a table that makes a study worth less than it looks, with evidence and a remedy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["severe", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """One finding; `code` is stable, so that pages, scripts and people can refer to it."""

    code: str
    level: Level
    title: str
    evidence: str
    why: str
    fix: str
    columns: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The alarm as JSON takes it."""
        return {**asdict(self), "columns": list(self.columns)}

    def __str__(self) -> str:
        return f"{self.code} {self.title}: {self.evidence}. {self.fix}"
