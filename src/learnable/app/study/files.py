"""What a study leaves in its folder: each file whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np

from ...core.files import save
from ...core.placing import place
from ..plain import plain
from .outcome import Study
from .script import script
from .structure import Structure


def write_structure(study: Structure, folder: Path) -> dict[str, Path]:
    """report.html and report.json of a study without a target."""
    from ..report.structure_page import structure_page

    place(folder / "report.json", json.dumps(study.as_json(), indent=1, allow_nan=False).encode())
    place(folder / "report.html", structure_page(study).encode())
    return {name: folder / name for name in ("report.json", "report.html")}


def write_all(study: Study, folder: Path) -> dict[str, Path]:
    """report.html, report.json, model.learnable, predictions.csv and code.py; their places by name."""
    from ..report.page import page

    texts = {
        "report.json": json.dumps(study.as_json(), indent=1, allow_nan=False),
        "predictions.csv": predictions(study),
        "code.py": script(study),
    }
    for name, text in texts.items():
        place(folder / name, text.encode())
    save(study.deployed, folder / "model.learnable")
    place(folder / "report.html", page(study).encode())  # last: who sees it finds all the others
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
        numbers = study.question.numbers(rows)
        for row, number, answer in zip(rows, numbers, answers, strict=True):
            writer.writerow([int(number), part, *_line(study, int(row), answer)])
    return text.getvalue()


def _line(study: Study, row: int, answer: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[object]:
    truth = plain(study.question.y[row])
    if not study.labels:
        return [truth, float(answer)]
    return [truth, plain(study.labels[int(answer.argmax())]), *(float(chance) for chance in answer)]
