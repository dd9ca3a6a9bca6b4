"""Trees as objects, against those of scikit-learn."""

import numpy as np
import pytest
import sklearn.neighbors as theirs

from learnable import neighbors as ours


@pytest.mark.parametrize(
    ("tree", "metric"), [("KDTree", "euclidean"), ("KDTree", "manhattan"), ("BallTree", "canberra")]
)
def test_trees_give_the_results_of_scikit_learn(tree, metric):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(300, 3)), rng.normal(size=(20, 3))
    mine, peer = (getattr(of, tree)(X, metric=metric) for of in (ours, theirs))
    for found, requested in zip(mine.query(Q, k=4), peer.query(Q, k=4), strict=True):
        np.testing.assert_allclose(found, requested, rtol=1e-12)
    radii = rng.uniform(0.3, 1.0, 20)
    np.testing.assert_array_equal(
        mine.query_radius(Q, radii, count_only=True), peer.query_radius(Q, radii, count_only=True)
    )
    rows, distances = mine.query_radius(Q, 0.9, return_distance=True, sort_results=True)
    indices, expected = peer.query_radius(Q, 0.9, return_distance=True, sort_results=True)
    for i in range(20):
        np.testing.assert_array_equal(rows[i], indices[i])
        np.testing.assert_allclose(distances[i], expected[i], rtol=1e-12)
    np.testing.assert_allclose(mine.kernel_density(Q, 0.5), peer.kernel_density(Q, 0.5), rtol=1e-7)
    np.testing.assert_array_equal(mine.two_point_correlation(Q, [0.5, 1.0]), peer.two_point_correlation(Q, [0.5, 1.0]))


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
def test_trees_find_what_brute_force_finds(algorithm):
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(500, 3)), rng.normal(size=(20, 3))
    distances, rows = ours.NearestNeighbors(n_neighbors=6, algorithm=algorithm).fit(X).kneighbors(Q)
    table = np.linalg.norm(Q[:, None] - X, axis=2)
    np.testing.assert_array_equal(rows, table.argsort(axis=1)[:, :6])
    np.testing.assert_allclose(distances, np.sort(table, axis=1)[:, :6], rtol=1e-12)


@pytest.mark.parametrize(
    "metric", ["braycurtis", "dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath"]
)
def test_balls_take_every_metric_that_scikit_learn_gives_them(metric):
    X = np.random.default_rng(0).random((60, 8)) < 0.4
    requested = theirs.BallTree(X.astype(float), metric=metric).query(X[:9].astype(float), k=3)[0]
    np.testing.assert_allclose(ours.BallTree(X, metric=metric).query(X[:9], k=3)[0], requested, atol=1e-12)
    model = ours.NearestNeighbors(n_neighbors=3, metric=metric, algorithm="ball_tree").fit(X)
    np.testing.assert_allclose(model.kneighbors(X[:9])[0], requested, atol=1e-12)


def test_questions_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="not a valid metric"):
        ours.BallTree(np.ones((3, 2)), metric="cosine")
    with pytest.raises(ValueError, match="not valid for algorithm"):
        ours.NearestNeighbors(metric="jaccard", algorithm="kd_tree").fit(np.ones((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="not a valid metric"):
        ours.KDTree(np.ones((3, 2)), metric="canberra")
    tree = ours.KDTree(np.ones((3, 2)))
    with pytest.raises(ValueError, match="between 1 and"):
        tree.query(np.ones((1, 2)), k=4)
    with pytest.raises(ValueError, match="dimension"):
        tree.query(np.ones((1, 3)))
