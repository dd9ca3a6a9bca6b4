"""Ensembles of independent estimators that are stopped keep those fitted in time."""

import numpy as np
import pytest
import sklearn.linear_model

import learnable
from learnable.datasets import load_diabetes, load_iris
from learnable.ensemble import (
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomTreesEmbedding,
)

MANY = [
    BaggingClassifier(n_estimators=9, max_features=0.5, random_state=3),
    BaggingRegressor(learnable.Ridge(), n_estimators=9, n_jobs=2, random_state=3),
    IsolationForest(n_estimators=9, random_state=3),
    RandomTreesEmbedding(n_estimators=9, random_state=3, sparse_output=False),
]


def predictions(model, X):
    if isinstance(model, RandomTreesEmbedding):
        return model.transform(X)
    return model.score_samples(X) if isinstance(model, IsolationForest) else model.predict(X)


def kill(model, X, y, place, at):
    """Start a fit with the checkpoint file `place`, and kill it after `at` steps."""

    def killed(event):
        if type(event.estimator) is type(model) and event.iteration == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), learnable.checkpoint(place, every=0), learnable.watch(killed):
        model.clone().fit(X, y)


@pytest.mark.parametrize("model", MANY, ids=str)
def test_a_watched_fit_has_the_same_bits(model):
    X, y = load_iris(return_X_y=True)
    whole, seen = model.clone().fit(X, y), []

    def look(event):
        if type(event.estimator) is type(model):
            seen.append(event.row.get("trees", event.row.get("estimators")))

    with learnable.threads(2), learnable.watch(look):
        watched = model.clone().fit(X, y)
    assert seen[-1] == 9 and seen == sorted(set(seen)) and len(seen) > 4
    np.testing.assert_array_equal(predictions(watched, X), predictions(whole, X))
    assert watched.trace_.stopped == "exact" and watched.certificate_.holds
    for mine, other in zip(watched.estimators_samples_, whole.estimators_samples_, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("model", MANY, ids=str)
def test_a_stopped_fit_keeps_its_estimators_and_can_be_continued(model):
    X, y = load_iris(return_X_y=True)
    with learnable.threads(2):
        whole, stopped = model.clone().fit(X, y), model.clone().set_params(warm_start=True)
        stop = learnable.watch(lambda event: type(event.estimator) is type(model) and event.iteration == 2)
        with (
            stop,
            pytest.warns(learnable.ConvergenceWarning, match="stopped by a watcher after [24] (trees|estimators)"),
        ):
            stopped.fit(X, y)
        count = len(stopped.estimators_)
        assert count in (2, 4) and len(stopped.estimators_samples_) == count
        assert stopped.trace_.stopped == "interrupted" and not stopped.certificate_.holds
        first = model.clone().set_params(n_estimators=count).fit(X, y)
        np.testing.assert_array_equal(predictions(stopped, X), predictions(first, X))
        np.testing.assert_array_equal(predictions(stopped.fit(X, y), X), predictions(whole, X))


@pytest.mark.parametrize("model", MANY, ids=str)
def test_a_budget_keeps_what_was_fitted_in_time(model):
    X, y = load_iris(return_X_y=True)
    model = model.clone().set_params(n_estimators=10**5)
    with learnable.budget(seconds=0.5), pytest.warns(learnable.ConvergenceWarning, match="the budget"):
        model.fit(X, y)
    assert model.trace_.stopped == "budget" and 0 < len(model.estimators_) < 10**5
    assert np.isfinite(predictions(model, X)).all()


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(n_estimators=30, max_features=2, oob_score=True),
        RandomForestClassifier(30, oob_score=True),
        ExtraTreesRegressor(30, bootstrap=True),
        IsolationForest(n_estimators=30),
    ],
    ids=str,
)
def test_a_resumed_fit_without_a_seed_knows_its_samples(model, tmp_path):
    X, y = load_iris(return_X_y=True)

    place = tmp_path / "state"
    kill(model, X, y, place, at=3)
    with learnable.checkpoint(place):
        resumed = model.clone().fit(X, y)
    assert len(resumed.estimators_) == len(resumed.estimators_samples_) == 30
    for learner, rows in zip(resumed.estimators_, resumed.estimators_samples_, strict=True):
        assert learner.tree_.n_node_samples[0] == len(np.unique(rows))


@pytest.mark.parametrize(
    "model",
    [
        learnable.GradientBoostingRegressor(subsample=0.5, n_estimators=30, n_iter_no_change=30),
        learnable.HistGradientBoostingRegressor(max_iter=30, early_stopping=True, n_iter_no_change=30),
        learnable.RegularizedBoostingRegressor(n_estimators=30, subsample=0.5, colsample_bytree=0.5),
        learnable.AdaBoostRegressor(n_estimators=12),
    ],
    ids=str,
)
def test_a_resumed_fit_without_a_seed_continues_its_draws(model, tmp_path):
    """So it holds out the same rows: two fits resumed from one file are the same."""
    X, y = load_diabetes(return_X_y=True)

    first, second = tmp_path / "first", tmp_path / "second"
    kill(model, X, y, first, at=6)
    second.write_bytes(first.read_bytes())
    found = []
    for place in (first, second):
        with learnable.checkpoint(place):
            found.append(model.clone().fit(X, y).predict(X))
    np.testing.assert_array_equal(*found)
    assert (model.clone().fit(X, y).predict(X) != found[0]).any()


@pytest.mark.parametrize("kind", [BaggingRegressor, learnable.AdaBoostRegressor])
def test_estimators_of_other_libraries_can_be_fitted_but_not_checkpointed(kind, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = kind(sklearn.linear_model.Ridge(), n_estimators=4, random_state=0)
    with learnable.checkpoint(tmp_path / "state", every=0), pytest.warns(UserWarning, match="it is a Ridge") as warned:
        found = model.fit(X, y).predict(X)
    assert len(warned) == 1 and "the fit continues without checkpoints" in str(warned[0].message)
    assert not (tmp_path / "state").exists()
    np.testing.assert_array_equal(found, model.clone().fit(X, y).predict(X))


def test_a_resumed_iteration_is_not_the_first(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), rng.exponential(size=30)
    model = AdaBoostRegressor(learnable.DecisionTreeRegressor(max_depth=1), random_state=0)
    whole = model.clone().fit(X, y)
    assert 1 < len(whole.estimators_) < 50  # stopped by an estimator no better than random guessing
    kill(model, X, y, tmp_path / "rounds", len(whole.estimators_) + 1)
    with learnable.checkpoint(tmp_path / "rounds"):
        resumed = model.clone().fit(X, y)
    np.testing.assert_array_equal(resumed.estimator_weights_, whole.estimator_weights_)
