"""What a study leaves in its folder: each file whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import Any

from ...core import Array
from ...core.files.atomic_write import place
from ...core.files.model_file import save
from ..report.failures import Failures
from ..spreadsheet import safe_cell
from .result import Study
from .script import script
from .structure import Structure


def write_structure(study: Structure, folder: Path) -> dict[str, Path]:
    """report.html and report.json of a study without a target."""
    from ..report.structure_page import structure_page

    failures = Failures()
    _write_report(study.as_json(), structure_page(study, failures), failures, folder)
    return {name: folder / name for name in ("report.json", "report.html")}


def write_all(study: Study, folder: Path, safe_csv: bool = True) -> dict[str, Path]:
    """report.html, report.json, model.learnable, predictions.csv and code.py; their places by name.

    A program that cannot be written, or a part of the report, is reported and costs no other file.
    """
    from ..report.page import page

    failures = Failures()
    texts = {
        "predictions.csv": predictions(study, safe_csv),
        "code.py": failures.attempt("code.py", lambda: script(study), ""),
    }
    for name, text in texts.items():
        if text:
            place(folder / name, text.encode())
        else:
            (folder / name).unlink(missing_ok=True)  # that of an earlier study
    save(study.deployed, folder / "model.learnable", times=False)  # as no other file but the report tells them
    _write_report(study.as_json(), page(study, failures), failures, folder)
    written = [name for name, text in texts.items() if text]
    return {name: folder / name for name in ("report.json", *written, "model.learnable", "report.html")}


def _write_report(content: dict[str, Any], page: str, failures: Failures, folder: Path) -> None:
    """report.json, which lists what failed, and report.html last: who sees it finds all the other files."""
    content["failures"] = failures.found
    place(folder / "report.json", json.dumps(content, indent=1, allow_nan=False).encode())
    place(folder / "report.html", page.encode())
    failures.warn()


def predictions(study: Study, safe_csv: bool = True) -> str:
    """What models answered about rows that they had not seen: every development row once, then the locked rows.

    Spreadsheets open this file, so that text is written in its safe form unless it is to stay as it is.
    """
    written: Callable[[Any], Any] = safe_cell if safe_csv else lambda cell: cell
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    labels = [str(label) for label in study.labels]
    headings = ["row", "part", "truth", "answer", *(f"probability of {label}" for label in labels)]
    writer.writerow(map(written, headings))
    found, division = study.diagnosis, study.division
    for part, rows, answers in (
        ("unseen", division.development[found.tested], found.unseen[found.tested]),
        ("locked", division.locked, study.last_test.answers),
    ):
        numbers, truth = study.question.numbers(rows).tolist(), study.question.y[rows].tolist()
        lines = zip(numbers, repeat(part), truth, *_columns(study, answers))  # the part ends with the rows
        writer.writerows([*map(written, line)] for line in lines)
    return text.getvalue()


def _columns(study: Study, answers: Array) -> list[list[Any]]:
    """The answers, and the probabilities of classes, as columns."""
    if not study.labels:
        return [answers.tolist()]
    return [[study.labels[code] for code in answers.argmax(axis=1).tolist()], *answers.T.tolist()]
