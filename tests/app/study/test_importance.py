"""Permutation importance of columns whose encoding is shuffled rather than repeated."""

from __future__ import annotations

import pytest

from learnable.app.study import importance
from learnable.app.study.candidates import candidates
from learnable.app.study.plan import StudyPlan
from learnable.app.study.settings import StudySettings
from learnable.app.task import ask

from .tables import house_task, passengers


@pytest.mark.parametrize(
    ("question", "model"), [(ask(passengers(), "survived"), "boosted trees"), (house_task(), "nearest neighbours")]
)
def test_shuffled_encodings_give_the_importances_of_shuffled_columns(monkeypatch, question, model):
    plan = StudyPlan.of(question, StudySettings(effort="quick"))
    candidate = next(one for one in candidates(question, plan.settings) if one.name == model)
    fitted = candidate.pipeline(0).fit(plan.development.frame, plan.development.y)
    found = importance.importances(fitted, plan)
    monkeypatch.setattr(importance.EncodedModel, "of", classmethod(lambda cls, *arguments: None))
    assert importance.importances(fitted, plan) == found and found[0].loss > 0
