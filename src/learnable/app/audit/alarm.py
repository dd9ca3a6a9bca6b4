"""An alarm: something in a table that makes a study worth less than it looks, with evidence and a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

    def __str__(self) -> str:
        return f"{self.code} {self.title}: {self.evidence}. {self.fix}"
