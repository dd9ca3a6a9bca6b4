"""What a course says about neighbours."""

import numpy as np
import pytest

from learnable import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsRegressor


def two_classes(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, ((X[:, 0] > 0) ^ (rng.random(rows) < 0.1)).astype(int)


def test_one_neighbour_follows_the_noise():
    X, y = two_classes()
    new, truth = two_classes(2000, 1)
    alone, many = (KNeighborsClassifier(k).fit(X, y) for k in (1, 25))
    assert alone.score(X, y) == 1 > many.score(X, y)
    assert alone.score(new, truth) < many.score(new, truth)


def test_ties_go_to_the_first_class():
    model = KNeighborsClassifier(2).fit([[0.0], [1.0], [9.0]], ["b", "a", "b"])
    assert model.predict([[0.5]])[0] == "a"
    np.testing.assert_array_equal(model.predict_proba([[0.5]]), [[0.5, 0.5]])


def test_with_all_rows_a_plain_vote_is_global_and_a_weighted_one_local():
    X, y = np.array([[0.0], [1.0], [2.0], [8.0], [9.0]]), [0.0, 0.0, 0.0, 1.0, 1.0]
    plain = KNeighborsRegressor(5).fit(X, y).predict([[0.0], [8.9]])
    np.testing.assert_allclose(plain, 0.4)
    near = KNeighborsRegressor(5, weights="gaussian").fit(X, y).predict([[0.0], [8.9]])
    assert near[0] < 0.01 and near[1] > 0.99


def test_more_neighbours_make_smoother_borders():
    X, y = two_classes()
    line = np.column_stack([np.linspace(-2, 2, 2000), np.full(2000, 0.3)])
    changes = [int(np.count_nonzero(np.diff(KNeighborsClassifier(k).fit(X, y).predict(line)))) for k in (1, 3, 7, 51)]
    assert changes == sorted(changes, reverse=True) and changes[0] > changes[-1] >= 1


def test_without_neighbours_within_the_radius_there_is_no_prediction():
    for target in ([0, 1], [[0.5, 2.0], [1.0, 3.0]]):
        model = RadiusNeighborsRegressor(0.1).fit([[0.0], [1.0]], target)
        with pytest.warns(UserWarning, match="no neighbour within the radius"):
            assert np.isnan(model.predict([[5.0]])).all()
        with pytest.warns(UserWarning, match="no neighbour within the radius"):
            np.testing.assert_array_equal(model.predict([[5.0], [1.0]])[1], target[1])
