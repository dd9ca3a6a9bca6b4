"""The course map is correct: names import, and tests exist and use them."""

from __future__ import annotations

import pytest

from tests import syllabus
from tests.syllabus import Topic

TOPICS = syllabus.topics()


@pytest.mark.parametrize("key", TOPICS)
def test_names_import_and_tests_use_them(key):
    topic = TOPICS[key]
    assert topic.problems() == []
    assert len(topic.topic.split()) >= 2 and not topic.topic.endswith(".")
    assert key in syllabus.expected()


def test_problems_are_found():
    assert Topic("A-01", "nothing").problems() == ["A-01: no public name is listed", "A-01: no test is listed"]
    here = "tests/test_syllabus.py::test_problems_are_found"
    assert (
        Topic("A-01", "all there", ["linear_model.Ridge", "linear_model.Ridge.summary", "Ridge"], [here]).problems()
        == []
    )
    wrong = Topic(
        "A-01", "wrong", ["linear_model.Nothing", "nothing.at.all"], [here + "x", "tests/none.py::test_x"], "no.md"
    )
    assert len(wrong.problems()) == 7


@pytest.mark.parametrize(
    ("name", "test", "used"),
    [
        ("linear_model.Ridge", "linear_model/test_ridge.py::test_many_columns_are_weights_of_few_rows", True),
        ("linear_model.Lasso", "linear_model/test_ridge.py::test_many_columns_are_weights_of_few_rows", False),
        ("linear_model.ridge_path", "linear_model/test_ridge.py::test_many_columns_are_weights_of_few_rows", False),
        ("metrics.zero_one_loss", "metrics/test_classification.py::test_labels", True),  # via a table of its file
        ("parts.losses", "parts/test_logistic_losses.py::test_it_is_the_cross_entropy_of_the_probability", True),
        ("datasets.make_moons", "cluster/test_dbscan.py::test_moons_and_rings_are_found", False),  # scikit-learn's
    ],
)
def test_names_are_used_by_the_tests_of_their_topic(name, test, used):
    found = Topic("A-01", "a topic", [name], [f"tests/{test}"]).problems()
    assert found == ([] if used else [f"A-01: no test uses {name}"])


def test_ranges_of_ids_are_expanded():
    ids = syllabus.expected()
    assert {"FRM-01", "FRM-07", "LIN-30", "W-59"} <= set(ids) and "LIN-31" not in ids
    assert len(ids) == len(set(ids)) == 529 + 36 + 63


def test_unserved_topics_are_those_that_are_listed():
    assert syllabus.unserved() == syllabus.table()["expected"]["missing"]


def test_every_formula_that_the_course_has_wrong_is_proven():
    assert syllabus.unproven() == []
    assert set(syllabus.errata()) == set(syllabus.table()["expected"]["errata"]) and len(syllabus.errata()) == 96


def test_unproven_errata_are_found(monkeypatch):
    here = "tests/test_syllabus.py::test_unproven_errata_are_found"
    known = {"E-003": {"form": "", "tests": []}, "E-007": {"form": "x", "tests": [here, here + "x"]}}
    monkeypatch.setattr(syllabus, "errata", lambda: known)
    found = syllabus.unproven()
    assert "E-009: no test is named" in found and "E-003: its right form is not stated" in found
    assert "E-003: no test is listed" in found and f"E-007: {here}x does not exist" in found
    assert not any(problem.startswith("E-007: no test") for problem in found)
