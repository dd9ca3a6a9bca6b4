"""What a study leaves in its folder: each file whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from itertools import repeat
from pathlib import Path
from typing import Any

from ...core import Array
from ...core.files.atomic_write import place
from ...core.files.model_file import save
from .result import Study
from .script import script
from .structure import Structure


def write_structure(study: Structure, folder: Path) -> dict[str, Path]:
    """report.html and report.json of a study without a target."""
    place(folder / "report.json", json.dumps(study.as_json(), indent=1, allow_nan=False).encode())
    study.report(folder / "report.html")
    return {name: folder / name for name in ("report.json", "report.html")}


def write_all(study: Study, folder: Path) -> dict[str, Path]:
    """report.html, report.json, model.learnable, predictions.csv and code.py; their places by name."""
    texts = {
        "report.json": json.dumps(study.as_json(), indent=1, allow_nan=False),
        "predictions.csv": predictions(study),
        "code.py": script(study),
    }
    for name, text in texts.items():
        place(folder / name, text.encode())
    save(study.deployed, folder / "model.learnable", times=False)  # as no other file but the report tells them
    study.report(folder / "report.html")  # last: who sees it finds all the others
    return {name: folder / name for name in (*texts, "model.learnable", "report.html")}


def predictions(study: Study) -> str:
    """What models answered about rows that they had not seen: every development row once, then the locked rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    labels = [str(label) for label in study.labels]
    writer.writerow(["row", "part", "truth", "answer", *(f"probability of {label}" for label in labels)])
    found, division = study.diagnosis, study.division
    for part, rows, answers in (
        ("unseen", division.development[found.tested], found.unseen[found.tested]),
        ("locked", division.locked, study.last_test.answers),
    ):
        numbers, truth = study.question.numbers(rows).tolist(), study.question.y[rows].tolist()
        writer.writerows(zip(numbers, repeat(part), truth, *_columns(study, answers)))  # the part ends with the rows
    return text.getvalue()


def _columns(study: Study, answers: Array) -> list[list[Any]]:
    """The answers, and the probabilities of classes, as columns."""
    if not study.labels:
        return [answers.tolist()]
    return [[study.labels[code] for code in answers.argmax(axis=1).tolist()], *answers.T.tolist()]
