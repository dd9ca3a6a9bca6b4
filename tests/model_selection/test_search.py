import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.stats
import sklearn.model_selection as theirs
from sklearn.datasets import load_diabetes, load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the halving searches importable
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnable
from learnable import (
    ElasticNet,
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    Lasso,
    RandomizedSearchCV,
    Ridge,
    cross_validate,
)
from learnable.core import BudgetError, ParameterError

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
ALPHAS = {"alpha": [1e-3, 0.1, 1.0, 30.0]}


def same_results(ours, other):
    mine, its = ours.cv_results_, other.cv_results_
    assert set(mine) == set(its)
    assert [dict(p) for p in mine["params"]] == [dict(p) for p in its["params"]]
    for name in its:
        if name == "params" or "time" in name:
            continue
        if name.startswith("param_"):
            assert mine[name].dtype == its[name].dtype and mine[name].tolist() == its[name].tolist()
        else:
            np.testing.assert_allclose(mine[name], its[name], rtol=1e-7, atol=1e-12, err_msg=name)
    assert ours.best_index_ == other.best_index_ and ours.best_params_ == other.best_params_
    if hasattr(other, "best_score_"):
        assert ours.best_score_ == pytest.approx(other.best_score_)


SEARCHES = [
    (TheirRidge(), ALPHAS, {}),
    (TheirRidge(), ALPHAS, {"return_train_score": True, "cv": theirs.KFold(3, shuffle=True, random_state=0)}),
    (TheirRidge(), [ALPHAS, {"fit_intercept": [False], "solver": ["svd", "lsqr"]}], {"scoring": "neg_max_error"}),
    (TheirRidge(), ALPHAS, {"scoring": ["r2", "neg_mean_absolute_error"], "refit": "r2", "return_train_score": True}),
    (TheirRidge(), ALPHAS, {"refit": lambda results: int(np.argmin(results["mean_test_score"]))}),
    (make_pipeline(StandardScaler(), TheirRidge()), {"ridge__alpha": [0.1, 10.0]}, {}),
]


@pytest.mark.parametrize(("model", "grid", "options"), SEARCHES)
def test_grids_give_what_scikit_learn_gives(model, grid, options):
    ours = GridSearchCV(model, grid, **options).fit(X, Y)
    other = theirs.GridSearchCV(model, grid, **options).fit(X, Y)
    same_results(ours, other)
    np.testing.assert_allclose(ours.predict(X), other.predict(X))
    assert ours.score(X, Y) == pytest.approx(other.score(X, Y))
    assert ours.n_splits_ == other.n_splits_ and ours.multimetric_ == other.multimetric_ and ours.refit_time_ > 0


def test_classifiers():
    model, grid = LogisticRegression(max_iter=500), {"C": [0.1, 1.0, 10.0]}
    ours, other = GridSearchCV(model, grid).fit(*IRIS), theirs.GridSearchCV(model, grid).fit(*IRIS)
    same_results(ours, other)
    np.testing.assert_array_equal(ours.predict(IRIS[0]), other.predict(IRIS[0]))
    np.testing.assert_array_equal(ours.predict_proba(IRIS[0]), other.predict_proba(IRIS[0]))
    np.testing.assert_array_equal(ours.classes_, other.classes_)
    assert not hasattr(ours, "transform") and hasattr(ours, "decision_function")


@pytest.mark.parametrize("space", [{"alpha": scipy.stats.uniform(0, 5)}, {"alpha": list(range(1, 40))}])
def test_draws_give_what_scikit_learn_gives(space):
    options = {"n_iter": 6, "random_state": 3, "cv": 3}
    ours = RandomizedSearchCV(TheirRidge(), space, **options).fit(X, Y)
    same_results(ours, theirs.RandomizedSearchCV(TheirRidge(), space, **options).fit(X, Y))


@pytest.mark.parametrize(
    ("size", "count"), [(10, 3), (10, 10), (1000, 5), (500, 499), (1000, 999), (5000, 4999), (3, 1)]
)
def test_draws_from_lists(size, count):
    space = [{"a": list(range(size // 2))}, {"b": list(range(size - size // 2))}]
    ours = list(learnable.ParameterSampler(space, count, random_state=5))
    assert ours == list(theirs.ParameterSampler(space, count, random_state=5))


def test_grids_can_be_counted_and_looked_up():
    spec = [{"a": [1, 2], "b": ["x", "y", "z"]}, {}, {"c": [None]}]
    ours, other = learnable.ParameterGrid(spec), theirs.ParameterGrid(spec)
    assert list(ours) == list(other) and len(ours) == len(other)
    assert [ours[i] for i in range(len(ours))] == list(ours)
    with pytest.raises(IndexError):
        ours[len(ours)]
    with pytest.raises(TypeError, match="even a single value"):
        learnable.ParameterGrid({"a": 3})
    with pytest.raises(ValueError, match="are empty"):
        learnable.ParameterGrid({"a": []})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"factor": 2, "min_resources": 40, "scoring": "neg_mean_absolute_error"},
        {"aggressive_elimination": True, "max_resources": 100},
        {"resource": "max_iter", "max_resources": 90, "min_resources": 10},
    ],
)
def test_halving_gives_what_scikit_learn_gives(options):
    grid = {"alpha": [1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0]}
    model = TheirRidge(solver="sag", random_state=0, tol=1e-12) if "resource" in options else TheirRidge()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = HalvingGridSearchCV(model, grid, random_state=0, **options).fit(X, Y)
        other = theirs.HalvingGridSearchCV(model, grid, random_state=0, **options).fit(X, Y)
    same_results(ours, other)
    for name in ("n_resources_", "n_candidates_", "n_remaining_candidates_", "n_iterations_", "min_resources_",
                 "n_required_iterations_", "n_possible_iterations_", "max_resources_"):  # fmt: skip
        assert getattr(ours, name) == getattr(other, name), name


def test_halving_of_draws():
    space = {"C": scipy.stats.loguniform(1e-2, 10)}
    model = LogisticRegression(max_iter=500)
    ours = HalvingRandomSearchCV(model, space, random_state=0, cv=3).fit(*IRIS)
    same_results(ours, theirs.HalvingRandomSearchCV(model, space, random_state=0, cv=3).fit(*IRIS))


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (Ridge(), {"alpha": [1e-3, 0.1, 1.0, 1e3], "fit_intercept": [True, False]}),
        (Ridge(), {"alpha": [0.0, 1.0]}),
        (Ridge(positive=True), {"alpha": [0.1, 1.0]}),
        (Lasso(tol=1e-10), {"alpha": [1e-3, 0.1, 1.0]}),
        (ElasticNet(tol=1e-10), {"alpha": [1e-3, 0.1], "l1_ratio": [0.2, 0.9]}),
    ],
)
@pytest.mark.parametrize("scoring", [None, ["neg_mean_absolute_error", "r2"]])
def test_shortcuts_change_nothing(model, grid, scoring, monkeypatch):
    options = {"scoring": scoring, "refit": scoring is None or "r2", "return_train_score": True}
    weight = np.random.default_rng(0).integers(1, 4, size=len(Y))
    fast = GridSearchCV(model, grid, cv=learnable.KFold(4, shuffle=True, random_state=0), **options)
    fast.fit(X, Y, sample_weight=weight)
    monkeypatch.setattr(type(model), "validation_paths", ())
    slow = fast.clone().fit(X, Y, sample_weight=weight)
    for name, value in slow.cv_results_.items():
        if name.startswith(("split", "mean_t", "std_t")):
            np.testing.assert_allclose(fast.cv_results_[name], value, rtol=1e-9, atol=1e-9, err_msg=name)
    assert fast.best_params_ == slow.best_params_
    np.testing.assert_array_equal(fast.predict(X), slow.predict(X))


def test_a_shortcut_is_taken(monkeypatch):
    fits = []
    plain = Ridge._fit
    monkeypatch.setattr(Ridge, "_fit", lambda self, data, trace: fits.append(1) or plain(self, data, trace))
    GridSearchCV(Ridge(), ALPHAS).fit(X, Y)
    assert len(fits) == 1, "only the refit should be left"
    wide = np.random.default_rng(0).standard_normal((30, 60))
    GridSearchCV(Ridge(), ALPHAS, cv=3).fit(wide, wide[:, 0])
    assert len(fits) == 2


def test_one_standard_error_takes_the_simplest_that_is_as_good():
    search = GridSearchCV(Ridge(), {"alpha": np.geomspace(1e-4, 1e3, 30)}, rule="one_se", cv=10).fit(X, Y)
    scores = search.test_scores_["score"]
    best = scores.mean(axis=1).argmax()
    limit = scores[best].mean() - scores[best].std(ddof=1) / np.sqrt(10)
    allowed = [a["alpha"] for a, row in zip(search.candidates_, scores, strict=True) if row.mean() >= limit]
    assert search.best_params_["alpha"] == max(allowed) > search.candidates_[best]["alpha"]


def test_the_order_of_complexity_must_be_known():
    with pytest.raises(ParameterError, match="'fit_intercept'"):
        GridSearchCV(Ridge(), {"fit_intercept": [True, False]}, rule="one_se").fit(X, Y)
    search = GridSearchCV(TheirRidge(), ALPHAS, rule="one_se", simplest="alpha").fit(X, Y)
    assert search.best_params_["alpha"] >= GridSearchCV(TheirRidge(), ALPHAS).fit(X, Y).best_params_["alpha"]
    other = GridSearchCV(TheirRidge(), ALPHAS, rule="one_se", simplest=lambda params: -params["alpha"]).fit(X, Y)
    assert other.best_params_ == search.best_params_


def test_a_journal_saves_the_work(tmp_path):
    path = tmp_path / "search.jsonl"
    calls = []

    class Counted(TheirRidge):
        def fit(self, X, y):
            calls.append(1)
            return super().fit(X, y)

    first = GridSearchCV(Counted(), ALPHAS, journal=path, cv=4).fit(X, Y)
    assert len(calls) == 17
    second = GridSearchCV(Counted(), {"alpha": [*ALPHAS["alpha"], 5.0]}, journal=path, cv=4).fit(X, Y)
    assert len(calls) == 17 + 4 + 1, "one candidate is new, and the best is fitted"
    np.testing.assert_array_equal(first.test_scores_["score"], second.test_scores_["score"][:4])
    GridSearchCV(Counted(), ALPHAS, journal=path, cv=4).fit(X, Y + 1)
    assert len(calls) == 22 + 17, "other data are other work"
    first_again = GridSearchCV(Counted(), ALPHAS, journal=path, cv=4).fit(X, Y)
    for name, value in first.cv_results_.items():
        if name.startswith("mean_fit"):
            np.testing.assert_array_equal(first_again.cv_results_[name], value)


@pytest.mark.parametrize("content", [b"my notes\n", b"{}\n", b"\x00\xff", b'{"a": 1}\n'])
def test_a_file_that_is_not_a_journal_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ParameterError, match=r"journal: .*notes.txt exists and is not a journal"):
        GridSearchCV(Ridge(), ALPHAS, journal=path).fit(X, Y)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (make_scorer(partial(fbeta_score, beta=2)), make_scorer(partial(fbeta_score, beta=0.1))),
        (lambda model, X, y: 1.0, lambda model, X, y: 2.0),
    ],
)
def test_a_journal_distinguishes_scorers(tmp_path, first, second):
    target, path = Y > 120, tmp_path / "search.jsonl"
    requested = [
        GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=s, journal=path, cv=2) for s in (first, second)
    ]
    alone = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=second, cv=2).fit(X, target)
    one, other = (search.fit(X, target).best_score_ for search in requested)
    assert one != other == alone.best_score_


PROGRAM = """
import sys, time
import numpy as np
import learnable
from sklearn.linear_model import Ridge

class Slow(Ridge):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 5)); y = X[:, 0] + rng.standard_normal(60)
search = learnable.GridSearchCV(Slow(), {"alpha": [0.1, 1.0, 10.0, 100.0]}, cv=5, journal=sys.argv[1]).fit(X, y)
print(search.test_scores_["score"].tobytes().hex(), search.best_params_, search.best_estimator_.coef_.tobytes().hex())
"""


def test_a_search_that_was_killed_goes_on(tmp_path):
    path = tmp_path / "killed.jsonl"
    command = [sys.executable, "-c", PROGRAM, str(path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and (not path.exists() or path.read_bytes().count(b"\n") < 4):
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    running.stdout.close()
    left = path.read_bytes()
    assert 4 <= left.count(b"\n") < 20
    path.write_bytes(left + b'{"key": "half a li')
    resumed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert path.read_bytes().startswith(left)
    assert sum(1 for line in path.read_bytes().split(b"\n") if line and _whole(line)) == 20
    whole = subprocess.run([*command[:-1], str(tmp_path / "fresh")], capture_output=True, text=True, check=True).stdout
    assert resumed == whole


def _whole(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


class Sleepy(TheirRidge):
    fits = 0

    def fit(self, X, y):
        Sleepy.fits += 1
        time.sleep(0.05)
        return super().fit(X, y)


def test_a_budget_ends_a_search_with_what_is_complete():
    search = GridSearchCV(Sleepy(), {"alpha": list(range(1, 400))}, cv=3)
    Sleepy.fits = 0
    with learnable.budget(seconds=1.5), pytest.warns(UserWarning) as caught:
        search.fit(X, Y)
    assert 0 < Sleepy.fits < 3 * 399
    words = [str(warning.message) for warning in caught]
    assert any("stopped by the budget" in text and text.endswith("; allow more") for text in words)
    assert not any("not finite" in text for text in words)
    done = ~np.isnan(search.cv_results_["mean_test_score"])
    assert 1 <= done.sum() < 399 and search.trace_.stopped == "budget" and not search.certificate_.holds
    assert re.fullmatch(r"not within the tolerance: \d+ of 1197 fits were left out\.", search.certificate_.sentence)
    assert search.best_index_ in np.flatnonzero(done) and search.predict(X).shape == Y.shape
    with learnable.budget(seconds=1e-6), pytest.raises(BudgetError):
        search.fit(X, Y)


def test_watchers_see_candidates_and_may_stop():
    events = []
    search = GridSearchCV(TheirRidge(), ALPHAS)
    with learnable.watch(lambda event: events.append(event.row)):
        search.fit(X, Y)
    assert [row["candidate"] for row in events[:4]] == [0, 1, 2, 3]
    with learnable.watch(lambda event: True), pytest.warns(UserWarning):
        search.fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).tolist() == [True, False, False, False]
    assert search.trace_.stopped == "interrupted"


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_workers_change_nothing(n_jobs):
    alone = GridSearchCV(TheirRidge(), ALPHAS).fit(X, Y)
    many = GridSearchCV(TheirRidge(), ALPHAS, n_jobs=n_jobs).fit(X, Y)
    np.testing.assert_array_equal(alone.test_scores_["score"], many.test_scores_["score"])
    assert alone.cv_results_["params"] == many.cv_results_["params"]


def test_several_scores_need_a_word_about_which_decides():
    with pytest.raises(ParameterError, match="set refit to the name of one of them"):
        GridSearchCV(Ridge(), ALPHAS, scoring=["r2", "neg_max_error"]).fit(X, Y)
    search = GridSearchCV(Ridge(), ALPHAS, scoring=["r2", "neg_max_error"], refit=False).fit(X, Y)
    assert not hasattr(search, "best_params_") and not hasattr(search, "predict")


def test_the_summary_warns_of_its_own_flattery():
    search = GridSearchCV(Ridge(), ALPHAS).fit(X, Y)
    estimate = search.summary()["score"]
    assert estimate.low < search.best_score_ == pytest.approx(estimate.mean) and estimate.high > estimate.mean
    assert "no unbiased estimate" in str(search.summary()) and "nested_cross_validate" in search.summary()._repr_html_()
    assert "unbiased" not in str(cross_validate(Ridge(), X, Y).summary()), "nothing was chosen"


def test_files_hold_searches(tmp_path):
    search = GridSearchCV(Ridge(), ALPHAS, return_train_score=True).fit(X, Y)
    learnable.save(search, tmp_path / "search.learn")
    again = learnable.load(tmp_path / "search.learn")
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    for name, value in search.cv_results_.items():
        np.testing.assert_array_equal(again.cv_results_[name], value)


def test_tunable_parameters_of_the_library():
    assert learnable.tunable_parameters(Lasso())["alpha"].simpler == "larger"
    grid = {name: entry.values for name, entry in learnable.tunable_parameters(ElasticNet()).items()}
    assert set(grid) == {"alpha", "l1_ratio"}
    GridSearchCV(ElasticNet(), {name: list(values)[-2:] for name, values in grid.items()}, cv=3).fit(X, Y)
    nested = learnable.tunable_parameters(GridSearchCV(Ridge(), ALPHAS))
    assert "estimator__alpha" in nested


def test_dask_does_the_fits():
    import distributed
    import joblib

    alone = GridSearchCV(Lasso(), {"max_iter": [500, 1000, 2000]}, cv=3).fit(X, Y)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        far = GridSearchCV(Lasso(), {"max_iter": [500, 1000, 2000]}, cv=3).fit(X, Y)
        workers = learnable.cross_val_score(Lasso(), X, Y, scoring=lambda model, X, y: float(os.getpid()))
    assert os.getpid() not in workers
    np.testing.assert_array_equal(alone.test_scores_["score"], far.test_scores_["score"])


def test_a_parameter_that_is_not_there_is_named_before_anything_is_fitted():
    for search in (GridSearchCV(Ridge(), {"alfa": [1.0]}), RandomizedSearchCV(Ridge(), {"alfa": [1.0]}, n_iter=1)):
        with pytest.raises(ValueError, match="alfa"):
            search.fit(X, Y)
