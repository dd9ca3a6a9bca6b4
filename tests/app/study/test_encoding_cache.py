"""Training rows are encoded once for all candidates, and nothing but time is changed by that."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from learnable import Pipeline, Ridge, StandardScaler, TableVectorizer
from learnable.app.study import encoding_cache
from learnable.app.study.encoding_cache import EncodingCache
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.task import ask

from .tables import passengers

NAMES = ("naive Bayes", "logistic regression", "pruned tree")


@pytest.fixture
def fits(monkeypatch):
    """The numbers of rows that vectorizers are fitted to."""
    seen, fit_transform = [], TableVectorizer.fit_transform

    def counted(self, X, *rest, **more):
        seen.append(len(X))
        return fit_transform(self, X, *rest, **more)

    monkeypatch.setattr(TableVectorizer, "fit_transform", counted)
    return seen


def compared(effort, **changes):
    found = run_study(ask(passengers(), "survived"), StudySettings(effort=effort, models=NAMES, **changes))
    return {name: value for name, value in found.as_json().items() if name != "timing"}


@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_a_training_part_is_encoded_once_for_all_candidates(fits, monkeypatch, effort):
    once, few = compared(effort, repeats=1), len(fits)
    fits.clear()
    monkeypatch.setattr(encoding_cache, "MAX_KEPT", -1)
    assert compared(effort, repeats=1) == once
    candidates, folds = len(NAMES) + 2, 5
    saved = (candidates - 1) * folds
    if effort == "quick":
        assert len(fits) - few == saved
    else:
        assert len(fits) - few > 2 * saved, "inner training folds are shared as well"


def rows(entries=("a", "b", "b", None)):
    return pa.table({"x": [1.0, 2.0, None, 4.0], "kind": list(entries)})


def predict_from(memory, table, y=(1.0, 2.0, 3.0, 5.0), weight=None, model=None, seed=0):
    steps = [("table", TableVectorizer(random_state=seed)), ("model", model or Ridge())]
    extra = {} if weight is None else {"sample_weight": np.array(weight)}
    return Pipeline(steps, memory=memory).fit(table, np.array(y), **extra).predict(table)


def test_other_rows_targets_weights_and_steps_are_encoded_again(fits):
    memory = EncodingCache()
    predict_from(memory, rows())
    predict_from(memory, rows(), model=Ridge(alpha=3.0))
    assert len(fits) == 1
    for change in (
        {"table": rows("abbb")}, {"table": rows().slice(0, 4).rename_columns(["x", "sort"])},
        {"y": (1.0, 2.0, 3.0, 4.0)}, {"weight": (1.0, 1.0, 1.0, 2.0)}, {"seed": 1},
    ):  # fmt: skip
        given = {"table": rows(), **change}
        before = len(fits)
        np.testing.assert_array_equal(predict_from(memory, **given), predict_from(None, **given))
        assert len(fits) == before + 2
    memory.forget()
    before = len(fits)
    predict_from(memory, rows())
    assert len(fits) == before + 1


def test_the_time_saved_by_the_cache_is_measured():
    memory = EncodingCache()
    predict_from(memory, rows())
    assert memory.saved == memory.last_saved == 0
    predict_from(memory, rows())
    first = memory.saved
    assert memory.last_saved == first > 0
    predict_from(memory, rows())
    assert memory.saved == 2 * first


def test_rows_that_are_shared_cannot_be_changed():
    memory = EncodingCache()
    scaled = Pipeline([("scale", StandardScaler()), ("model", Ridge())], memory=memory)
    X = np.arange(6.0).reshape(3, 2)
    scaled.fit(X, [1.0, 2.0, 4.0])
    ((found, _),) = memory._kept.values()
    with pytest.raises(ValueError, match="read-only"):
        found[1][0, 0] = 7.0
    X[0, 0] = 9.0  # what was given is the caller's own
