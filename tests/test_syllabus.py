"""The map of the course tells the truth: names import, tests exist and touch them."""

from __future__ import annotations

import pytest

from tests import syllabus
from tests.syllabus import Topic

TOPICS = syllabus.topics()


@pytest.mark.parametrize("key", TOPICS)
def test_names_import_and_tests_touch_them(key):
    topic = TOPICS[key]
    assert topic.failures() == []
    assert len(topic.topic.split()) >= 2 and not topic.topic.endswith(".")
    assert key in syllabus.expected()


def test_gaps_are_seen():
    assert Topic("A-01", "nothing").failures() == ["A-01: no name serves it", "A-01: no test proves it"]
    here = "tests/test_syllabus.py::test_gaps_are_seen"
    assert (
        Topic("A-01", "all there", ["linear_model.Ridge", "linear_model.Ridge.summary", "Ridge"], [here]).failures()
        == []
    )
    wrong = Topic(
        "A-01", "wrong", ["linear_model.Nothing", "nothing.at.all"], [here + "x", "tests/none.py::test_x"], "no.md"
    )
    assert len(wrong.failures()) == 7


@pytest.mark.parametrize(
    ("name", "test", "touched"),
    [
        ("linear_model.Ridge", "linear_model/test_ridge.py::test_many_columns_are_weights_of_few_rows", True),
        ("linear_model.Lasso", "linear_model/test_ridge.py::test_many_columns_are_weights_of_few_rows", False),
        ("linear_model.ridge_path", "linear_model/test_ridge.py::test_many_columns_are_weights_of_few_rows", False),
        ("metrics.zero_one_loss", "metrics/test_classification.py::test_labels", True),  # by a table of its file
        ("parts.losses", "parts/test_logistic_losses.py::test_it_is_the_cross_entropy_of_the_probability", True),
        ("datasets.make_moons", "cluster/test_dbscan.py::test_moons_and_rings_are_found", False),  # scikit-learn's
    ],
)
def test_a_name_is_touched_by_a_test_of_its_row(name, test, touched):
    found = Topic("A-01", "a topic", [name], [f"tests/{test}"]).failures()
    assert found == ([] if touched else [f"A-01: no test touches {name}"])


def test_ranges_of_ids_are_written_out():
    ids = syllabus.expected()
    assert {"FRM-01", "FRM-07", "LIN-30", "W-59"} <= set(ids) and "LIN-31" not in ids
    assert len(ids) == len(set(ids))


def test_nothing_that_the_course_asks_for_so_far_is_missing():
    assert syllabus.failures() == []
