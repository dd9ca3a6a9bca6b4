"""The story of a table without a target."""

import numpy as np

from learnable.app.question import ask
from learnable.app.study.settings import Settings
from learnable.app.study.structure import structure
from learnable.app.study.structure_story import told
from learnable.datasets import Dataset

from .tables import houses


def test_the_story_of_a_table_without_a_target():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(centre, 0.4, size=(60, 2)) for centre in (0.0, 4.0)])
    groups = told(structure(ask(Dataset.of({"u": rows[:, 0], "v": rows[:, 1]}))))
    assert groups.found.startswith("There are 2 groups, of 60 and 60 rows.")
    assert "agree by 1.00" in groups.sure and "what marks each group" in groups.advice[0]
    cloud = rng.normal(size=(200, 3))
    cloud[7] = 15.0
    alone = told(structure(ask(Dataset.of({f"x{j}": column for j, column in enumerate(cloud.T)}))))
    assert "groups need at least 0.75" in alone.sure and alone.advice[0].startswith("Look at row 7,")
    assert any(line.startswith("Do not divide these rows") for line in alone.advice)
    hurried = told(structure(ask(houses(200)), Settings(), seconds=1e-9))
    assert hurried.sure == "Nothing can be said: the budget came first."
