"""Bagging of any base estimator, random trees embedding, and isolation forests."""

import numpy as np
import pytest
import sklearn.ensemble as theirs
import sklearn.neighbors
from sklearn.datasets import load_diabetes, make_classification

import learnable
from learnable.core import ParameterError
from learnable.ensemble import BaggingClassifier, BaggingRegressor, IsolationForest, RandomTreesEmbedding
from learnable.ensemble.isolation_forest import expected_depth


@pytest.fixture(scope="module")
def table():
    return make_classification(300, 6, n_informative=4, flip_y=0.1, random_state=2)


def test_the_prediction_is_the_mean_of_estimators_on_their_samples(table):
    X, y = table
    model = BaggingClassifier(n_estimators=30, max_features=0.5, random_state=0, oob_score=True).fit(X, y)
    expected = []
    for rows, columns in zip(model.estimators_samples_, model.estimators_features_, strict=True):
        assert len(rows) == 300 and len(columns) == 3
        alone = learnable.DecisionTreeClassifier().fit(X[rows][:, columns], y[rows])
        expected.append(alone.predict_proba(X[:, columns]))
    np.testing.assert_allclose(model.predict_proba(X), np.mean(expected, axis=0), atol=1e-12)
    assert 0.6 < model.oob_score_ < 1
    one = model.oob_decision_function_[0]
    unseen = [t for t, rows in enumerate(model.estimators_samples_) if 0 not in rows]
    np.testing.assert_allclose(one, np.mean([expected[t][0] for t in unseen], axis=0), atol=1e-12)


def test_decision_function_is_the_mean_of_the_estimators(table):
    X, y = table
    model = BaggingClassifier(learnable.LogisticRegression(), random_state=0).fit(X, y)
    expected = np.mean([part.decision_function(X) for part in model.estimators_], axis=0)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    assert not hasattr(BaggingClassifier().fit(X, y), "decision_function")
    rare = BaggingClassifier(learnable.LogisticRegression(), n_estimators=40, random_state=0)
    with pytest.raises(learnable.DataError, match="was fitted without some classes"):
        rare.fit(X, np.where(np.arange(300) < 2, 2, y)).decision_function(X)


def test_the_rows_of_isolation_trees_are_stored(table):
    X, _ = table
    model = IsolationForest(n_estimators=4, max_samples=50, random_state=0).fit(X)
    grown = model.set_params(warm_start=True, n_estimators=6).fit(X)
    assert len(grown.estimators_samples_) == 6
    for rows, tree in zip(grown.estimators_samples_, grown.estimators_, strict=True):
        assert len(np.unique(rows)) == 50 and tree.tree_.n_node_samples[0] == 50
        np.testing.assert_array_equal(np.bincount(tree.apply(X[rows])), np.where(
            tree.tree_.children_left < 0, tree.tree_.n_node_samples, 0)[: tree.apply(X[rows]).max() + 1])  # fmt: skip


def test_any_estimator_can_be_bagged_and_the_variance_falls(table):
    X, y = table
    votes = BaggingClassifier(sklearn.neighbors.KNeighborsClassifier(1), random_state=0).fit(X, y)
    assert votes.score(X, y) > 0.9
    X, y = load_diabetes(return_X_y=True)
    one, many = ([], [])
    for seed in range(6):
        rows = np.random.default_rng(seed).permutation(442)
        train, test = rows[:250], rows[250:]
        one.append(learnable.DecisionTreeRegressor().fit(X[train], y[train]).score(X[test], y[test]))
        many.append(BaggingRegressor(n_estimators=25, random_state=0).fit(X[train], y[train]).score(X[test], y[test]))
    assert np.mean(many) > np.mean(one) + 0.3


def test_warm_start_adds_estimators_and_contradictions_are_rejected(table):
    X, y = table
    growing = BaggingClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    growing.set_params(n_estimators=5).fit(X, y)
    whole = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(growing.predict_proba(X), whole.predict_proba(X))
    for wrong in (
        {"max_features": 9},
        {"bootstrap": False, "oob_score": True},
        {"bootstrap": False, "max_samples": 999},
    ):
        with pytest.raises(ParameterError):
            BaggingClassifier(**wrong).fit(X, y)


def test_outliers_are_isolated_early():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(300, 2)), rng.uniform(5, 7, (10, 2))])
    model = IsolationForest(random_state=0).fit(X)
    other = theirs.IsolationForest(random_state=0).fit(X)
    assert (model.predict(X)[300:] == -1).all()
    assert np.corrcoef(model.score_samples(X), other.score_samples(X))[0, 1] > 0.97
    assert np.abs(model.score_samples(X) - other.score_samples(X)).max() < 0.08
    model = IsolationForest(random_state=0, contamination=0.1).fit(X)
    assert (model.predict(X) == -1).sum() == 31
    np.testing.assert_allclose(expected_depth(np.array([1, 2, 256])), [0, 1, 10.244770920], atol=1e-8)


def test_a_row_isolated_in_all_trees_is_not_an_outlier():
    for cls in (IsolationForest, theirs.IsolationForest):
        model = cls(random_state=0).fit([[1.0]])
        assert model.score_samples([[1.0]]).item() == -0.5 and model.predict([[1.0], [5.0]]).tolist() == [1, 1]
    for wrong in ({"max_samples": 1.5}, {"contamination": 0.7}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            IsolationForest(**wrong).fit([[0.0], [1.0]])


def test_close_rows_share_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = RandomTreesEmbedding(20, max_depth=4, random_state=0).fit(X)
    marks = model.transform(X)
    assert (marks.sum(axis=1) == 20).all() and marks.shape[1] == len(model.get_feature_names_out())
    shared = (marks @ marks.T).toarray()
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    upper = np.triu_indices(60, 1)
    assert np.corrcoef(shared[upper], apart[upper])[0, 1] < -0.6
    dense = RandomTreesEmbedding(20, max_depth=4, sparse_output=False, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(dense, marks.toarray())
    assert [rows.tolist() for rows in model.estimators_samples_] == [list(range(60))] * 20


@pytest.mark.parametrize("cls", [IsolationForest, RandomTreesEmbedding])
def test_a_warm_start_cannot_reduce_random_trees(cls):
    X = np.arange(20.0)[:, None]
    model = cls(n_estimators=4, warm_start=True, random_state=0).fit(X)
    first = model.forest_.stack.threshold.copy()
    model.set_params(n_estimators=6).fit(X)
    np.testing.assert_array_equal(model.forest_.stack.threshold[: len(first)], first)
    with pytest.raises(ParameterError, match=r"cannot reduce n_estimators from 6 to 3"):
        model.set_params(n_estimators=3).fit(X)


def test_text_columns_are_passed_to_estimators_that_accept_them():
    X, y = learnable.load_weather(return_X_y=True, as_frame=True)
    settings = {"max_features": 3, "oob_score": True, "random_state": 0}
    model = BaggingClassifier(learnable.ID3Classifier(), n_estimators=20, **settings).fit(X, y)
    expected = []
    for rows, columns in zip(model.estimators_samples_, model.estimators_features_, strict=True):
        alone = learnable.ID3Classifier().fit(X.iloc[rows, columns], y.iloc[rows])
        proba = np.zeros((14, 2))
        proba[:, alone.classes_] = alone.predict_proba(X.iloc[:, columns])
        expected.append(proba)
    np.testing.assert_allclose(model.predict_proba(X), np.mean(expected, axis=0), atol=1e-12)
    again = learnable.clone(model).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(learnable.DataError, match="BaggingClassifier: column 'outlook'"):
        BaggingClassifier(learnable.LogisticRegression()).fit(X, y)


def test_text_columns_may_be_encoded_inside_the_base_estimator():
    X, y = learnable.load_weather(return_X_y=True, as_frame=True)
    line = learnable.make_pipeline(learnable.OneHotEncoder(handle_unknown="ignore"), learnable.Ridge())
    model = BaggingRegressor(line, random_state=0).fit(X, y)
    expected = [alone.predict(X.to_numpy(dtype=object)) for alone in model.estimators_]
    np.testing.assert_allclose(model.predict(X), np.mean(expected, axis=0))


@pytest.mark.parametrize("name", ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier",
                                  "ExtraTreesRegressor", "RandomTreesEmbedding", "IsolationForest",
                                  "BaggingClassifier", "AdaBoostRegressor"])  # fmt: skip
def test_ensembles_show_their_base_estimator(name):
    model, other = getattr(learnable, name)(), getattr(theirs, name)()
    assert set(model.estimator_params) - {"categorical_features", "splits", "max_bins"} <= set(other.estimator_params)
    if name in ("BaggingClassifier", "AdaBoostRegressor"):
        assert model.estimator is other.estimator is None
    elif name != "IsolationForest":  # which sets it when it is fitted
        assert type(model.estimator).__name__ == type(other.estimator).__name__
    if "max_depth" in model.estimator_params:
        assert model.set_params(max_depth=4).estimator_.max_depth == 4


def test_contamination_counts_copies():
    rng = np.random.default_rng(0)
    X, copies = rng.normal(size=(60, 2)), rng.integers(0, 4, 60)
    forest = IsolationForest(n_estimators=5, contamination=0.1, random_state=0)
    repeated = forest.clone().fit(np.repeat(X, copies, axis=0))
    assert forest.clone().fit(X, sample_weight=copies.astype(float)).offset_ == repeated.offset_
    half = forest.clone().fit(X, sample_weight=np.full(60, 0.001))
    assert (half.predict(X) == -1).mean() == 0.1
