"""The scheme of a learning system."""

from __future__ import annotations

import pytest

import learnable
from learnable import DecisionTreeClassifier
from learnable.plot import LearningSystemDisplay

X = [[5.1, 3, "red", True], [4.9, 2, "blue", False], [6.0, 1, "$x$", True], [5.5, 0, "red", True], [1.0, 2, "a", True]]
Y = ["yes", "no", "no", "yes", "yes"]
NAMES = ["length", "legs", "colour", "wings"]


def drawn():
    return LearningSystemDisplay.from_estimator(DecisionTreeClassifier(), X, Y, names=NAMES)


def test_boxes_and_arrows_in_their_order():
    display = drawn()
    texts = [box.get_text().split("\n")[0] for box in display.boxes_]
    assert texts == ["training data", "training system", "model", "new data", "predictions"]
    assert DecisionTreeClassifier.title in display.boxes_[1].get_text()
    ends = [(arrow.xyann, arrow.xy) for arrow in display.arrows_]
    assert [begin[0] < end[0] or begin[1] > end[1] for begin, end in ends] == [True] * 4


def test_the_table_names_the_type_of_each_column():
    display = drawn()
    assert display.columns == [
        ("length", "real"), ("legs", "integer"), ("colour", "categorical"), ("wings", "binary"), ("y", "categorical"),
    ]  # fmt: skip
    cells = display.table_.get_celld()
    assert cells[0, 0].get_text().get_text() == "length\n(real)" and cells[1, 2].get_text().get_text() == "red"
    assert len(display.cells) == 4 and cells[2, 4].get_text().get_text() == "no"
    with pytest.raises(learnable.DataError, match="an estimator is needed"):
        LearningSystemDisplay.from_estimator("tree", X, Y)
