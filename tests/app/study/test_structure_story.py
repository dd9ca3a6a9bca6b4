"""The story of a table without a target."""

import numpy as np

from learnable.app.study.settings import Settings
from learnable.app.study.structure import structure
from learnable.app.study.structure_story import told
from learnable.app.task import ask
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
    assert "Do not divide these rows into groups: the division would be another for other rows." in alone.advice
    hurried = told(structure(ask(houses(200)), Settings(), seconds=1e-9))
    assert hurried.sure == "Nothing can be said: the budget came first."


def test_parts_of_one_cloud_that_come_back_are_said_to_run_into_each_other():
    rows = np.random.default_rng(0).uniform(size=(400, 2)) * [4.0, 1.0]
    found = structure(ask(Dataset.of({"u": rows[:, 0], "v": rows[:, 1]})))
    assert any(one.stable for one in found.groupings) and found.chosen is None
    story = told(found)
    assert "Do not divide these rows into groups: parts that come back run into each other." in story.advice
    assert "But their silhouette is 0." in story.sure and "parts of a cloud without groups reach 0." in story.sure


def test_groups_of_a_number_are_found_beside_dates_and_many_categories():
    """Places in a list of categories, and days of a year, are large numbers that mean little."""
    rng, rows = np.random.default_rng(0), 200
    group = np.repeat([0.0, 9.0], rows // 2)
    columns = {f"x{k}": group + rng.normal(size=rows) for k in range(4)}
    columns["who"] = np.array([f"p{k}" for k in rng.integers(0, 90, rows)], dtype=object)
    columns["day"] = np.datetime64("2022-01-01") + rng.integers(0, 360, rows).astype("timedelta64[D]")
    groups = told(structure(ask(Dataset.of(columns))))
    assert groups.found.startswith("There are 2 groups, of 100 and 100 rows.")
