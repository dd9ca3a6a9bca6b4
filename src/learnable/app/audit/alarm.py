"""An alarm: a problem of a table that makes the results of a study less reliable, with evidence and a remedy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["severe", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A finding of the audit; `code` is stable, so that pages and programs can refer to it."""

    code: str
    level: Level
    title: str
    evidence: str
    why: str
    fix: str
    columns: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The alarm as a JSON object."""
        return {**asdict(self), "columns": list(self.columns)}

    def __str__(self) -> str:
        return f"{self.code} {self.title}: {self.evidence}. {self.fix}"
