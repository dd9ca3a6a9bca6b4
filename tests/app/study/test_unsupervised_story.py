"""The story of a table without a target."""

import numpy as np

from learnable.app.report.unsupervised_page import unsupervised_page
from learnable.app.study.row_map import map_rows
from learnable.app.study.settings import StudySettings
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.unsupervised_story import write_story
from learnable.app.task import ask
from learnable.datasets import Dataset

from .tables import houses


def test_the_story_of_a_table_without_a_target():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(centre, 0.4, size=(60, 2)) for centre in (0.0, 4.0)])
    clusters = write_story(run_unsupervised(ask(Dataset.of({"u": rows[:, 0], "v": rows[:, 1]}))))
    assert clusters.result.startswith("There are 2 clusters, of 60 and 60 rows.")
    assert "adjusted Rand index of 1.00" in clusters.uncertainty and "distinguishing features" in clusters.advice[0]
    cloud = rng.normal(size=(200, 3))
    cloud[7] = 15.0
    alone = write_story(run_unsupervised(ask(Dataset.of({f"x{j}": column for j, column in enumerate(cloud.T)}))))
    assert "must be at least 0.75" in alone.uncertainty and alone.advice[0].startswith("Inspect row 7,")
    assert "Do not divide these rows into clusters: the partition depends on the sample." in alone.advice
    hurried = write_story(run_unsupervised(ask(houses(200)), StudySettings(), seconds=1e-9))
    assert hurried.uncertainty == "Unknown: the budget came first."


def test_stable_partitions_of_uniform_data_are_not_separated():
    rows = np.random.default_rng(0).uniform(size=(400, 2)) * [4.0, 1.0]
    found = run_unsupervised(ask(Dataset.of({"u": rows[:, 0], "v": rows[:, 1]})))
    assert any(one.stable for one in found.clusterings) and found.chosen is None
    story = write_story(found)
    assert "Do not divide these rows into clusters: the stable partitions are not separated." in story.advice
    assert "However, the silhouette is 0." in story.uncertainty and "without clusters reach 0." in story.uncertainty


def test_clusters_of_numeric_columns_are_found_beside_dates_and_many_categories():
    """Category codes and days of a year are large numbers without meaning for distances."""
    rng, rows = np.random.default_rng(0), 200
    group = np.repeat([0.0, 9.0], rows // 2)
    columns = {f"x{k}": group + rng.normal(size=rows) for k in range(4)}
    columns["who"] = np.array([f"p{k}" for k in rng.integers(0, 90, rows)], dtype=object)
    columns["day"] = np.datetime64("2022-01-01") + rng.integers(0, 360, rows).astype("timedelta64[D]")
    clusters = write_story(run_unsupervised(ask(Dataset.of(columns))))
    assert clusters.result.startswith("There are 2 clusters, of 100 and 100 rows.")


def test_the_map_of_the_rows_states_its_trustworthiness():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(centre, 0.4, size=(60, 5)) for centre in (0.0, 4.0)])
    found = run_unsupervised(ask(Dataset.of({f"x{j}": column for j, column in enumerate(rows.T)})))
    shown = found.row_map
    assert shown is not None and shown.points.shape == (120, 2)
    stated = found.as_json()["map"]
    low, high = stated["trustworthiness_interval"]
    assert 0.8 < low < stated["trustworthiness"] < high <= 1 and stated["rows"] == 120
    assert f"Trustworthiness {stated['trustworthiness']:.3f}" in shown.sentence
    page = unsupervised_page(found)
    assert "Map of the rows" in page and f"Trustworthiness {stated['trustworthiness']:.3f}" in page
    hurried = run_unsupervised(ask(houses(200)), StudySettings(), seconds=1e-9)
    assert hurried.row_map is None and hurried.as_json()["map"] is None


def test_a_map_that_misleads_says_so():
    noise = map_rows(np.random.default_rng(0).normal(size=(200, 30)), 0, lambda text: None)
    assert noise.faithfulness.trustworthiness < 0.9 and "rely on the table, not on the map" in noise.sentence
