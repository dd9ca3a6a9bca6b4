"""The output files of a study, each written atomically."""

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
from ..safe_csv import safe_cell
from .result import Study
from .script import script
from .unsupervised import UnsupervisedStudy

MAX_RECOMMENDED = 10  # items for each user


def write_unsupervised(study: UnsupervisedStudy, folder: Path) -> dict[str, Path]:
    """report.html and report.json of a study without a target."""
    from ..report.unsupervised_page import unsupervised_page

    failures = Failures()
    _write_report(study.as_json(), unsupervised_page(study, failures), failures, folder)
    return {name: folder / name for name in ("report.json", "report.html")}


def write_all(study: Study, folder: Path, safe_csv: bool = True, summary: bool = False) -> dict[str, Path]:
    """report.html, report.json, model.learnable, predictions.csv and code.py, and of a recommender recommendations.csv.

    With `summary` also summary.html. Returns their paths by name.

    A failure in the program or in a section of the report is reported and does not affect the other files.
    """
    from ..report.page import page
    from ..report.summary import summary_page

    failures = Failures()
    texts = {
        "predictions.csv": predictions_csv(study, safe_csv),
        "recommendations.csv": recommendations_csv(study, safe_csv),
        "code.py": failures.attempt("code.py", lambda: script(study), ""),
    }
    for name, text in texts.items():
        if text:
            place(folder / name, text.encode())
        else:
            (folder / name).unlink(missing_ok=True)  # of an earlier study
    if summary:
        place(folder / "summary.html", summary_page(study, failures).encode())
    else:
        (folder / "summary.html").unlink(missing_ok=True)
    save(study.deployed, folder / "model.learnable", times=False)  # run times are in the report only
    _write_report(study.as_json(), page(study, failures), failures, folder)
    written = [name for name, text in texts.items() if text]
    written += ["summary.html"] * summary
    return {name: folder / name for name in ("report.json", *written, "model.learnable", "report.html")}


def _write_report(content: dict[str, Any], page: str, failures: Failures, folder: Path) -> None:
    """report.json, which lists failures, then report.html: once it exists, all other files do."""
    content["failures"] = failures.found
    place(folder / "report.json", json.dumps(content, indent=1, allow_nan=False).encode())
    place(folder / "report.html", page.encode())
    failures.warn()


def predictions_csv(study: Study, safe_csv: bool = True) -> str:
    """Out-of-fold predictions of the development rows (split `cv`), then those of the test set (split `test`).

    Spreadsheets may open this file, so text that looks like a formula is escaped if `safe_csv`.
    """
    written: Callable[[Any], Any] = safe_cell if safe_csv else lambda cell: cell
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    labels = [str(label) for label in study.labels]
    headings = ["row", "split", "truth", "prediction", *(f"probability_{label}" for label in labels)]
    writer.writerow(map(written, headings))
    found, split = study.diagnosis, study.split
    for name, rows, predictions in (
        ("cv", split.development[found.tested], found.out_of_fold[found.tested]),
        ("test", split.test_rows, study.final_test.predictions),
    ):
        numbers, truth = study.question.numbers(rows).tolist(), study.question.y[rows].tolist()
        lines = zip(numbers, repeat(name), truth, *_columns(study, predictions))  # as many lines as rows
        writer.writerows([*map(written, line)] for line in lines)
    return text.getvalue()


def recommendations_csv(study: Study, safe_csv: bool = True) -> str:
    """The best items for each user among those without a rating; empty unless the model is a recommender."""
    model = study.deployed.model[-1]
    if not study.question.recommends or not hasattr(model, "recommend"):
        return ""
    written: Callable[[Any], Any] = safe_cell if safe_csv else lambda cell: cell
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(written, [study.question.features[0], "rank", study.question.features[1], "score"]))
    found = model.recommend(model.users_, MAX_RECOMMENDED)
    for user, items, scores in zip(model.users_.tolist(), found.items.tolist(), found.scores.tolist(), strict=True):
        ranked = enumerate(zip(items, scores, strict=True), start=1)
        writer.writerows(
            [written(user), rank, written(item), score] for rank, (item, score) in ranked if item is not None
        )
    return text.getvalue()


def _columns(study: Study, predictions: Array) -> list[list[Any]]:
    """The predictions, and the class probabilities, as columns."""
    if not study.labels:
        return [predictions.tolist()]
    return [[study.labels[code] for code in predictions.argmax(axis=1).tolist()], *predictions.T.tolist()]
