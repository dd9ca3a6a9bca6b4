"""Gradient boosting with exact trees: agreement with scikit-learn, each loss by its formula, and additive models."""

import numpy as np
import pytest
import sklearn.ensemble as theirs
from sklearn.linear_model import LinearRegression

from learnable.core import DataError, ParameterError
from learnable.engines.trees.leaf_values import leaf_values
from learnable.ensemble import AdditiveModel, GradientBoostingClassifier, GradientBoostingRegressor
from learnable.linear_model import SGDRegressor
from learnable.parts.losses import BinomialDeviance, Exponential, Huber, Logistic
from learnable.pipeline import make_pipeline
from learnable.preprocessing import StandardScaler
from learnable.svm import LinearSVC
from learnable.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor


def table(seed=0, n=400):
    """Interacting columns and a noisy target, in the single precision of scikit-learn."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32).astype(np.float64)
    return X, X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=n), rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("options", [{}, {"loss": "huber"}, {"loss": "quantile", "alpha": 0.8, "n_estimators": 4}])
def test_regression_agrees_with_scikit_learn(options):
    X, y, weight = table()
    options = {"min_samples_leaf": 10, **options}  # with fewer rows, two columns can give the same split
    ours = GradientBoostingRegressor(**options).fit(X, y, weight)
    other = theirs.GradientBoostingRegressor(**options).fit(X, y, weight)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-10)
    np.testing.assert_allclose(ours.train_score_, other.train_score_, atol=1e-12)
    if "loss" not in options:  # clipped gradients are often tied, and then so are the gains of two splits
        np.testing.assert_allclose(ours.feature_importances_, other.feature_importances_, atol=1e-10)
        np.testing.assert_array_equal(ours.apply(X), other.apply(X))
    for mine, their in zip(ours.staged_predict(X), other.staged_predict(X), strict=True):
        np.testing.assert_allclose(mine, their, atol=1e-10)


@pytest.mark.parametrize(("borders", "loss"), [([0.0], "log_loss"), ([-0.5, 0.5], "log_loss"), ([0.0], "exponential")])
def test_classification_agrees_with_scikit_learn(borders, loss):
    X, y, weight = table()
    classes = np.array(["a", "b", "c"])[np.digitize(y, borders)]
    options = {"loss": loss, "n_estimators": 20, "max_depth": 2, "min_samples_leaf": 10}
    ours = GradientBoostingClassifier(**options).fit(X, classes, weight)
    other = theirs.GradientBoostingClassifier(**options).fit(X, classes, weight)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.train_score_, other.train_score_, atol=1e-12)
    np.testing.assert_array_equal(ours.apply(X), other.apply(X))
    assert ours.estimators_.shape == other.estimators_.shape
    np.testing.assert_allclose(ours.estimators_[3, 0].predict(X) / 0.1, other.estimators_[3, 0].predict(X), atol=1e-9)


@pytest.mark.parametrize(
    ("loss", "leaf"),
    [
        ("log_loss", lambda y, f: np.sum(y - 1 / (1 + np.exp(-f))) / np.sum(np.exp(f) / (1 + np.exp(f)) ** 2)),
        ("exponential", lambda y, f: np.sum(y * np.exp(-y * f)) / np.sum(np.exp(-y * f))),
        ("deviance", lambda y, f: sum(r := 2 * y / (1 + np.exp(2 * y * f))) / sum(np.abs(r) * (2 - np.abs(r)))),
    ],
)
def test_leaf_values_of_classification_are_newton_steps(loss, leaf):
    X, y, _ = table()
    model = GradientBoostingClassifier(loss=loss, n_estimators=2, learning_rate=1.0).fit(X, y > 0)
    code = (y > 0).astype(float) if loss == "log_loss" else np.where(y > 0, 1.0, -1.0)
    share = np.mean(y > 0)
    first = np.log(share / (1 - share)) * (1 if loss == "log_loss" else 0.5)
    scores = [np.full(len(y), first), *model.staged_decision_function(X)]
    for stage, leaves in enumerate(model.apply(X)[:, :, 0].T):
        for number in np.unique(leaves):
            here = leaves == number
            step = leaf(code[here], scores[stage][here])
            np.testing.assert_allclose(scores[stage + 1][here] - scores[stage][here], step)


@pytest.mark.parametrize("loss", ["log_loss", "exponential", "deviance"])
def test_leaf_values_of_gradient_steps_are_mean_gradients(loss):
    """ENS-23: a gradient step instead of Newton's, of rate learning_rate / (weight of the leaf), gains less."""
    X, y, weight = table()
    options = {"loss": loss, "n_estimators": 40, "learning_rate": 0.5, "leaf_step": "gradient"}
    model = GradientBoostingClassifier(**options).fit(X, y > 0, weight)
    code = (y > 0).astype(float) if loss == "log_loss" else np.where(y > 0, 1.0, -1.0)
    negative = {
        "log_loss": lambda f: code - 1 / (1 + np.exp(-f)),
        "exponential": lambda f: code * np.exp(-code * f),
        "deviance": lambda f: 2 * code / (1 + np.exp(2 * code * f)),
    }[loss]
    scores = list(model.staged_decision_function(X))
    leaves = model.apply(X)[:, 1, 0]
    for number in np.unique(leaves):
        here = leaves == number
        step = 0.5 * np.average(negative(scores[0])[here], weights=weight[here])
        np.testing.assert_allclose(scores[1][here] - scores[0][here], step)
    newton = GradientBoostingClassifier(**options | {"leaf_step": "newton"}).fit(X, y > 0, weight)
    assert newton.train_score_[3] < model.train_score_[3] and (np.diff(model.train_score_) < 0).all()


def test_the_huber_leaf_value_is_the_median_plus_the_clipped_mean():
    """The formula of the course lacks the sign and the raw residuals; the right one is Friedman's."""
    rng = np.random.default_rng(0)
    residual, delta = rng.standard_t(2, 31), 0.8
    middle = np.median(residual)
    expected = middle + np.mean(np.sign(residual - middle) * np.minimum(delta, np.abs(residual - middle)))
    found = leaf_values(Huber(delta, two_steps=True), np.zeros(31, dtype=int), 1, residual, np.zeros(31), np.ones(31))
    assert found[0] == pytest.approx(expected, abs=1e-12)


def test_baselines_are_the_best_constants():
    X, y, weight = table()
    one = {"n_estimators": 1, "learning_rate": 1e-12}
    for loss, start in (("squared_error", np.average(y, weights=weight)), ("huber", None), ("absolute_error", None)):
        model = GradientBoostingRegressor(loss=loss, **one).fit(X, y, weight if start is not None else None)
        assert model.predict(X[:1])[0] == pytest.approx(np.median(y) if start is None else start, abs=1e-9)


@pytest.mark.parametrize("loss", ["log_cosh", "poisson", "gamma", "absolute_error", "huber"])
def test_every_loss_decreases_at_every_stage(loss):
    X, y, _ = table()
    y = np.exp(y / 2) if loss in ("poisson", "gamma") else y
    model = GradientBoostingRegressor(loss=loss, n_estimators=30).fit(X, y)
    if loss != "huber":  # its threshold changes from stage to stage
        assert (np.diff(model.train_score_) <= 1e-12).all() and model.certificate_.holds
    assert model.score(X, y) > 0.6


def test_subsampling_of_rows():
    X, y, _ = table()
    model = GradientBoostingRegressor(subsample=0.5, n_estimators=40, random_state=0).fit(X, y)
    assert len(model.oob_improvement_) == len(model.oob_scores_) == 40 and model.oob_improvement_[0] > 0
    assert model.oob_score_ == model.oob_scores_[-1]
    early = GradientBoostingRegressor(n_iter_no_change=3, n_estimators=500, learning_rate=0.5, random_state=0).fit(X, y)
    assert early.n_estimators_ < 500 and early.trace_.stopped == "converged"
    seen = []
    watched = GradientBoostingRegressor().fit(
        X, y, monitor=lambda stage, model, local: seen.append(stage) or stage == 4
    )
    assert watched.n_estimators_ == 5 and seen == [0, 1, 2, 3, 4]


def test_the_monitor_sees_the_current_model():
    X, y, _ = table()
    calls = []

    def look(stage, model, local):
        calls.append((stage, model.predict(X), model.oob_improvement_[stage], len(model.train_score_)))

    model = GradientBoostingRegressor(n_estimators=3, subsample=0.5, random_state=0, warm_start=True)
    model.fit(X, y, monitor=look).set_params(n_estimators=5).fit(X, y, monitor=look)
    assert [row[0] for row in calls] == [0, 1, 2, 3, 4] and [row[3] for row in calls] == [1, 2, 3, 4, 5]
    np.testing.assert_allclose([row[1] for row in calls], list(model.staged_predict(X)), rtol=1e-13)
    np.testing.assert_array_equal([row[2] for row in calls], model.oob_improvement_)


def test_invalid_criteria_and_init_without_probabilities_are_rejected():
    X, y, _ = table()
    with pytest.raises(ValueError, match="criterion"):
        GradientBoostingRegressor(criterion="cost").fit(X, y)
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        GradientBoostingClassifier(init=LinearSVC()).fit(X, y > 0)


def test_initial_models():
    X, y, _ = table()
    line = LinearRegression()
    for start in ("zero", line):
        ours = GradientBoostingRegressor(init=start, n_estimators=10).fit(X, y)
        other = theirs.GradientBoostingRegressor(init=start, n_estimators=10).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-4)  # its tree is in single precision
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = GradientBoostingClassifier(init=tree, n_estimators=20).fit(X, y > 0)
    assert model.score(X, y > 0) > tree.fit(X, y > 0).score(X, y > 0)


def test_a_warm_start_equals_a_single_fit():
    X, y, _ = table()
    straight = GradientBoostingRegressor(n_estimators=12, subsample=0.7, random_state=0).fit(X, y)
    warm = GradientBoostingRegressor(n_estimators=5, subsample=0.7, random_state=0, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_array_equal(warm.predict(X), straight.predict(X))
    with pytest.raises(ParameterError, match="cannot reduce n_estimators from 12 to 3"):
        warm.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(DataError, match="2 classes"):
        GradientBoostingClassifier(loss="exponential").fit(X, np.digitize(y, [-1, 1]))


def test_stumps_and_the_exponential_loss_are_adaboost():
    X, y, _ = table()
    sign = np.where(y > 0, 1.0, -1.0)
    model = AdditiveModel(DecisionTreeClassifier(max_depth=1), loss="exponential", n_estimators=15).fit(X, sign)
    weight = np.full(len(y), 1 / len(y))
    for stump, factor in zip(model.estimators_, model.factors_, strict=True):
        own = DecisionTreeClassifier(max_depth=1).fit(X, sign, weight)
        said = own.predict(X)
        np.testing.assert_array_equal(stump.predict(X), said)
        error = weight[said != sign].sum()
        assert factor == pytest.approx(0.5 * np.log((1 - error) / error), rel=1e-9)
        weight = weight * np.exp(-factor * sign * said)
        weight = weight / weight.sum()
        assert weight[said != sign].sum() == pytest.approx(0.5)


def test_trees_and_squares_are_gradient_boosting():
    X, y, weight = table()
    added = AdditiveModel(DecisionTreeRegressor(max_depth=2), learning_rate=0.3, n_estimators=10).fit(X, y, weight)
    boosted = GradientBoostingRegressor(max_depth=2, learning_rate=0.3, n_estimators=10).fit(X, y, weight)
    np.testing.assert_allclose(added.predict(X), boosted.predict(X), atol=1e-10)
    np.testing.assert_allclose(added.factors_, 0.3)
    np.testing.assert_allclose(list(added.staged_predict(X))[-1], added.predict(X))


def test_single_column_regressions_converge_to_least_squares():
    X, y, weight = table()
    model = AdditiveModel("column", n_estimators=200).fit(X, y, weight)
    line = LinearRegression().fit(X, y, weight)
    np.testing.assert_allclose(model.predict(X), line.predict(X), atol=1e-6)


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "log_cosh", "logistic", "deviance", "poisson"])
def test_additive_models_reduce_any_loss(loss):
    X, y, _ = table()
    target = {"logistic": (y > 0) * 1.0, "deviance": np.where(y > 0, 1.0, -1.0), "poisson": np.exp(y / 2)}.get(loss, y)
    model = AdditiveModel(loss=loss, n_estimators=20).fit(X, target)
    course = model.trace_["objective"]
    assert (np.diff(course) <= 1e-9).all() and course[-1] < 0.8 * course[0]


def test_gradients_of_margin_losses():
    """r = y e^(-yf) and r = 2y / (1 + e^(2yf)) are minus the gradients; so is y - p of the logistic loss."""
    y, f = np.array([1.0, -1.0, 1.0]), np.array([0.3, 0.2, -2.0])
    np.testing.assert_allclose(-Exponential().gradient(y, f), y * np.exp(-y * f))
    np.testing.assert_allclose(-BinomialDeviance().gradient(y, f), 2 * y / (1 + np.exp(2 * y * f)))
    np.testing.assert_allclose(-Logistic().gradient((y + 1) / 2, f), (y + 1) / 2 - 1 / (1 + np.exp(-f)))


@pytest.mark.parametrize("loss", ["log_loss", "exponential", "squared_error", "absolute_error", "huber", "quantile"])
def test_the_initial_model_agrees_with_scikit_learn(loss):
    X, y, weight = table()
    classes = loss in ("log_loss", "exponential")
    name, target = ("GradientBoostingClassifier", y > 0) if classes else ("GradientBoostingRegressor", y)
    ours = (GradientBoostingClassifier if classes else GradientBoostingRegressor)(loss=loss, n_estimators=1)
    other = getattr(theirs, name)(loss=loss, n_estimators=1).fit(X, target, weight).init_
    own = ours.fit(X, target, weight).init_
    assert type(own).__name__ == type(other).__name__ and own.get_params() == other.get_params()
    assert own.n_features_in_ == 4
    predictions = [model.predict_proba(X) if classes else model.predict(X) for model in (own, other)]
    np.testing.assert_allclose(*predictions, rtol=1e-12)
    assert ours.set_params(init="zero").fit(X, target).init_ == "zero"
    first = DecisionTreeClassifier() if classes else DecisionTreeRegressor()
    assert ours.set_params(init=first).fit(X, target).init_.get_depth() > 0


def test_base_pipelines_are_seeded():
    X, y, weight = table()
    base = make_pipeline(StandardScaler(), ExtraTreeRegressor(max_depth=2, max_features=1))
    first, second = (AdditiveModel(base, n_estimators=3, random_state=0).fit(X, y, weight) for _ in range(2))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


def test_weights_are_passed_by_name_or_rejected():
    X, y, weight = table()
    model = AdditiveModel(SGDRegressor(random_state=0), n_estimators=1).fit(
        X, y, weight
    )  # its third argument is not sample_weight
    inner = SGDRegressor(random_state=model.estimators_[0].random_state)
    inner.fit(X, y - np.average(y, weights=weight), sample_weight=weight)
    np.testing.assert_allclose(model.estimators_[0].coef_, inner.coef_)
    with pytest.raises(TypeError, match="LinearRegression does not accept sample_weight, which was given"):
        AdditiveModel(_without_weights(LinearRegression)()).fit(X, y, weight)


def _without_weights(kind):
    return type(kind.__name__, (kind,), {"fit": lambda self, X, y: kind.fit(self, X, y)})
