"""Neighbours against those of scikit-learn."""

import numpy as np
import pytest
import sklearn.neighbors as theirs
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

import learnable
from learnable import neighbors as ours
from learnable.model_selection import GridSearchCV

METRICS = [
    ("minkowski", {}),
    ("minkowski", {"p": 1}),
    ("minkowski", {"p": 3}),
    ("chebyshev", {}),
    ("canberra", {}),
    ("cosine", {}),
    ("mahalanobis", {"metric_params": {"VI": np.diag([1.0, 2.0, 0.5])}}),
    ("seuclidean", {"metric_params": {"V": np.array([1.0, 2.0, 0.5])}}),
    ("correlation", {}),
    (lambda x, y: float(np.abs(x - y).max()), {}),
]


def draw(rows=80, columns=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] + 0.3 * rng.normal(size=rows) > 0).astype(int), rng.normal(size=(25, columns))


@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_every_metric_finds_the_same_rows(metric, options):
    X, _, Q = draw()
    mine = ours.NearestNeighbors(n_neighbors=4, radius=0.4, metric=metric, **options).fit(X)
    peer = theirs.NearestNeighbors(n_neighbors=4, radius=0.4, metric=metric, algorithm="brute", **options).fit(X)
    distances, rows = mine.kneighbors(Q)
    expected, indices = peer.kneighbors(Q)
    np.testing.assert_array_equal(rows, indices)
    np.testing.assert_allclose(distances, expected, rtol=1e-9, atol=1e-12)
    near, requested = mine.radius_neighbors(Q), peer.radius_neighbors(Q)
    for i in range(len(Q)):
        np.testing.assert_array_equal(np.sort(near[1][i]), np.sort(requested[1][i]))


@pytest.mark.parametrize("metric", ["hamming", "jaccard", "gower"])
def test_metrics_of_categories(metric):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 6)).astype(bool) if metric == "jaccard" else rng.integers(0, 3, (60, 6)).astype(float)
    table = learnable.gower_distances(X) if metric == "gower" else cdist(X, X, metric)
    np.fill_diagonal(table, np.inf)
    distances = ours.NearestNeighbors(n_neighbors=3, metric=metric).fit(X).kneighbors()[0]
    np.testing.assert_allclose(distances, np.sort(table, axis=1)[:, :3], atol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
def test_votes_and_means(weights):
    X, y, Q = draw()
    mine = ours.KNeighborsClassifier(7, weights=weights).fit(X, y)
    peer = theirs.KNeighborsClassifier(7, weights=weights).fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(Q), peer.predict_proba(Q), rtol=1e-9)
    np.testing.assert_array_equal(mine.predict(Q), peer.predict(Q))
    several = np.column_stack([y, X[:, 1]])
    mine, peer = (of.KNeighborsRegressor(4, weights=weights).fit(X, several) for of in (ours, theirs))
    np.testing.assert_allclose(mine.predict(Q), peer.predict(Q), rtol=1e-9)
    if callable(weights):
        return  # scikit-learn calls it with arrays of arrays
    mine, peer = (of.RadiusNeighborsRegressor(2.0, weights=weights).fit(X, several) for of in (ours, theirs))
    np.testing.assert_allclose(mine.predict(X), peer.predict(X), rtol=1e-9)
    mine, peer = (
        of.RadiusNeighborsClassifier(1.0, weights=weights, outlier_label=1).fit(X, y) for of in (ours, theirs)
    )
    np.testing.assert_allclose(mine.predict_proba(Q), peer.predict_proba(Q), rtol=1e-9)
    np.testing.assert_array_equal(mine.predict(Q), peer.predict(Q))


def test_a_training_row_outweighs_all_others_at_distance_zero():
    X, y, _ = draw()
    np.testing.assert_array_equal(ours.KNeighborsClassifier(9, weights="distance").fit(X, y).predict(X), y)


def test_gaussian_weights_and_medians():
    X, _, Q = draw()
    y = X[:, 1] ** 3
    distances, rows = ours.NearestNeighbors(n_neighbors=6).fit(X).kneighbors(Q)
    weight = np.exp(-(distances**2) / 2) / np.sqrt(2 * np.pi)
    expected = (weight * y[rows]).sum(axis=1) / weight.sum(axis=1)
    np.testing.assert_allclose(
        ours.KNeighborsRegressor(6, weights="gaussian").fit(X, y).predict(Q), expected, rtol=1e-12
    )
    middle = ours.KNeighborsRegressor(6, average="median").fit(X, y).predict(Q)
    np.testing.assert_allclose(middle, np.median(y[rows], axis=1), rtol=1e-12)
    copied = ours.KNeighborsRegressor(6, average="median").fit(X, y, sample_weight=np.ones(len(X)))
    np.testing.assert_allclose(copied.predict(Q), middle, rtol=1e-12)


def test_graphs():
    X, _, _ = draw()
    for mode in ("connectivity", "distance"):
        mine, peer = (of.kneighbors_graph(X, 4, mode=mode) for of in (ours, theirs))
        np.testing.assert_allclose(mine.toarray(), peer.toarray(), rtol=1e-9)
        mine, peer = (of.radius_neighbors_graph(X, 0.7, mode=mode) for of in (ours, theirs))
        np.testing.assert_allclose(mine.toarray(), peer.toarray(), rtol=1e-9)
        mine, peer = (of.KNeighborsTransformer(n_neighbors=3, mode=mode).fit_transform(X) for of in (ours, theirs))
        np.testing.assert_allclose(mine.toarray(), peer.toarray(), rtol=1e-9)


def test_distances_that_are_given():
    X, y, Q = draw()
    between, new = learnable.euclidean_distances(X), learnable.euclidean_distances(Q, X)
    plain = ours.KNeighborsClassifier(5).fit(X, y).predict_proba(Q)
    given = ours.KNeighborsClassifier(5, metric="precomputed").fit(between, y).predict_proba(new)
    np.testing.assert_array_equal(given, plain)
    graph = ours.KNeighborsTransformer(n_neighbors=8).fit(X)
    sparse = ours.KNeighborsClassifier(5, metric="precomputed").fit(graph.transform(X), y)
    np.testing.assert_array_equal(sparse.predict_proba(graph.transform(Q)), plain)
    with pytest.raises(ValueError, match="20 neighbors are required"):
        ours.KNeighborsClassifier(20, metric="precomputed").fit(graph.transform(X), y).predict(graph.transform(Q))


def test_centroids():
    X, y = load_iris(return_X_y=True)
    for options in ({}, {"metric": "manhattan"}, {"shrink_threshold": 2.0}, {"priors": [0.2, 0.3, 0.5]}):
        mine, peer = (of.NearestCentroid(**options).fit(X, y) for of in (ours, theirs))
        np.testing.assert_allclose(mine.centroids_, peer.centroids_, rtol=1e-10)
        np.testing.assert_array_equal(mine.predict(X), peer.predict(X))
        if options.get("metric") != "manhattan":  # for which scikit-learn's have no scores
            np.testing.assert_allclose(mine.decision_function(X), peer.decision_function(X), rtol=1e-8)
            np.testing.assert_allclose(mine.predict_proba(X), peer.predict_proba(X), rtol=1e-7, atol=1e-12)


def test_outlier_factors():
    X, _, Q = draw(200)
    X[0] = 9
    mine, peer = (of.LocalOutlierFactor(n_neighbors=10, contamination=0.1).fit(X) for of in (ours, theirs))
    np.testing.assert_allclose(mine.negative_outlier_factor_, peer.negative_outlier_factor_, rtol=1e-9)
    np.testing.assert_array_equal(mine.fit_predict(X), peer.fit_predict(X))
    assert not hasattr(mine, "predict")
    mine, peer = (of.LocalOutlierFactor(n_neighbors=10, novelty=True).fit(X) for of in (ours, theirs))
    np.testing.assert_allclose(mine.score_samples(Q), peer.score_samples(Q), rtol=1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_every_k_in_one_pass_is_what_a_loop_finds(weights):
    X, y, _ = draw(150)
    grid = {"n_neighbors": list(range(1, 16, 2))}
    search = GridSearchCV(ours.KNeighborsClassifier(weights=weights), grid, cv=3, scoring="neg_log_loss").fit(X, y)
    shares = [
        GridSearchCV(ours.KNeighborsClassifier(k, weights=weights), {}, cv=3, scoring="neg_log_loss").fit(X, y)
        for k in grid["n_neighbors"]
    ]
    expected = [one.cv_results_["mean_test_score"][0] for one in shares]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-12)
    number = X @ [1.0, 2.0, 0.5]
    search = GridSearchCV(ours.KNeighborsRegressor(weights=weights), grid, cv=3).fit(X, number)
    peer = GridSearchCV(theirs.KNeighborsRegressor(weights=weights), grid, cv=3).fit(X, number)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"], rtol=1e-9)


def test_scores_of_every_k_leave_each_row_out():
    X, y, _ = draw(60)
    found = ours.score_every_k(X, y, most=9)
    for k in (1, 4, 9):
        right = [
            ours.KNeighborsClassifier(k).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] == y[i]
            for i in range(60)
        ]
        assert found.scores[k - 1] == pytest.approx(np.mean(right))
    assert found.scores[found.best - 1] == found.scores.max()
    with_folds = ours.score_every_k(X, y, most=5, cv=4)
    for k in (1, 5):
        peer = GridSearchCV(ours.KNeighborsClassifier(k), {}, cv=4).fit(X, y)
        assert with_folds.scores[k - 1] == pytest.approx(peer.best_score_)
    number = ours.score_every_k(X, X[:, 0] * 1.7, most=4)
    assert 0.5 < number.scores.max() <= 1


def test_squared_distances_of_whole_numbers_are_whole_and_tie_by_index():
    rng = np.random.default_rng(0)
    X, Q = rng.integers(1, 4, (60, 4)).astype(float), rng.integers(1, 4, (20, 4)).astype(float)
    squares = ((Q[:, None] - X) ** 2).sum(axis=2)
    rows = np.argsort(squares, axis=1, kind="stable")[:, :7]
    distances, found = learnable.NearestNeighbors(n_neighbors=7, metric="sqeuclidean").fit(X).kneighbors(Q)
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_array_equal(distances, np.take_along_axis(squares, rows, axis=1))


@pytest.mark.parametrize("options", [{}, {"V": np.full((3, 3), np.nan)}, {"VI": np.full((3, 3), np.nan)}])
def test_a_covariance_that_is_none_is_refused(options):
    rows = np.arange(3.0)[None] if not options else np.random.default_rng(0).normal(size=(9, 3))
    with pytest.raises(ValueError, match=r"single row has no covariance|must be positive definite"):
        learnable.NearestNeighbors(n_neighbors=1, metric="mahalanobis", metric_params=options).fit(rows).kneighbors(
            rows
        )


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor"])
def test_the_power_may_be_infinite(name):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    mine, yours = (getattr(source, name)(p=np.inf).fit(X, y) for source in (ours, theirs))
    np.testing.assert_allclose(mine.predict(X), yours.predict(X))
    np.testing.assert_array_equal(
        learnable.DBSCAN(metric="minkowski", p=np.inf).fit_predict(X),
        learnable.DBSCAN(metric="chebyshev").fit_predict(X),
    )
    np.testing.assert_array_equal(
        learnable.OPTICS(p=np.inf).fit(X).reachability_, learnable.OPTICS(metric="chebyshev").fit(X).reachability_
    )


@pytest.mark.parametrize(
    "model",
    [
        ours.KNeighborsClassifier(3),
        ours.KNeighborsRegressor(3),
        ours.RadiusNeighborsClassifier(9.0),
        ours.RadiusNeighborsRegressor(9.0),
    ],
)
@pytest.mark.parametrize(
    "returned, message",
    [
        (lambda d: d * 0, "returned 0 for all neighbours of a row"),
        (lambda d: d[..., :1], "as many numbers as there are distances"),
        (lambda d: d * np.nan, "numbers of at least 0; it returned nan for the distance"),
        (lambda d: -1 - d, "numbers of at least 0; it returned -1"),
    ],
)
def test_weights_that_mean_nothing_are_refused(model, returned, message):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = model.__class__(**{**model.get_params(), "weights": returned}).fit(X, np.arange(20) % 2)
    with pytest.raises(learnable.ParameterError, match=message):
        model.predict(X)


def test_gaussian_weights_of_rows_far_away_do_not_vanish():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([3.0, 4.0, 5.0])
    far = ours.RadiusNeighborsRegressor(200.0, weights="gaussian").fit(X, y).predict([[100.0]])
    np.testing.assert_allclose(far, ours.KNeighborsRegressor(3, weights="gaussian").fit(X, y).predict([[100.0]]))
    np.testing.assert_allclose(far, 5)


@pytest.mark.parametrize(
    "model",
    [
        ours.KNeighborsClassifier(3),
        ours.KNeighborsRegressor(3, weights="distance"),
        ours.RadiusNeighborsClassifier(2.0, outlier_label="most_frequent"),
        ours.RadiusNeighborsRegressor(2.0),
    ],
    ids=str,
)
def test_given_distances_to_rows_without_weight_are_ignored(model, tmp_path):
    X, y, Q = draw()
    weight = np.arange(80) % 3.0
    rows = model.clone().fit(X, y, sample_weight=weight)
    given = model.clone().set_params(metric="precomputed").fit(cdist(X, X), y, sample_weight=weight)
    np.testing.assert_allclose(given.predict(cdist(Q, X)), rows.predict(Q))
    learnable.save(given, tmp_path / "given")
    np.testing.assert_array_equal(learnable.load(tmp_path / "given").predict(cdist(Q, X)), given.predict(cdist(Q, X)))
    again = given.fit(cdist(X, X), y)  # all rows count now
    np.testing.assert_allclose(again.predict(cdist(Q, X)), model.clone().fit(X, y).predict(Q))
    with pytest.raises(learnable.DataError, match="every training row"):
        given.fit(cdist(X, X)[:, :70], y, sample_weight=weight)
