"""RANSAC: known inliers, brute force over all samples, scikit-learn, every way to stop, any base estimator."""

from __future__ import annotations

import itertools
import time
import warnings

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import learnable
from learnable.core import ConvergenceWarning
from learnable.core.runtime.context import current
from learnable.linear_model import HuberRegressor, LinearRegression, RANSACRegressor, Ridge, TweedieRegressor
from learnable.linear_model._robust import ransac_search
from learnable.parts.ransac_trials import probability_of_no_clean_sample


def contaminated(n=100, p=3, outliers=0.3, noise=0.0, seed=0):
    """Rows on a plane, some of them far off; which are not."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X @ np.arange(1.0, p + 1) - 2 + noise * rng.standard_normal(n)
    clean = np.ones(n, dtype=bool)
    clean[rng.choice(n, int(outliers * n), replace=False)] = False
    y[~clean] += rng.choice([-1, 1], (~clean).sum()) * rng.uniform(20, 50, (~clean).sum())
    return X, y, clean


def quiet(model, *data):
    """Fit where the requested confidence may not be reached."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        return model.fit(*data)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", ["absolute_error", "squared_error", lambda y, z: np.abs(y - z)])
def test_known_inliers_are_found_and_fitted(seed, loss):
    X, y, clean = contaminated(seed=seed, noise=0.1)
    model = RANSACRegressor(residual_threshold=1.0, loss=loss, random_state=seed).fit(X, y)
    np.testing.assert_array_equal(model.inlier_mask_, clean)
    np.testing.assert_allclose(model.estimator_.coef_, LinearRegression().fit(X[clean], y[clean]).coef_, rtol=1e-10)
    assert model.score(X[clean], y[clean]) > 0.99 and model.certificate_.holds
    assert model.certificate_.value == probability_of_no_clean_sample(0.7, 4, model.n_trials_)
    assert model.n_trials_ <= 100 and model.trace_.stopped == "converged"


def test_all_samples_tried_finds_what_brute_force_finds():
    X, y, _ = contaminated(n=12, p=1, noise=0.5)
    best = 0
    for pair in itertools.combinations(range(12), 2):
        slope, intercept = np.polyfit(X[list(pair), 0], y[list(pair)], 1)
        best = max(best, (np.abs(y - slope * X[:, 0] - intercept) <= 0.4).sum())
    model = quiet(RANSACRegressor(residual_threshold=0.4, max_trials=2000, stop_probability=1, random_state=0), X, y)
    assert model.inlier_mask_.sum() == best
    assert model.trace_["inliers"][-1] == best and model.trace_["objective"][-1] == 12 - best


def test_the_default_threshold_is_the_median_absolute_deviation():
    X, y, _ = contaminated(noise=0.3)
    spread = np.median(np.abs(y - np.median(y)))
    ours = RANSACRegressor(random_state=0).fit(X, y)
    given = RANSACRegressor(residual_threshold=spread, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.inlier_mask_, given.inlier_mask_)
    assert (np.abs(y - ours.predict(X))[ours.inlier_mask_] <= 2 * spread).all()


def test_as_good_as_scikit_learn():
    for seed in range(5):
        X, y, clean = contaminated(n=300, p=4, noise=0.2, seed=seed)
        options = {"residual_threshold": 0.8, "stop_probability": 0.999, "random_state": seed}
        ours, theirs = quiet(RANSACRegressor(**options), X, y), peer.RANSACRegressor(**options).fit(X, y)
        errors = [np.mean((model.predict(X) - y)[clean] ** 2) for model in (ours, theirs)]
        assert errors[0] <= 1.05 * errors[1]
        assert (ours.inlier_mask_ & ~clean).sum() == 0


def test_several_targets_sparse_columns_and_weights():
    X, _, clean = contaminated(noise=0.1)
    X[np.abs(X) < 0.5] = 0
    Y = np.column_stack([X @ [1, 2, 3], X @ [0, 1, 0] + 1])
    Y[~clean] += 40
    model = RANSACRegressor(residual_threshold=1e-6, random_state=1).fit(sparse.csr_array(X), Y)
    np.testing.assert_array_equal(model.inlier_mask_, clean)
    np.testing.assert_allclose(model.estimator_.coef_, [[1, 2, 3], [0, 1, 0]], atol=1e-9)
    dense = RANSACRegressor(residual_threshold=1e-6, random_state=1).fit(X, Y)
    assert dense.n_trials_ == model.n_trials_
    heavy = np.where(clean, 1.0, 100.0)
    swayed = quiet(RANSACRegressor(residual_threshold=50.0, random_state=0), X, Y, heavy)
    assert swayed.inlier_mask_[~clean].all(), "the heavy rows are the consensus"


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
def test_equivariance(seed, scale, shift):
    X, y, _ = contaminated(n=60, p=2, noise=0.1, seed=seed)
    one = quiet(RANSACRegressor(residual_threshold=1.0, random_state=0, stop_probability=1), X, y)
    order = np.random.default_rng(seed).permutation(60)
    other = quiet(RANSACRegressor(residual_threshold=1.0, random_state=0, stop_probability=1), X[order], y[order])
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_[order])
    np.testing.assert_allclose(other.estimator_.coef_, one.estimator_.coef_, rtol=1e-9)
    moved = quiet(
        RANSACRegressor(residual_threshold=scale, random_state=0, stop_probability=1),
        X,
        scale * y + shift + X @ [3, -1],
    )
    np.testing.assert_array_equal(moved.inlier_mask_, one.inlier_mask_)
    np.testing.assert_allclose(moved.estimator_.coef_, scale * one.estimator_.coef_ + [3, -1], rtol=1e-6, atol=1e-6)


BASES = [
    Ridge(alpha=1e-8),
    HuberRegressor(alpha=0.0),
    LinearRegression(positive=True),
    peer.LinearRegression(),
    peer.Ridge(alpha=1e-8),
    make_pipeline(PolynomialFeatures(1), peer.LinearRegression()),
]


@pytest.mark.parametrize("base", BASES, ids=lambda base: f"{type(base).__module__.split('.')[0]}-{type(base).__name__}")
def test_any_base_estimator(base):
    X, y, clean = contaminated(noise=0.05)
    model = quiet(RANSACRegressor(base, min_samples=8, residual_threshold=1.5, random_state=0, max_trials=60), X, y)
    np.testing.assert_array_equal(model.inlier_mask_, clean)
    assert type(model.estimator_) is type(base) and model.estimator_ is not base
    assert not hasattr(base, "n_features_in_") and model.score(X[clean], y[clean]) > 0.99


def test_batched_least_squares_equals_separate_fits():
    X, y, _ = contaminated(noise=0.3)
    calls = []
    for size in (4, 9):
        options = {"min_samples": size, "residual_threshold": 1.0, "random_state": 3}
        fast = quiet(RANSACRegressor(**options), X, y)
        slow = quiet(RANSACRegressor(is_model_valid=lambda *given: calls.append(given) or True, **options), X, y)
        assert fast.n_trials_ == slow.n_trials_ and fast.n_skips_no_inliers_ == slow.n_skips_no_inliers_
        np.testing.assert_array_equal(fast.inlier_mask_, slow.inlier_mask_)
    model, rows, target = calls[0]
    assert type(model) is LinearRegression and rows.shape == (4, 3) and target.shape == (4,)


def test_weights_reach_the_base_and_are_refused_where_it_takes_none():
    X, y, _ = contaminated(noise=0.5)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = RANSACRegressor(Ridge(), min_samples=6, residual_threshold=3.0, random_state=0).fit(X, y, weight)
    inside = model.inlier_mask_
    expected = Ridge().fit(X[inside], y[inside], weight[inside])
    np.testing.assert_array_equal(model.estimator_.coef_, expected.coef_)
    with pytest.raises(ValueError, match=r"Lasso.*does not support"):
        base = peer.LassoLars(alpha=0.1)
        RANSACRegressor(base, min_samples=6).fit(X, y, sample_weight=weight)


def test_a_seed_for_a_base_without_one():
    X, y, _ = contaminated(noise=0.5)
    base = peer.SGDRegressor()
    options = {"min_samples": 20, "residual_threshold": 3.0, "random_state": 5, "max_trials": 5}
    first = quiet(RANSACRegressor(base, **options), X, y)
    again = quiet(RANSACRegressor(base, **options), X, y)
    assert base.random_state is None and first.estimator_.random_state == 5
    np.testing.assert_array_equal(first.estimator_.coef_, again.estimator_.coef_)


@pytest.mark.parametrize("size", [0.1, 10])
def test_samples_by_fraction_or_number(size):
    X, y, _ = contaminated()
    seen = []
    quiet(RANSACRegressor(min_samples=size, is_data_valid=lambda X, y: seen.append(len(y)) or True, max_trials=3), X, y)
    assert set(seen) == {10}


def test_invalid_samples_and_models_are_skipped_and_counted():
    X, y, clean = contaminated()
    bad = np.flatnonzero(~clean)

    def sound(rows, target):
        return not np.isin(target, y[bad]).any()

    model = RANSACRegressor(residual_threshold=1e-6, is_data_valid=sound, random_state=0).fit(X, y)
    assert model.n_skips_invalid_data_ > 0 and model.inlier_mask_.sum() == 70
    assert model.n_trials_ - model.n_skips_invalid_data_ >= 1
    model = RANSACRegressor(
        residual_threshold=1e-6, is_model_valid=lambda m, X, y: abs(m.coef_[0] - 1) < 1e-6, random_state=0
    ).fit(X, y)
    assert model.n_skips_invalid_model_ > 0 and model.n_skips_invalid_data_ == 0
    np.testing.assert_array_equal(model.inlier_mask_, clean)


@pytest.mark.parametrize("name", ["is_data_valid", "is_model_valid"])
def test_no_valid_sample_is_an_error(name):
    X, y, _ = contaminated()
    with pytest.raises(ValueError, match=r"none of 100 trials agreed with enough rows: .*100 "):
        RANSACRegressor(**{name: lambda *given: False}).fit(X, y)
    with pytest.raises(ValueError, match=r"none of 6 trials"):
        RANSACRegressor(max_skips=5, **{name: lambda *given: False}).fit(X, y)


def test_no_row_near_any_model_is_an_error():
    X, y, _ = contaminated(noise=1.0)
    with pytest.raises(ValueError, match="agreed with enough rows"):
        RANSACRegressor(LinearRegression(), min_samples=50, residual_threshold=0.0).fit(X, y)


def test_too_many_skips_end_the_search_with_a_warning():
    X, y, _ = contaminated(noise=0.3, outliers=0.45)
    with pytest.warns(learnable.ConvergenceWarning, match="iteration limit"):
        model = RANSACRegressor(residual_threshold=0.3, max_skips=3, random_state=2).fit(X, y)
    assert model.n_skips_no_inliers_ == 4 and model.n_trials_ < 100 and model.trace_.stopped == "limit"


def test_stopping_rules():
    X, y, _ = contaminated(noise=0.1)
    whole = quiet(RANSACRegressor(residual_threshold=0.5, stop_probability=1, random_state=1), X, y)
    assert whole.n_trials_ == 100 and not whole.certificate_.holds
    counted = RANSACRegressor(residual_threshold=0.5, stop_probability=1, stop_n_inliers=40, random_state=1).fit(X, y)
    assert counted.n_trials_ < 100 and counted.inlier_mask_.sum() >= 40 and counted.trace_.stopped == "converged"
    assert counted.certificate_.kind == "rows left out" and counted.certificate_.holds
    scored = RANSACRegressor(residual_threshold=0.5, stop_probability=1, stop_score=0.9, random_state=1).fit(X, y)
    assert scored.n_trials_ < 100 and scored.certificate_.kind == "missing score" and scored.certificate_.holds
    once = RANSACRegressor(residual_threshold=0.5, stop_probability=0, random_state=1).fit(X, y)
    assert once.n_trials_ == 1
    endless = RANSACRegressor(residual_threshold=0.5, max_trials=np.inf, stop_probability=0.9999, random_state=1)
    assert endless.fit(X, y).certificate_.value <= 1e-4


def test_the_trial_count_of_the_formula():
    X, y, _ = contaminated(n=200, p=1, outliers=0.5)
    counts = {RANSACRegressor(residual_threshold=1e-6, random_state=seed).fit(X, y).n_trials_ for seed in range(10)}
    assert counts == {17}  # half the rows, samples of two, 99 per cent: reached once the true line is found


def test_budget_keeps_the_best_so_far_and_checkpoints_go_on(tmp_path):
    X, y, _ = contaminated(n=400, p=3, noise=0.5, outliers=0.45)
    options = {"residual_threshold": 0.2, "stop_probability": 1, "max_trials": 60, "random_state": 0}
    whole = quiet(RANSACRegressor(HuberRegressor(), min_samples=8, **options), X, y)

    def stop(event):
        if isinstance(event.estimator, RANSACRegressor) and event.iteration == 30:
            raise KeyboardInterrupt

    path = tmp_path / "fit"
    with learnable.checkpoint(path, every=0), learnable.watch(stop), pytest.raises(KeyboardInterrupt):
        quiet(RANSACRegressor(HuberRegressor(), min_samples=8, **options), X, y)
    with learnable.checkpoint(path, every=1000):
        again = quiet(RANSACRegressor(HuberRegressor(), min_samples=8, **options), X, y)
    np.testing.assert_array_equal(again.inlier_mask_, whole.inlier_mask_)
    np.testing.assert_array_equal(again.estimator_.coef_, whole.estimator_.coef_)
    with learnable.budget(seconds=1.0):
        cut = quiet(RANSACRegressor(HuberRegressor(), min_samples=8, **(options | {"max_trials": 10**6})), X, y)
    assert cut.trace_.stopped == "budget" and cut.inlier_mask_.any() and not cut.certificate_.holds


def test_files_hold_our_bases_and_refuse_foreign_ones(tmp_path):
    X, y, _ = contaminated(noise=0.1)
    model = RANSACRegressor(Ridge(alpha=0.5), min_samples=6, residual_threshold=2.0, random_state=0).fit(X, y)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert type(again.estimator_) is Ridge and again.estimator.alpha == 0.5
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    foreign = RANSACRegressor(peer.Ridge(), min_samples=6, residual_threshold=2.0, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match=r"cannot save RANSACRegressor.estimator: it is a Ridge.*of this library"):
        learnable.save(foreign, tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_samples": 101}, "min_samples = 101 rows.*n_samples = 100"),
        ({"min_samples": 1.5}, "min_samples must be"),
        ({"max_trials": 2.5}, "max_trials must be"),
        ({"max_trials": 0}, "max_trials must be at least 1"),
        ({"loss": "cubed_error"}, "loss must be"),
        ({"estimator": Ridge()}, "min_samples must be given"),
        ({"estimator": 3}, "estimator must be"),
    ],
)
def test_refusals(change, message):
    X, y, _ = contaminated()
    with pytest.raises(ValueError, match=f"RANSACRegressor: .*{message}"):
        RANSACRegressor(**change).fit(X, y)


def test_a_constant_majority_is_found_exactly():
    X = np.random.default_rng(0).standard_normal((50, 2))
    y = np.full(50, 0.1)
    y[:20] = X[:20, 0] + 5
    model = quiet(RANSACRegressor(random_state=0), X, y)  # the median absolute deviation is zero
    assert model.inlier_mask_.tolist() == [False] * 20 + [True] * 30
    np.testing.assert_allclose(model.estimator_.coef_, 0, atol=1e-12)


def test_nothing_is_predicted_before_fit():
    X, y, _ = contaminated()
    for ask in (lambda model: model.predict(X), lambda model: model.score(X, y)):
        with pytest.raises(learnable.NotFittedError, match="RANSACRegressor is not fitted"):
            ask(RANSACRegressor())


def test_positive_targets_stay_positive_for_their_base():
    X, y, clean = contaminated(outliers=0.1)
    y = np.exp(y / 5)
    base = TweedieRegressor(power=1.5, alpha=0.0, link="log")
    model = quiet(RANSACRegressor(base, min_samples=20, residual_threshold=1.0, random_state=0, max_trials=20), X, y)
    assert (model.predict(X[clean]) > 0).all()


def test_a_batch_of_samples_ends_when_time_is_up_and_a_consensus_is_found(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 2))
    y = X @ [1.0, 2.0] + np.random.default_rng(1).normal(size=50)
    monkeypatch.setattr(ransac_search, "reason_to_stop", lambda: "budget")
    with pytest.warns(ConvergenceWarning):
        assert RANSACRegressor(random_state=0, stop_probability=1.0, max_trials=64).fit(X, y).n_trials_ == 2


@pytest.mark.parametrize("unit", [8.0, 2.0**-600])
def test_samples_do_not_depend_on_the_unit_of_the_target(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 2.0, 3.0] + np.where(np.arange(40) % 3, 0.1, 9.0) * rng.normal(size=40)
    plain, other = (RANSACRegressor(random_state=0).fit(X, target) for target in (y, unit * y))
    assert other.n_trials_ == plain.n_trials_
    np.testing.assert_array_equal(other.inlier_mask_, plain.inlier_mask_)
    np.testing.assert_allclose(other.predict(X) / unit, plain.predict(X), rtol=1e-12)


class Patient(peer.LinearRegression):
    """Notes how many seconds each of its fits may take."""

    patience: list[float] = []

    def fit(self, X, y):
        self.patience.append(current().deadline - time.monotonic())
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
def test_the_last_fit_has_more_time_than_the_budget_but_not_all_of_it():
    X, y, _ = contaminated()
    with learnable.budget(seconds=0.05), learnable.watch(lambda event: time.sleep(0.1)):
        model = RANSACRegressor(Patient(), min_samples=4, random_state=0).fit(X, y)
    assert model.trace_.stopped == "budget"
    assert 1.5 < Patient.patience[-1] <= 2.0
