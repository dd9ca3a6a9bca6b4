"""The neural network of a study: where it stands among the models, and with which effort."""

from __future__ import annotations

import numpy as np

from learnable.app.study.candidates import candidates
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.datasets import Dataset

from .tables import house_task

NETWORK, MEAN = "neural network", "mean of boosted trees and neural network"


def names(**settings):
    return [one.name for one in candidates(house_task(60), StudySettings(**settings))]


def test_networks_come_last_and_not_in_quick_studies():
    assert NETWORK not in names(effort="quick")
    assert names(effort="standard")[-2:] == ["boosted trees", NETWORK]
    assert names(effort="thorough")[-3:] == ["boosted trees", NETWORK, MEAN]
    assert names(effort="quick", models=(NETWORK,))[-1] == NETWORK


def test_networks_and_their_mean_with_trees_are_compared():
    draws = np.random.default_rng(0)
    x, kind = draws.uniform(-3, 3, size=240), draws.choice(["a", "b", "c"], size=240)
    y = np.where(np.sin(2 * x) + (kind == "a") + 0.3 * draws.normal(size=240) > 0.4, "yes", "no")
    table = Dataset.of(
        {"x": np.where(draws.random(240) < 0.05, np.nan, x), "kind": kind.astype(object), "y": y.astype(object)}
    )
    settings = StudySettings(effort="quick", repeats=1, folds=3, models=(NETWORK, MEAN))
    found = run_study(ask(table, "y"), settings)
    rows = {one.name: one for one in found.ranking.leaderboard}
    assert {NETWORK, MEAN} <= rows.keys() and found.recommended in (NETWORK, MEAN)
    scores = found.ranking.scores
    for name in (NETWORK, MEAN):
        assert scores[name].mean() > scores["most frequent class"].mean() + 0.05
