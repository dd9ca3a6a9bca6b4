"""The map of the course tells the truth: names import, tests exist."""

from __future__ import annotations

import pytest

from tests import syllabus
from tests.syllabus import Topic

TOPICS = syllabus.topics()


@pytest.mark.parametrize("key", TOPICS)
def test_names_import_and_tests_exist(key):
    topic = TOPICS[key]
    assert topic.gaps() == []
    assert len(topic.topic.split()) >= 2 and not topic.topic.endswith(".")
    assert key in syllabus.expected()


def test_gaps_are_seen():
    assert Topic("A-01", "nothing").gaps() == ["A-01: no name serves it", "A-01: no test proves it"]
    here = "tests/test_syllabus.py::test_gaps_are_seen"
    assert (
        Topic("A-01", "all there", ["linear_model.Ridge", "linear_model.Ridge.summary", "Ridge"], [here]).gaps() == []
    )
    wrong = Topic(
        "A-01", "wrong", ["linear_model.Nothing", "nothing.at.all"], [here + "x", "tests/none.py::test_x"], "no.md"
    )
    assert len(wrong.gaps()) == 5


def test_ranges_of_ids_are_written_out():
    ids = syllabus.expected()
    assert {"FRM-01", "FRM-07", "LIN-30", "W-59"} <= set(ids) and "LIN-31" not in ids
    assert len(ids) == len(set(ids))


def test_nothing_that_the_course_asks_for_so_far_is_missing():
    assert syllabus.gaps() == []
