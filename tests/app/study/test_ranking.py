"""Which model is recommended, of standings that are given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from learnable.app.study.ranking import _recommended

SCORES = {"base": 0.0, "line": 0.8, "tree": 0.81, "forest": 0.85, "boosting": 0.9}


def standing(name: str, verdict: str, group: int = 1) -> Any:
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
    standings = [
        standing(name, "better" if name in proven else "no difference observed", 1 + (name in apart))
        for name in sorted(SCORES, key=lambda name: -SCORES[name])
    ]
    assert _recommended(standings, scores, list(SCORES), "base", bool(proven)) == recommended
