"""The leaderboard that the command prints."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from learnable.app.commands.leaderboard import HEADINGS, leaderboard
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.task import ask

from .tables import passengers


@pytest.mark.parametrize(
    ("columns", "shown"), [(40, ["model", "score"]), (76, ["model", "score", "95 %"]), (120, None)]
)
def test_a_narrow_leaderboard_omits_columns(columns, shown):
    found = run_study(
        ask(passengers(), "survived"), StudySettings(effort="quick", repeats=1, models=("support vector machine",))
    )
    console = Console(width=columns, record=True, file=io.StringIO())
    console.print(leaderboard(found, columns))
    text = console.export_text()
    assert "…" not in text and "support vector machine" in text
    assert all(heading in text for heading in (HEADINGS if shown is None else shown))
    assert ("kB" in text) == (shown is None)
    assert all(len(line.rstrip()) <= columns for line in text.splitlines()[1:])
