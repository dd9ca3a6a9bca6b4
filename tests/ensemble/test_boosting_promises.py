"""Boosting: monotonic constraints hold, the validated stage is kept, and resumed fits have the same bits."""

import numpy as np
import pytest

import learnable
from learnable import DecisionTreeRegressor
from learnable.core import DataError, ParameterError
from learnable.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RegularizedBoostingClassifier,
    RegularizedBoostingRegressor,
)


def table(seed=0, n=800):
    """Interacting columns and a noisy target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, 3 * X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)


def logistic(y, z):
    """Gradient, Hessian and loss of classes 0 and 1."""
    probability = 1 / (1 + np.exp(-z))
    return probability - y, probability * (1 - probability), np.logaddexp(0, z) - y * z


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingRegressor(loss="absolute_error"),
        HistGradientBoostingRegressor(loss="quantile", quantile=0.8),
        RegularizedBoostingRegressor(loss="absolute_error"),
        RegularizedBoostingRegressor(loss="quantile", quantile=0.3, subsample=0.5, random_state=0),
    ],
    ids=str,
)
def test_median_leaf_values_satisfy_monotonic_constraints(model, direction):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = 100 * (X[:, 0] * direction + rng.normal(size=300) + np.sin(5 * X[:, 1]))
    model = model.clone().set_params(monotonic_cst=[direction, 0]).fit(X, y)
    for other in (0.1, 0.5, 0.9):
        line = np.column_stack([np.linspace(0, 1, 200), np.full(200, other)])
        assert (direction * np.diff(model.predict(line)) >= 0).all()
    assert np.ptp(model.predict(X)) > 50


def test_a_warm_start_after_early_stopping_keeps_the_best_stage():
    (X, y), (new, truth) = table(), table(1, 400)
    model = RegularizedBoostingRegressor(
        n_estimators=200, early_stopping_rounds=3, random_state=0, warm_start=True, learning_rate=0.4, max_depth=3,
        subsample=0.5,
    )  # fmt: skip
    model.fit(X, y, X_val=new, y_val=truth)
    model.set_params(n_estimators=150, early_stopping_rounds=30, learning_rate=0.1).fit(X, y, X_val=new, y_val=truth)
    assert len(model.validation_score_) == len(model.train_score_) == model.n_iter_ + 1
    kept = -np.mean((model.predict(new) - truth) ** 2) / 2
    assert kept == pytest.approx(model.validation_score_.max(), rel=1e-12)


def test_stages_before_early_stopping_have_no_scores():
    (X, y), (new, truth) = table(), table(1, 400)
    model = RegularizedBoostingRegressor(n_estimators=10, warm_start=True, learning_rate=0.1).fit(X, y)
    model.set_params(n_estimators=100, early_stopping_rounds=5).fit(X, y, X_val=new, y_val=truth)
    kept = -np.mean((model.predict(new) - truth) ** 2) / 2
    assert model.n_iter_ > 10 and kept == pytest.approx(model.validation_score_.max(), rel=1e-12)


def test_dart_keeps_the_trees_that_were_validated():
    (X, y), (new, truth) = table(), table(1, 400)
    model = RegularizedBoostingRegressor(
        booster="dart", n_estimators=60, early_stopping_rounds=10, rate_drop=0.3, random_state=0
    ).fit(X, y, X_val=new, y_val=truth)
    kept = -np.mean((model.predict(new) - truth) ** 2) / 2
    assert kept == pytest.approx(model.validation_score_.max(), rel=1e-12)


def test_dart_resumes_with_the_same_bits(tmp_path):
    X, y = table()
    options = {"booster": "dart", "rate_drop": 0.3, "random_state": 0, "max_depth": 3}
    straight = RegularizedBoostingRegressor(n_estimators=30, **options).fit(X, y)
    warm = RegularizedBoostingRegressor(n_estimators=12, warm_start=True, **options).fit(X, y)
    warm.set_params(n_estimators=30).fit(X, y)
    np.testing.assert_array_equal(warm.predict(X), straight.predict(X))

    def killed(row):
        if row.iteration >= 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), learnable.checkpoint(tmp_path / "state"), learnable.watch(killed):
        RegularizedBoostingRegressor(n_estimators=30, **options).fit(X, y)
    with learnable.checkpoint(tmp_path / "state"):
        resumed = RegularizedBoostingRegressor(n_estimators=30, **options).fit(X, y)
    np.testing.assert_array_equal(resumed.predict(X), straight.predict(X))


@pytest.mark.parametrize("begun", [0, 2])
@pytest.mark.parametrize("maker", [GradientBoostingRegressor, RegularizedBoostingRegressor])
def test_a_fit_killed_in_its_first_stage_resumes(maker, begun, tmp_path):
    X, y = table()
    straight, warm = maker(n_estimators=5, random_state=0).fit(X, y), maker(random_state=0, warm_start=begun > 0)
    if begun:
        warm.set_params(n_estimators=begun).fit(X, y)
    warm.set_params(n_estimators=5)

    def killed(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), learnable.checkpoint(tmp_path / "state", every=0), learnable.watch(killed):
        warm.fit(X, y)
    with learnable.checkpoint(tmp_path / "state"):
        warm.fit(X, y)
    np.testing.assert_array_equal(warm.predict(X), straight.predict(X))


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "squared_error"])
def test_gradient_based_sampling_weights_leaf_values(loss):
    column, y = np.arange(1000) % 2, np.arange(1000.0)  # in order: of equal gradients the first rows are the largest
    options = {"sampling_method": "gradient_based", "n_estimators": 30, "random_state": 0}
    model = RegularizedBoostingRegressor(loss=loss, **options).fit(column[:, None], y)
    np.testing.assert_allclose(model.predict([[0.0], [1.0]]), [500.0, 500.0], atol=60)


def test_a_custom_loss_reports_what_it_returns():
    (X, y), (new, truth) = table(), table(1, 400)
    classes, labels = (y > 0).astype(int), (truth > 0).astype(int)
    options = {"n_estimators": 40, "early_stopping_rounds": 3, "random_state": 0}
    known = RegularizedBoostingClassifier(**options).fit(X, classes, X_val=new, y_val=labels)
    given = RegularizedBoostingClassifier(loss=logistic, **options).fit(X, classes, X_val=new, y_val=labels)
    assert given.n_iter_ == known.n_iter_
    np.testing.assert_allclose(given.validation_score_, known.validation_score_, rtol=1e-6)
    with pytest.raises(ParameterError, match=r"early_stopping_rounds needs loss values"):
        RegularizedBoostingClassifier(loss=lambda y, z: logistic(y, z)[:2], **options).fit(X, classes)
    two = RegularizedBoostingClassifier(loss=lambda y, z: logistic(y, z)[:2], n_estimators=5).fit(X, classes)
    assert "Newton step" in two.certificate_.sentence and "loss went" not in two.certificate_.sentence
    with pytest.raises(DataError, match="nonnegative"):
        RegularizedBoostingRegressor(loss=lambda y, z: (z - y, z * 0 - 1)).fit(X, y)


def test_out_of_bag_losses_of_earlier_stages_are_kept():
    X, y = table()
    options = {"subsample": 0.5, "random_state": 0}
    straight = GradientBoostingRegressor(n_estimators=8, **options).fit(X, y)
    warm = GradientBoostingRegressor(n_estimators=3, warm_start=True, **options).fit(X, y)
    warm.set_params(n_estimators=8).fit(X, y)
    for name in ("train_score_", "oob_improvement_", "oob_scores_"):
        np.testing.assert_allclose(getattr(warm, name), getattr(straight, name), rtol=1e-12)


@pytest.mark.parametrize(
    "model", [HistGradientBoostingRegressor, DecisionTreeRegressor], ids=lambda kind: kind.__name__
)
def test_invalid_monotonic_constraints_are_named(model):
    X, y = table()
    with pytest.raises(ParameterError, match=r"hold -1, 0 or 1 for each column; got \[1, 0, 2, 0, 0\]"):
        model(monotonic_cst=[1, 0, 2, 0, 0]).fit(X, y)
    with pytest.raises(ParameterError, match=r"has shape \(1,\) but the input data X has 5 features"):
        model(monotonic_cst=[1]).fit(X, y)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
@pytest.mark.parametrize("name", ["GradientBoostingRegressor", "HistGradientBoostingRegressor",
                                  "RegularizedBoostingRegressor"])  # fmt: skip
def test_diverging_stages_are_not_certified(name):
    X, y = table()
    model = getattr(learnable, name)(learning_rate=1e6)
    model.set_params(**{"max_iter" if "Hist" in name else "n_estimators": 300})
    with pytest.warns(
        learnable.ConvergenceWarning, match=f"{name}: the mean training loss diverged .*lower learning_rate"
    ):
        model.fit(X, y)
    assert model.trace_.stopped == "diverged" and not model.certificate_.holds
