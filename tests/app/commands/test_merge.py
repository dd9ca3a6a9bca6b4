"""`learnable merge`: summary files add and subtract as the rows do."""

from __future__ import annotations

import json

import numpy as np
import pytest

from learnable import GaussianNB, Ridge
from learnable.scale import ExactSummary, summary
from tests.app.commands.test_predict import run

DRAWS = np.random.default_rng(5)
X, Y = DRAWS.normal(size=(60, 3)), DRAWS.normal(size=60)


@pytest.fixture
def folder(tmp_path):
    for name, rows in (("a", slice(0, 20)), ("b", slice(20, 45)), ("c", slice(45, 60)), ("all", slice(0, 60))):
        summary(Ridge(), X[rows], Y[rows]).save(tmp_path / name)
    summary(GaussianNB(), X, Y > 0).save(tmp_path / "classes")
    return tmp_path


def test_files_of_several_parties_have_the_bytes_of_one(capsys, folder):
    code, printed, _ = run(capsys, "merge", folder / "c", folder / "a", folder / "b", "-o", folder / "merged")
    assert code == 0
    assert (folder / "merged").read_bytes() == (folder / "all").read_bytes()
    assert "moments of 3 columns, weight of the rows 60" in printed
    removed = ["--subtract", folder / "b", "--subtract", folder / "c"]
    _, printed, _ = run(capsys, "merge", folder / "all", *removed, "-o", folder / "rest", "--json")
    assert json.loads(printed)["fingerprint"] == summary(Ridge(), X[:20], Y[:20]).fingerprint
    assert Ridge.from_summary(ExactSummary.load(folder / "rest")).n_features_in_ == 3


def test_files_that_cannot_be_merged(capsys, folder):
    code, _, error = run(capsys, "merge", folder / "a", folder / "classes", "-o", folder / "merged")
    assert code == 3
    assert "classes: summaries of different kind" in error
    code, _, error = run(capsys, "merge", folder / "a", "--subtract", folder / "all", "-o", folder / "merged")
    assert code == 3
    assert "never added" in error
    (folder / "b").write_bytes(b"nonsense")
    assert run(capsys, "merge", folder / "a", folder / "b", "-o", folder / "merged")[0] == 5
    assert not (folder / "merged").exists()
