"""AdaBoost: agreement with scikit-learn, the bound of the training error, and additive models."""

import numpy as np
import pytest
import sklearn.ensemble as theirs
import sklearn.naive_bayes
import sklearn.neighbors
from sklearn.datasets import load_diabetes, load_iris, make_classification

import learnable
from learnable import (
    C45Classifier,
    DecisionTreeClassifier,
    ID3Classifier,
    KNeighborsClassifier,
    LogisticRegression,
    ObliqueTreeClassifier,
    RegularizedBoostingClassifier,
)
from learnable.core import DataError, ParameterError
from learnable.engines.trees.stumps import Stumps
from learnable.ensemble import AdaBoostClassifier, AdaBoostRegressor, AdditiveModel

KNOWS = DecisionTreeClassifier(max_depth=2, categorical_features=[0, 1, 2, 3])


@pytest.fixture(scope="module")
def weather():
    return learnable.load_weather(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def table():
    X, y = make_classification(400, 6, n_informative=3, flip_y=0.1, random_state=1)
    return X.astype(np.float32).astype(np.float64), y  # the precision of scikit-learn


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_iterations_agree_with_scikit_learn(table, rate):
    X, y = table
    ours = AdaBoostClassifier(n_estimators=30, learning_rate=rate).fit(X, y)
    other = theirs.AdaBoostClassifier(n_estimators=30, learning_rate=rate, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.estimator_errors_, other.estimator_errors_, atol=1e-10)
    np.testing.assert_allclose(ours.estimator_weights_, other.estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, other.feature_importances_, atol=1e-9)
    for mine, their in zip(ours.staged_decision_function(X), other.staged_decision_function(X), strict=True):
        np.testing.assert_allclose(mine, their, atol=1e-9)
    assert list(ours.staged_score(X, y)) == pytest.approx(list(other.staged_score(X, y)))


@pytest.mark.parametrize(("rows", "steps"), [(400, 3), (5000, 3), (5000, 1e6)])
def test_a_presorted_stump_is_the_tree_of_one_split(rows, steps):
    X, y = make_classification(rows, 6, n_informative=3, flip_y=0.1, random_state=1)
    X = np.round(X * steps)
    quick = AdaBoostClassifier(n_estimators=15).fit(X, y)
    slow = AdaBoostClassifier(learnable.DecisionTreeClassifier(max_depth=1), n_estimators=15).fit(X, y)
    np.testing.assert_allclose(quick.estimator_errors_, slow.estimator_errors_, atol=1e-12)
    for mine, other in zip(quick.estimators_, slow.estimators_, strict=True):
        np.testing.assert_array_equal(mine.tree_.feature, other.tree_.feature)
        np.testing.assert_allclose(mine.tree_.threshold, other.tree_.threshold)
        np.testing.assert_allclose(mine.tree_.value, other.tree_.value, atol=1e-12)
        np.testing.assert_allclose(mine.tree_.impurity, other.tree_.impurity, atol=1e-12)
        np.testing.assert_array_equal(mine.tree_.n_node_samples, other.tree_.n_node_samples)


def test_several_classes_agree_with_scikit_learn():
    X, y = load_iris(return_X_y=True)
    tree = {"max_depth": 2, "min_samples_leaf": 5}
    ours = AdaBoostClassifier(learnable.DecisionTreeClassifier(**tree), n_estimators=5).fit(X, y)
    assert ours.score(X, y) > 0.95 and ours.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1)


def test_the_training_error_is_below_the_bound_in_every_iteration(table):
    X, y = table
    model = AdaBoostClassifier(n_estimators=40).fit(X, y)
    errors = 1 - np.array(list(model.staged_score(X, y)))
    assert (errors <= model.bound_ + 1e-12).all()
    z = 2 * np.sqrt(model.estimator_errors_ * (1 - model.estimator_errors_))
    np.testing.assert_allclose(model.bound_, np.cumprod(z), rtol=1e-9)
    assert (model.bound_ <= np.exp(-2 * np.cumsum((0.5 - model.estimator_errors_) ** 2)) + 1e-12).all()
    assert model.certificate_.holds and model.certificate_.value == pytest.approx(errors[-1])


def test_three_of_ten_points_misclassified():
    # ten points, three of which the best stump misclassifies
    X = np.arange(10.0)[:, None]
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    one = AdaBoostClassifier(n_estimators=1).fit(X, y)
    assert one.estimator_errors_[0] == pytest.approx(0.3)
    assert one.estimator_weights_[0] / 2 == pytest.approx(0.42365, abs=1e-5)
    assert one.bound_[0] == pytest.approx(0.91652, abs=1e-5)
    wrong = one.predict(X) != y
    after = np.where(wrong, np.exp(one.estimator_weights_[0]), 1.0)
    after /= after.sum()
    np.testing.assert_allclose(np.unique(after.round(12)), [1 / 14, 1 / 6])
    assert after[wrong].sum() == pytest.approx(0.5)


def test_each_iteration_is_a_step_of_the_additive_model_with_exponential_loss(table):
    X, y = table
    signs = 2.0 * y - 1
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    score = np.zeros(len(y))
    for stump, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        predicted = 2.0 * stump.predict(X) - 1
        loss = np.exp(-signs * score)
        right, wrong = loss[predicted == signs].sum(), loss[predicted != signs].sum()
        assert vote / 2 == pytest.approx(0.5 * np.log(right / wrong), rel=1e-9)
        again = learnable.DecisionTreeClassifier(max_depth=1).fit(X, y, loss)
        assert again.tree_.feature[0] == stump.tree_.feature[0]
        assert again.tree_.threshold[0] == pytest.approx(stump.tree_.threshold[0])
        score += vote / 2 * predicted
    np.testing.assert_allclose(model.decision_function(X), 4 * score / model.estimator_weights_.sum(), atol=1e-9)


def test_any_base_estimator_can_be_boosted(table):
    X, y = table
    weighted = AdaBoostClassifier(sklearn.naive_bayes.GaussianNB(), n_estimators=5).fit(X, y)
    other = theirs.AdaBoostClassifier(sklearn.naive_bayes.GaussianNB(), n_estimators=5).fit(X, y)
    np.testing.assert_allclose(weighted.decision_function(X), other.decision_function(X), atol=1e-8)
    drawn = AdaBoostClassifier(sklearn.neighbors.KNeighborsClassifier(3), n_estimators=4, random_state=0).fit(X, y)
    assert drawn.score(X, y) > 0.8
    resampled = AdaBoostClassifier(n_estimators=20, resample=True, random_state=0).fit(X, y)
    assert abs(resampled.score(X, y) - AdaBoostClassifier(n_estimators=20).fit(X, y).score(X, y)) < 0.06


def test_boosting_stops_at_a_perfect_or_random_estimator():
    X = np.arange(6.0)[:, None]
    assert len(AdaBoostClassifier().fit(X, [0, 0, 0, 1, 1, 1])) == 1
    with pytest.raises(DataError, match="no better than random guessing"):
        AdaBoostClassifier().fit(np.ones((6, 1)), [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_regression_follows_drucker(loss):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=6, loss=loss, resample=False).fit(X, y)
    weight = np.full(len(y), 1 / len(y))
    for learner, vote, error in zip(model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=True):
        again = learnable.DecisionTreeRegressor(max_depth=3).fit(X, y, weight)
        np.testing.assert_allclose(again.predict(X), learner.predict(X), atol=1e-9)
        share = np.abs(again.predict(X) - y) / np.abs(again.predict(X) - y).max()
        lost = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[loss]
        assert error == pytest.approx(weight @ lost)
        odds = error / (1 - error)
        assert vote == pytest.approx(np.log(1 / odds))
        weight = weight * odds ** (1 - lost)
        weight /= weight.sum()
    scores = list(model.staged_score(X, y))
    assert scores[-1] == pytest.approx(model.score(X, y))


def test_resampled_regression_is_as_accurate_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours = AdaBoostRegressor(random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:])
    other = theirs.AdaBoostRegressor(random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert abs(ours - other) < 0.08


def test_the_prediction_is_the_weighted_median():
    model = AdaBoostRegressor()
    from learnable.ensemble.ada_boost_regressor import _weighted_median

    predictions = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 1.0]])
    np.testing.assert_array_equal(_weighted_median(predictions, np.array([1.0, 1.0, 1.0])), [2.0, 5.0])
    np.testing.assert_array_equal(_weighted_median(predictions, np.array([5.0, 1.0, 1.0])), [3.0, 5.0])
    assert model.loss == "linear"


def test_missing_values_are_left_to_the_base_estimator():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[rng.random(200) < 0.2, 0] = np.nan
    classifier, regressor = AdaBoostClassifier(n_estimators=20), AdaBoostRegressor(n_estimators=10, random_state=0)
    assert classifier.fit(X, y).score(X, y) > 0.85 and regressor.fit(X, y).score(X, y) > 0.5
    np.testing.assert_array_equal(
        classifier.predict(X),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20).fit(X, y).predict(X),
    )
    with pytest.raises(ValueError, match="LogisticRegression"):
        AdaBoostClassifier(LogisticRegression()).fit(X, y)


@pytest.mark.parametrize(
    "base",
    [
        C45Classifier(max_depth=2),
        ID3Classifier(max_depth=2),
        ObliqueTreeClassifier(max_depth=2),
        RegularizedBoostingClassifier(n_estimators=3),
        KNeighborsClassifier(),
    ],
    ids=lambda base: type(base).__name__,
)
def test_base_estimators_that_count_rows_by_weight_can_be_boosted(base):
    X = np.random.default_rng(1).normal(size=(120, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    if isinstance(base, ID3Classifier):
        X = np.floor(X)
    model = AdaBoostClassifier(base, n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.certificate_.holds


def test_the_additive_model_rescales_weights_to_counts():
    X = np.random.default_rng(1).normal(size=(200, 3))
    sign = np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0)
    model = AdditiveModel(C45Classifier(max_depth=2), loss="exponential", n_estimators=10).fit(X, sign)
    assert np.mean((model.raw_scores(X) > 0) == (sign > 0)) > 0.9


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rate", [0.1, 0.3, 1.0])
def test_the_bound_holds_at_every_rate_after_every_iteration(rate, classes):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4))
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=300), np.linspace(-0.5, 0.5, classes - 1))
    model = AdaBoostClassifier(n_estimators=60, learning_rate=rate).fit(X, y)
    right = np.array([learner.predict(X) == y for learner in model.estimators_])
    votes = model.estimator_weights_ @ right
    loss = np.mean(np.exp(model.estimator_weights_.sum() / classes - votes))
    assert model.certificate_.holds and loss == pytest.approx(model.certificate_.tolerance, rel=1e-6) and loss < 1
    assert model.trace_["objective"][-1] == pytest.approx(loss, rel=1e-6)
    if classes == 2:
        errors = [np.mean(stage != y) for stage in model.staged_predict(X)]
        assert (np.array(errors) <= model.bound_).all()


def test_a_later_estimator_without_errors_does_not_make_the_bound_zero():
    q = np.random.default_rng(129)
    X = q.integers(0, 3, (10, 3)).astype(float)
    y = (X.sum(axis=1) % 2).astype(int)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2)).fit(X, y)
    assert 1 - model.score(X, y) <= model.bound_[-1]


def test_weights_are_copies_in_the_line_search_of_absolute_errors():
    rng = np.random.default_rng(1)
    X, y, weight = rng.normal(size=(12, 1)), rng.normal(size=12), rng.integers(1, 4, 12)
    weighted = AdditiveModel(loss="absolute_error").fit(X, y, weight)
    repeated = AdditiveModel(loss="absolute_error").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-9)


@pytest.mark.parametrize("levels", [3, 1000])
def test_a_stump_can_minimise_the_weighted_error(levels):
    """Compared with every split of every column in both directions."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y, weight = rng.integers(0, levels, (15, 3)) * 1.0, rng.integers(0, 2, 15), rng.uniform(size=15)
        sides = [X[:, j] <= cut for j in range(3) for cut in np.unique(X[:, j])[:-1]]
        errors = [weight[side == (y == label)].sum() for side in sides for label in (0, 1)]
        stump = Stumps(X, y, by_error=True).best(weight)
        predicted = stump.predict(X)[:, 0].argmax(axis=1)
        least = min([*errors, weight[y == 0].sum(), weight[y == 1].sum()])
        assert weight[predicted != y].sum() == pytest.approx(least, abs=1e-12)


def test_boosting_with_minimum_error_stumps(table):
    X, y = table
    first = AdaBoostClassifier(n_estimators=1, stump_criterion="error").fit(X, y)
    assert first.estimator_errors_[0] <= AdaBoostClassifier(n_estimators=1).fit(X, y).estimator_errors_[0]
    assert AdaBoostClassifier(n_estimators=60, stump_criterion="error").fit(X, y).score(X, y) > 0.9
    with pytest.raises(ParameterError, match="stump_criterion"):
        AdaBoostClassifier(stump_criterion="error").fit(X, np.arange(len(y)) % 3)


def test_categories_of_a_base_tree_are_its_own():
    """Category values that differ from their sorted indices; the first and the third are one class."""
    X = np.c_[np.tile([10.0, 20.0, 30.0, 40.0], 30), np.arange(120) % 7]
    y = np.isin(X[:, 0], [10.0, 30.0]) ^ (np.arange(120) % 11 == 0)
    tree = DecisionTreeClassifier(max_depth=1, categorical_features=[0])
    model = AdaBoostClassifier(tree, n_estimators=5).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(11 / 120)
    each = [part.predict(X) * 2.0 - 1 for part in model.estimators_]
    votes = model.estimator_weights_ @ np.stack(each)
    np.testing.assert_allclose(model.decision_function(X) * model.estimator_weights_.sum(), 2 * votes)
    np.testing.assert_array_equal(next(model.staged_predict(X)), tree.fit(X, y).predict(X))


@pytest.mark.parametrize("model", [AdaBoostClassifier(C45Classifier()), AdaBoostClassifier(KNOWS, resample=True)])
def test_text_columns_are_passed_to_estimators_that_accept_them(model, weather):
    X, y = weather
    model.set_params(random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0 and list(model.feature_names_in_) == list(X)
    bare = learnable.clone(model).fit(X.to_numpy(dtype=object), y)
    np.testing.assert_array_equal(bare.predict_proba(X.to_numpy(dtype=object)), model.predict_proba(X))


def test_text_columns_are_rejected_for_numeric_estimators(weather):
    for model in (AdaBoostClassifier(), AdaBoostClassifier(DecisionTreeClassifier())):
        with pytest.raises(DataError, match="AdaBoostClassifier: column 'outlook'"):
            model.fit(*weather)
