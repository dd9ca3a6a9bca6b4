"""Histogram boosting: agreement with scikit-learn, penalties, early stopping, categories and missing values."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as theirs
from threadpoolctl import threadpool_limits

import learnable
from learnable.core import DataError, ParameterError
from learnable.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RegularizedBoostingClassifier,
    RegularizedBoostingRegressor,
)


def table(seed=0, n=1500, missing=0.0):
    """Interacting columns and a noisy target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fitted(model, *data):
    """A scikit-learn model, fitted on one thread: its threads wait actively when other processes use the processor."""
    with threadpool_limits(limits=1, user_api="openmp"):
        return model.fit(*data)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("loss", ["squared_error", "gamma", "poisson"])
def test_first_stages_agree_with_scikit_learn(loss, missing):
    X, y = table(missing=missing)
    y = y if loss == "squared_error" else np.exp(y / 2)
    options = {"loss": loss, "max_iter": 5, "l2_regularization": 0.1}
    ours, other = HistGradientBoostingRegressor(**options), theirs.HistGradientBoostingRegressor(**options)
    np.testing.assert_allclose(ours.fit(X, y).predict(X), fitted(other, X, y).predict(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("borders", [[0.0], [-0.5, 0.5]])
def test_first_stages_of_classification_agree_with_scikit_learn(borders):
    X, y = table()
    classes = np.digitize(y, borders)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    options = {"max_iter": 5, "max_depth": 3}
    ours = HistGradientBoostingClassifier(**options).fit(X, classes, weight)
    other = fitted(theirs.HistGradientBoostingClassifier(**options), X, classes, weight)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_many_stages_reach_the_loss_of_scikit_learn():
    (X, y), (new, truth) = table(), table(1)
    ours = HistGradientBoostingRegressor().fit(X, y)
    other = fitted(theirs.HistGradientBoostingRegressor(), X, y)
    mine, their = (float(np.mean((model.predict(new) - truth) ** 2)) for model in (ours, other))
    assert mine <= 1.05 * their


def houses(n, seed):
    """A table like the California housing data: income, age, rooms, population, location, and the house value."""
    rng = np.random.default_rng(seed)
    sizes = [rng.gamma(3.0, 1.3, n), rng.integers(1, 53, n), rng.gamma(5.0, 1.1, n), rng.gamma(2.0, 700.0, n)]
    X = np.column_stack([*sizes, rng.normal(size=(n, 2))])
    far = np.hypot(X[:, 4], X[:, 5] - 1)
    value = 0.5 * X[:, 0] + 0.3 * np.log(X[:, 2]) - 0.5 * far + 0.01 * X[:, 1] + 0.3 * rng.standard_normal(n)
    return X, value


def test_losses_agree_with_lightgbm_and_xgboost():
    """Frozen: LightGBM 4.7.0 with 31 leaves and XGBoost 3.2.0 of depth 6, both 100 trees at a rate of 0.1."""
    (X, y), (new, truth) = houses(4000, 0), houses(4000, 1)
    numbers = {
        HistGradientBoostingRegressor(): 0.114787,
        RegularizedBoostingRegressor(learning_rate=0.1): 0.117486,
    }
    for model, theirs_reached in numbers.items():
        assert np.mean((model.fit(X, y).predict(new) - truth) ** 2) <= 1.03 * theirs_reached
    border = np.median(y)
    classes = {
        HistGradientBoostingClassifier(): 0.232434,
        RegularizedBoostingClassifier(learning_rate=0.1): 0.223745,
    }
    for model, theirs_reached in classes.items():
        probability = model.fit(X, y > border).predict_proba(new)
        own = probability[np.arange(4000), (truth > border).astype(int)]
        assert -np.mean(np.log(own)) <= 1.03 * theirs_reached


def test_targets_and_weights_may_be_strided():
    X, y = table()
    both = np.column_stack([y, np.arange(len(y)) % 3 + 1.0])
    apart = HistGradientBoostingRegressor(max_iter=3).fit(X, both[:, 0], both[:, 1])
    close = HistGradientBoostingRegressor(max_iter=3).fit(X, y, both[:, 1].copy())
    np.testing.assert_array_equal(apart.predict(X), close.predict(X))


def test_leaf_values_of_absolute_errors_are_medians():
    X, y = table()
    for loss, level in (("absolute_error", None), ("quantile", 0.8)):
        model = HistGradientBoostingRegressor(loss=loss, quantile=level, max_iter=60).fit(X, y)
        assert np.mean(y < model.predict(X)) == pytest.approx(level or 0.5, abs=0.03)
        assert model.certificate_.holds
    with pytest.raises(ParameterError, match="quantile"):
        HistGradientBoostingRegressor(loss="quantile").fit(X, y)


def test_staged_predictions_end_in_the_prediction():
    X, y = table()
    model = HistGradientBoostingRegressor(max_iter=7).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_iter_ == 7
    np.testing.assert_allclose(stages[-1], model.predict(X))
    losses = [np.mean((y - stage) ** 2) / 2 for stage in stages]
    np.testing.assert_allclose(model.trace_["objective"], losses)
    classes = HistGradientBoostingClassifier(max_iter=3).fit(X, np.digitize(y, [-0.5, 0.5]))
    np.testing.assert_allclose(list(classes.staged_predict_proba(X))[-1], classes.predict_proba(X))
    np.testing.assert_array_equal(list(classes.staged_predict(X))[-1], classes.predict(X))
    np.testing.assert_allclose(list(classes.staged_decision_function(X))[-1], classes.decision_function(X))


def test_early_stopping_on_a_validation_set():
    X, y = table()
    options = {"early_stopping": True, "learning_rate": 0.5, "max_iter": 500, "random_state": 0}
    model = HistGradientBoostingRegressor(**options).fit(X, y)
    assert model.n_iter_ < 500 and model.trace_.stopped == "converged" and model.certificate_.holds
    assert len(model.validation_score_) == model.n_iter_ + 1 == len(model.train_score_)
    best = int(np.argmax(model.validation_score_))
    assert model.n_iter_ - best >= model.n_iter_no_change
    scored = HistGradientBoostingRegressor(scoring="r2", **options).fit(X, y)
    assert 0.5 < scored.validation_score_.max() < 1
    new, truth = table(1, 300)
    given = HistGradientBoostingRegressor(**options).fit(X, y, X_val=new, y_val=truth)
    expected = -np.mean((truth - given.predict(new)) ** 2) / 2
    assert given.validation_score_[-1] == pytest.approx(expected)
    kept = RegularizedBoostingRegressor(early_stopping_rounds=5, n_estimators=300, random_state=0)
    kept.fit(X, y, X_val=new, y_val=truth)
    assert kept.n_iter_ == np.argmax(kept.validation_score_)
    with pytest.raises(ParameterError, match="early_stopping is off"):
        HistGradientBoostingRegressor(early_stopping=False).fit(X, y, X_val=new, y_val=truth)
    with pytest.raises(DataError, match="y_val was not provided"):
        HistGradientBoostingRegressor().fit(X, y, X_val=new)


def test_a_warm_start_equals_a_single_fit():
    X, y = table()
    straight = HistGradientBoostingClassifier(max_iter=12, random_state=0).fit(X, y > 0)
    warm = HistGradientBoostingClassifier(max_iter=5, warm_start=True, random_state=0).fit(X, y > 0)
    warm.set_params(max_iter=12).fit(X, y > 0)
    np.testing.assert_array_equal(warm.decision_function(X), straight.decision_function(X))
    with pytest.raises(ParameterError, match=r"cannot reduce max_iter from 12 to 3"):
        warm.set_params(max_iter=3).fit(X, y > 0)


def test_categories_of_a_frame(tmp_path):
    rng = np.random.default_rng(0)
    kinds = np.array(["fig", "elm", "oak", "ash", "yew", "box"])
    codes = rng.integers(0, 6, 800)
    effect = np.array([3.0, -1.0, 3.0, -1.0, 0.5, 3.0])
    frame = pd.DataFrame({"kind": pd.Categorical(kinds[codes]), "size": rng.normal(size=800)})
    frame.loc[5, "kind"] = None
    y = effect[codes] + frame["size"].to_numpy()
    model = HistGradientBoostingRegressor(max_iter=50, max_depth=2).fit(frame, y)
    assert model.is_categorical_.tolist() == [True, False]
    first = model.trees_[0]
    assert first.feature[0] == 0 and len(first.set_words) > 0
    levels = pd.DataFrame({"kind": pd.Categorical(kinds), "size": np.zeros(6)})
    np.testing.assert_allclose(model.predict(levels), effect, atol=0.2)
    strange = pd.DataFrame({"kind": pd.Categorical(["pine", None]), "size": [0.0, 0.0]})
    predictions = model.predict(strange)
    assert predictions[0] == predictions[1], "an unknown category is missing"
    by_number = HistGradientBoostingRegressor(max_iter=50, max_depth=2, categorical_features=[0])
    numbers = np.column_stack([np.searchsorted(np.sort(kinds), kinds[codes]), frame["size"]]).astype(float)
    numbers[5, 0] = np.nan
    np.testing.assert_allclose(by_number.fit(numbers, y).predict(numbers), model.predict(frame))
    learnable.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").predict(frame), model.predict(frame))
    for wrong in ([7], ["colour"], [True]):
        with pytest.raises(ParameterError, match="categorical_features"):
            HistGradientBoostingRegressor(categorical_features=wrong).fit(frame, y)


def test_monotonic_constraints_by_name():
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = HistGradientBoostingRegressor(monotonic_cst={"c": 1}, interaction_cst=[(2,), (0, 1)]).fit(frame, y)
    line = np.zeros((50, 5))
    line[:, 2] = np.linspace(-3, 3, 50)
    assert (np.diff(model.predict(pd.DataFrame(line, columns=list("abcde")))) >= 0).all()
    with pytest.raises(ParameterError, match="unexpected feature names"):
        HistGradientBoostingRegressor(monotonic_cst={"z": 1}).fit(frame, y)
    with pytest.raises(ParameterError, match="for two classes"):
        HistGradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(X, np.digitize(y, [-1, 1]))


def test_a_leaf_value_is_minus_gradient_over_hessian():
    """The value is -G / (H + lambda): with g = f - y and f = 0 it has the sign of y."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 10.0, 12.0])
    model = RegularizedBoostingRegressor(
        n_estimators=1, learning_rate=1.0, base_score=0.0, reg_lambda=1.0, max_depth=1
    ).fit(X, y)
    np.testing.assert_allclose(model.predict(X), [1.0, 1.0, 22 / 3, 22 / 3])
    gain = (3**2 / 3 + 22**2 / 3 - 25**2 / 5) / 2
    enough = {"n_estimators": 1, "base_score": 0.0, "max_depth": 1, "learning_rate": 1.0}
    for pruned in (True, False):
        divided = RegularizedBoostingRegressor(gamma=gain - 0.01, post_pruning=pruned, **enough).fit(X, y)
        whole = RegularizedBoostingRegressor(gamma=gain + 0.01, post_pruning=pruned, **enough).fit(X, y)
        assert divided.trees_[0].n_leaves == 2 and whole.trees_[0].n_leaves == 1
    thinned = RegularizedBoostingRegressor(reg_alpha=2.0, **enough).fit(X, y)
    np.testing.assert_allclose(thinned.predict(X), [1 / 3, 1 / 3, 20 / 3, 20 / 3])
    held = RegularizedBoostingRegressor(max_delta_step=2.0, **enough).fit(X, y)
    np.testing.assert_allclose(held.predict(X)[2:], 2.0)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("regularized", [False, True])
def test_one_split_is_at_the_best_quartile_and_missing_values_go_to_the_better_side(regularized, missing):
    rng = np.random.default_rng(5)
    x, gone = rng.normal(size=400), rng.random(400) < missing
    y = rng.normal(size=400) + 2.0 * ((x > 0.3) | gone)
    quartiles = np.quantile(x[~gone], [0.25, 0.5, 0.75], method="averaged_inverted_cdf")
    sides = [np.where(gone, left, x <= edge) for edge in quartiles for left in (True, False)] + [gone] * bool(missing)
    below = min(sides, key=lambda side: y[side].var() * side.sum() + y[~side].var() * (~side).sum())
    if regularized:
        model = RegularizedBoostingRegressor(n_estimators=1, learning_rate=1.0, max_depth=1, max_bin=4, reg_lambda=0.0)
    else:
        model = HistGradientBoostingRegressor(max_iter=1, learning_rate=1.0, max_depth=1, max_bins=4)
    found = model.fit(np.where(gone, np.nan, x)[:, None], y).predict(np.where(gone, np.nan, x)[:, None])
    np.testing.assert_allclose(found, np.where(below, y[below].mean(), y[~below].mean()), rtol=1e-6)
    assert not missing or not below[gone].any()


def test_post_pruning_keeps_splits_that_pay_later():
    grid = np.array([(a, b) for a in (0.0, 1.0) for b in (0.0, 1.0)] * 10)
    y = (grid[:, 0] != grid[:, 1]).astype(float) + 0.01 * grid[:, 0]
    options = {"gamma": 0.5, "n_estimators": 1, "max_depth": 2, "learning_rate": 1.0, "reg_lambda": 0.0}
    later = RegularizedBoostingRegressor(post_pruning=True, **options).fit(grid, y)
    at_once = RegularizedBoostingRegressor(post_pruning=False, **options).fit(grid, y)
    assert later.trees_[0].n_leaves == 4 and at_once.trees_[0].n_leaves == 1


@pytest.mark.parametrize(
    "options",
    [
        {"subsample": 0.5},
        {"sampling_method": "gradient_based"},
        {"colsample_bytree": 0.8, "colsample_bylevel": 0.9, "colsample_bynode": 0.9},
        {"booster": "dart"},
        {"grow_policy": "lossguide", "max_leaves": 15, "max_depth": None},
        {"loss": "huber"},
        {"loss": "log_cosh"},
        {"loss": "absolute_error"},
        {"loss": lambda y, z: (z - y, np.ones(len(y)))},
    ],
    ids=lambda options: "-".join(map(str, options)),
)
def test_every_boosting_option_learns(options):
    X, y = table()
    new, truth = table(1)
    model = RegularizedBoostingRegressor(n_estimators=60, random_state=0, **options).fit(X, y)
    assert model.score(new, truth) > 0.75
    assert model.certificate_.holds
    np.testing.assert_array_equal(
        model.predict(X), RegularizedBoostingRegressor(n_estimators=60, random_state=0, **options).fit(X, y).predict(X)
    )


def test_a_custom_loss_equals_the_built_in_one():
    X, y = table()
    classes = (y > 0).astype(int)

    def logistic(y, z):
        probability = 1 / (1 + np.exp(-z))
        return probability - y, probability * (1 - probability)

    given = RegularizedBoostingClassifier(loss=logistic, n_estimators=5).fit(X, classes)
    known = RegularizedBoostingClassifier(n_estimators=5).fit(X, classes)
    np.testing.assert_allclose(given.decision_function(X), known.decision_function(X), atol=1e-6)
    with pytest.raises(DataError, match=r"RegularizedBoostingRegressor: .*finite"):
        RegularizedBoostingRegressor(loss=lambda y, z: (z * np.nan, z * 0 + 1)).fit(X, y)
    with pytest.raises(DataError, match="gradient and a Hessian"):
        RegularizedBoostingRegressor(loss=lambda y, z: z - y).fit(X, y)
    with pytest.raises(ParameterError, match="two classes"):
        RegularizedBoostingClassifier(loss=logistic).fit(X, np.digitize(y, [-1, 1]))


def test_sparse_and_bundled_columns_give_the_same_trees():
    from scipy import sparse

    rng = np.random.default_rng(0)
    X = np.zeros((1000, 30))
    X[np.arange(1000), rng.integers(0, 30, 1000)] = rng.normal(size=1000)
    y = X @ rng.normal(size=30) + 0.1 * rng.normal(size=1000)
    plain = RegularizedBoostingRegressor(n_estimators=10).fit(X, y)
    for other in (RegularizedBoostingRegressor(n_estimators=10, bundling=True),
                  RegularizedBoostingRegressor(n_estimators=10)):  # fmt: skip
        other.fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(other.predict(X), plain.predict(X), atol=1e-9)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_compressed_columns_are_binned_as_they_are(kind, monkeypatch):
    from scipy import sparse

    rng = np.random.default_rng(1)
    X = np.where(rng.random((400, 8)) < 0.3, rng.normal(size=(400, 8)), 0.0).astype(kind)
    X[::50, 2] = np.nan
    y = np.nan_to_num(X) @ rng.normal(size=8)
    settings = {"n_estimators": 10, "early_stopping_rounds": 3, "random_state": 0}
    plain = RegularizedBoostingRegressor(**settings).fit(X, y, X_val=X[:50], y_val=y[:50])
    table = sparse.csc_array(X)
    long = sparse.csc_array((table.data, table.indices.astype(np.int64), table.indptr.astype(np.int64)), table.shape)
    for matrix in (table, long):
        with monkeypatch.context() as patch:
            patch.setattr(type(matrix), "toarray", lambda self: pytest.fail("the matrix was made dense"))
            other = RegularizedBoostingRegressor(**settings).fit(matrix, y, X_val=matrix[:50], y_val=y[:50])
        np.testing.assert_array_equal(other.predict(X), plain.predict(X))
        np.testing.assert_array_equal(other.validation_score_, plain.validation_score_)


def test_a_warm_start_cannot_reduce_the_stages():
    X, y = table()
    for model, name in ((RegularizedBoostingRegressor(n_estimators=3, warm_start=True), "n_estimators"),
                        (HistGradientBoostingRegressor(max_iter=3, warm_start=True), "max_iter")):  # fmt: skip
        model.fit(X, y).set_params(**{name: 2})
        with pytest.raises(ParameterError, match=f"cannot reduce {name} from 3 to 2"):
            model.fit(X, y)


def test_importances_sum_to_one_and_rank_the_columns():
    X, y = table()
    model = RegularizedBoostingRegressor(n_estimators=20).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(model.feature_importances_)[-3:]) == {0, 1, 2}


@pytest.mark.parametrize("cls", [HistGradientBoostingRegressor, RegularizedBoostingClassifier])
def test_duplicate_column_names_are_rejected(cls):
    frame = pd.DataFrame(np.eye(20), columns=["a", "a", *map(str, range(18))])
    with pytest.raises(ValueError, match="two columns are called 'a'; rename one"):
        cls().fit(frame, np.arange(20) % 2)


@pytest.mark.parametrize("kind", ["HistGradientBoostingRegressor", "RegularizedBoostingRegressor"])
def test_values_missing_at_prediction_follow_the_heavier_child(kind):
    rng = np.random.default_rng(0)
    X, copies = rng.integers(0, 9, (80, 3)).astype(float), rng.integers(0, 6, 80)
    y = X[:, 0] * X[:, 1] + rng.normal(size=80)
    later = np.where(rng.random((300, 3)) < 0.5, np.nan, rng.integers(0, 9, (300, 3)))
    model = getattr(learnable, kind)(min_samples_leaf=1)
    model.set_params(**{"max_iter" if "Hist" in kind else "n_estimators": 5})
    weighted = model.clone().fit(X, y, sample_weight=copies.astype(float))
    repeated = model.clone().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.predict(later), repeated.predict(later), rtol=1e-9)
