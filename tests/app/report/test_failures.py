"""A picture or section that fails costs itself alone: the rest is there, and the failure is reported."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

import learnable.plot
from learnable.app.report import figures as pictures_module
from learnable.app.report import page as page_module
from learnable.app.report.page import page
from learnable.app.study import files
from learnable.app.study.settings import StudySettings
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from tests.app.study.tables import flowers, passengers

SETTINGS = StudySettings(effort="quick", repeats=1, folds=2, models=("logistic regression",))


@pytest.fixture(scope="module")
def found():
    return run_study(ask(passengers(), "survived"), SETTINGS)


@pytest.fixture(scope="module")
def whole(found):
    """The page without a failure."""
    return Text(page(found))


def failing(*_, **__):
    raise ZeroDivisionError("it <failed>\nhere\x1b")


REASON = "ZeroDivisionError: it <failed>\\nhere\\x1b"


class Text(HTMLParser):
    """The text of a page and how many pictures it has."""

    def __init__(self, content):
        super().__init__()
        self.text, self.pictures, self.headings = "", 0, 0
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self.pictures += tag == "svg"
        self.headings += tag == "h2"

    def handle_data(self, data):
        self.text += data


def written(found, folder):
    with pytest.warns(UserWarning, match="parts of the report are missing") as warned:
        write = files.write_all if hasattr(found, "ranking") else files.write_unsupervised
        paths = write(found, folder)
    failures = json.loads(paths["report.json"].read_text())["failures"]
    assert all(REASON in one for one in failures) and failures
    assert REASON in str(warned[0].message)
    return paths, failures, Text(paths["report.html"].read_text(encoding="utf-8"))


def test_a_report_without_failures_says_so(found, tmp_path):
    paths = files.write_all(found, tmp_path)
    assert json.loads(paths["report.json"].read_text())["failures"] == []
    assert 'class="quiet failed"' not in paths["report.html"].read_text(encoding="utf-8")


@pytest.mark.parametrize("display", ["RocCurveDisplay", "ConfusionMatrixDisplay", "ImportancesDisplay"])
def test_a_picture_that_fails_costs_no_other_picture(found, whole, tmp_path, monkeypatch, display):
    for name in ("from_predictions", "plot"):
        if hasattr(getattr(learnable.plot, display), name):
            monkeypatch.setattr(getattr(learnable.plot, display), name, failing)
    _, failures, shown = written(found, tmp_path)
    assert len(failures) == 1 and "the figure" in failures[0]
    assert shown.pictures == whole.pictures - 1 and shown.headings == whole.headings
    assert f"This figure could not be drawn: {REASON}." in shown.text


def test_a_picture_that_cannot_be_prepared_costs_its_part_alone(found, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures_module, "_calibration_picture", failing)
    _, failures, shown = written(found, tmp_path)
    assert "Further figures of this section" in failures[0] and 3 < shown.pictures < whole.pictures


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("write_story", "the summary in words"), ("_thresholds", "the choice of a threshold"),
        ("_reading", "the fitted model"),
        ("_card", "the model card"), ("columns_of", "the list of columns"), ("pictures", "the figures"),
        ("p_words", "the comparison of models"),
    ],
)  # fmt: skip
def test_a_section_that_fails_costs_no_other_section(found, whole, tmp_path, monkeypatch, name, what):
    monkeypatch.setattr(page_module, name, failing)
    paths, failures, shown = written(found, tmp_path)
    assert failures[0].startswith(f"{what} could not be made") and shown.headings == whole.headings
    assert len(shown.text) > len(whole.text) / 2 and "Methods" in shown.text
    assert len(paths) == 5 and f"{what} could not be made: {REASON}" in shown.text


def test_a_program_that_cannot_be_written_costs_no_report(found, tmp_path, monkeypatch):
    (tmp_path / "code.py").write_text("of an earlier study")
    monkeypatch.setattr(files, "script", failing)
    paths, failures, shown = written(found, tmp_path)
    assert failures == [f"code.py could not be made: {REASON}"] and shown.pictures > 3
    assert "code.py" not in paths and not (tmp_path / "code.py").exists()


def test_a_report_without_a_target_keeps_what_it_can(tmp_path, monkeypatch):
    found = run_unsupervised(ask(flowers(), None), StudySettings(effort="quick"))
    monkeypatch.setattr(learnable.plot.SpectrumDisplay, "plot", failing)
    monkeypatch.setattr("learnable.app.report.unsupervised_page.write_story", failing)
    _, failures, shown = written(found, tmp_path)
    assert len(failures) == 2 and shown.pictures == 3
    assert f"the summary in words could not be made: {REASON}" in shown.text
