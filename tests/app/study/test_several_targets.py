"""Several targets of one table, and classes that have an order."""

from __future__ import annotations

import json

import numpy as np
import pytest

from learnable.app.cli import main
from learnable.app.study.dataset_view import labels_of
from learnable.app.study.question import pose
from learnable.datasets import Dataset


def studied(tmp_path, *more):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    names = ("x", "z", "<b>$y", "up")
    columns = (*x.T, 3 * x[:, 0] + 0.1 * rng.normal(size=80), np.where(x[:, 1] > 0, "yes", "no"))
    table = tmp_path / "t.csv"
    rows = [",".join(names), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    table.write_text("\n".join(rows))
    options = ["--out", str(tmp_path / "out"), "--models", "pruned tree", "--folds", "10x2", "--quick", *more]
    try:
        main(["study", str(table), *options])
    except SystemExit as end:
        return end.code
    return 0


def test_each_target_has_a_study_without_the_others(tmp_path, capsys):
    assert studied(tmp_path, "--target", "<b>$y", "--target", "up") == 0
    folders = [tmp_path / "out" / name for name in ("1-b_y", "2-up")]
    contents = [json.loads((folder / "report.json").read_text()) for folder in folders]
    assert [one["question"]["features"] for one in contents] == [["x", "z"]] * 2
    assert [one["question"]["task"] for one in contents] == ["regression", "binary"]
    listed = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [one["target"] for one in listed["targets"]] == ["<b>$y", "up"]
    assert [one["score"] for one in listed["targets"]] == [one["final_test"]["score"] for one in contents]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "1-b_y/report.html" in page and "&lt;b&gt;$y" in page and "<b>$y" not in page
    assert all((folder / "model.learnable").is_file() for folder in folders)


@pytest.mark.parametrize("more", [["--models", "ridge regression"], ["--metric", "rmse"]])
def test_options_that_do_not_suit_a_later_target_are_refused_first(tmp_path, capsys, more):
    assert studied(tmp_path, "--target", "<b>$y", "--target", "up", *more) == 2
    assert "target 'up'" in capsys.readouterr().err
    assert not (tmp_path / "out" / "1-b_y").exists()


def test_a_target_is_named_once(tmp_path, capsys):
    assert studied(tmp_path, "--target", "up", "--target", "up") == 2
    assert "names a column twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("classes", "ordered"),
    [
        (["high", "low", "medium"], ("low", "medium", "high")),
        ([3, 1, 2], (1, 2, 3)),
        (["red", "green", "blue"], None),
        (["Low", "low", "high"], None),
    ],
)
def test_ordered_classes_are_stated(classes, ordered):
    table = Dataset.of({"x": np.arange(60.0), "y": (classes * 20)})
    question = pose(table, "y", task="classification")
    stated = "the classes have an order, " + " < ".join(map(str, ordered or ()))
    assert any(stated in note for note in question.guessed) == (ordered is not None)
    if ordered:
        assert labels_of(question) == ordered
