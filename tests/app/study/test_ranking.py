"""Which model is recommended, of standings that are given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from learnable.app.study.ranking import _estimate, _recommended
from learnable.metrics._score_range import Scale
from learnable.model_selection._cv_estimate import Basis

SCORES = {"base": 0.0, "line": 0.8, "tree": 0.81, "forest": 0.85, "boosting": 0.9}


def row_of(name: str, verdict: str, group: int = 1) -> Any:
    return SimpleNamespace(
        name=name, baseline=name == "base", compared=SimpleNamespace(verdict=verdict, group=group)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("proven", "apart", "recommended"),
    [
        (["line", "tree", "forest", "boosting"], [], "line"),
        (["tree", "forest", "boosting"], [], "tree"),  # what is better than the baseline by chance is not recommended
        (["tree", "forest"], [], "tree"),  # the best of all may be such a one
        (["line", "boosting"], ["line"], "boosting"),
        ([], [], "base"),
    ],
)
def test_the_simplest_of_the_best_is_itself_better_than_the_baseline(
    proven: list[str], apart: list[str], recommended: str
) -> None:
    scores = {name: mean + np.array([-0.3, 0.0, 0.3]) for name, mean in SCORES.items()}
    leaderboard = [
        row_of(name, "better" if name in proven else "no difference observed", 1 + (name in apart))
        for name in sorted(SCORES, key=lambda name: -SCORES[name])
    ]
    assert _recommended(leaderboard, scores, list(SCORES), "base", bool(proven)) == recommended


@pytest.mark.parametrize(("groups", "rarest"), [(None, 30), (np.arange(200) // 10, 3)])
def test_a_perfect_score_of_all_folds_is_as_sure_as_the_rarest_class_allows(groups: Any, rarest: int) -> None:
    case = SimpleNamespace(y=(np.arange(200) < 60) * 1, groups=groups)
    plan: Any = SimpleNamespace(development=case, classes=2)
    tested = np.arange(30, 200)  # of which 30 rows, or 3 groups of ten, are of the rarer class
    basis = Basis(0.2, 170.0, Scale(0.0, 1.0, False))
    found = _estimate(np.ones(5), basis, plan, tested)
    assert (found.low, found.high) == (pytest.approx(rarest / (rarest + 1.959964**2)), 1.0)  # Wilson's, all right
    assert _estimate(np.array([1.0, 0.9, 1.0]), basis, plan, tested).method == "corrected"
