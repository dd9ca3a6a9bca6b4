"""The models that a study compares, as they come where nothing is searched."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.app.study.candidates import candidates
from learnable.app.study.settings import StudySettings
from learnable.app.task import ask

from .tables import houses, passengers


@pytest.mark.parametrize(("table", "target"), [(passengers, "survived"), (houses, "price")])
def test_a_pruned_tree_is_pruned_without_a_search(table, target):
    known = candidates(ask(table(), target), StudySettings(effort="quick"))
    tree = next(one for one in known if one.name == "pruned tree").make(0)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 3)), rng.integers(0, 2, 300)
    whole = type(tree)(random_state=0).fit(X, y)
    assert tree.fit(X, y).get_n_leaves() < whole.get_n_leaves() / 2
