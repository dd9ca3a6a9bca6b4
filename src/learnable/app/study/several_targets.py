"""Studies of several targets of one table, each in a folder of its own, and a page that lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core import LearnableError
from ...core.files.atomic_write import place
from ..console import make_folder, print_json, print_line
from ..report.failures import Failures
from ..report.page import rendered
from .result import SCHEMA, Study
from .time_left import Clock

MAX_LETTERS = 40  # of the name of a folder

Run = Callable[[str | None, Path, Clock], Any]
Check = Callable[[str], None]


def several_studies(targets: list[str], check: Check, run: Run, out: Path, clock: Clock, as_json: bool) -> Any:
    """Study each target, with an equal part of the time left, and list the results; the last study is returned.

    All are checked before the first study.
    """
    for target in targets:
        try:
            check(target)
        except LearnableError as error:
            raise type(error)(f"target {target!r}: {error}") from None
    make_folder(out)
    studies: dict[str, tuple[str, Study]] = {}
    for k, target in enumerate(targets):
        folder = folder_of(k, target)
        share = Clock(clock.left / (len(targets) - k)) if clock.limited else clock
        studies[target] = folder, run(target, out / folder, share)
        if studies[target][1].early == "interrupt":
            break
    content = listed_studies(studies)
    failures = Failures()
    place(out / "report.json", json.dumps(content, indent=1, allow_nan=False).encode())
    place(out / "report.html", rendered("several.html", failures, studies=list(studies.values())).encode())
    failures.warn()
    if as_json:
        print_json(content)
    print_line(f"report: {out / 'report.html'}")
    early = [one for one in (found for _, found in studies.values()) if one.early]
    return early[0] if early else studies[targets[-1]][1]


def folder_of(index: int, target: str) -> str:
    """The name of the folder of a target: its index, and its name without anything that a path may not hold.

    >>> folder_of(0, "cost ($)"), folder_of(1, "../..")
    ('1-cost', '2-')
    """
    return f"{index + 1}-" + re.sub(r"[^A-Za-z0-9]+", "_", target)[:MAX_LETTERS].strip("_")


def listed_studies(studies: dict[str, tuple[str, Study]]) -> dict[str, Any]:
    """The results in plain values: a line for each target."""
    return {
        "schema": SCHEMA,
        "targets": [
            {
                "target": target, "folder": folder, "recommended": one.recommended, "useful": one.ranking.useful,
                "metric": one.metric.scorer, "score": one.final_test.score, "low": one.final_test.low,
                "high": one.final_test.high, "baseline": one.final_test.baseline, "partial": bool(one.early),
            }
            for target, (folder, one) in studies.items()
        ],
    }  # fmt: skip
