"""Gaussian mixtures: agreement with scikit-learn, missing values, limits, and the number of components."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.mixture
from scipy.stats import multivariate_normal

import learnable
from learnable import BayesianGaussianMixture, GaussianMixture, choose_components
from learnable.engines.kmeans import kmeans
from tests.mixture.old_faithful import ROWS

KINDS = ("full", "tied", "diag", "spherical")


def blobs(n: int = 300, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [6.0, 1.0], [1.0, 7.0]])
    turn = np.array([[1.0, 0.6], [0.0, 0.8]])
    return centres[rng.integers(0, 3, n)] + rng.standard_normal((n, 2)) @ turn


def test_old_faithful_reaches_the_known_likelihood():
    model = GaussianMixture(2, random_state=0, tol=1e-8, reg_covar=0.0).fit(ROWS)
    assert model.score_samples(ROWS).sum() == pytest.approx(-1130.264, abs=5e-4)
    order = np.argsort(model.weights_)
    np.testing.assert_allclose(model.weights_[order], [0.3559, 0.6441], atol=1e-4)
    np.testing.assert_allclose(model.means_[order], [[2.0364, 54.479], [4.2897, 79.968]], atol=2e-3)
    assert model.certificate_.holds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("init", ["kmeans", "given"])
def test_equals_scikit_learn(kind, init):
    options = {"covariance_type": kind, "tol": 1e-9, "max_iter": 1000, "random_state": 0, "n_components": 2}
    if init == "given":
        options |= {"means_init": ROWS[[0, 1]], "weights_init": [0.5, 0.5]}
    ours, theirs = GaussianMixture(**options).fit(ROWS), sklearn.mixture.GaussianMixture(**options).fit(ROWS)
    one, other = np.argsort(ours.weights_), np.argsort(theirs.weights_)
    tied = kind == "tied"
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        mine, yours = getattr(ours, name), getattr(theirs, name)
        pair = (mine, yours) if tied and name[0] in "cp" else (mine[one], yours[other])
        np.testing.assert_allclose(*pair, rtol=1e-4, atol=1e-6)
    assert ours.bic(ROWS) == pytest.approx(theirs.bic(ROWS))
    assert ours.aic(ROWS) == pytest.approx(theirs.aic(ROWS))
    np.testing.assert_allclose(ours.score_samples(ROWS), theirs.score_samples(ROWS), rtol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(ROWS)[:, one], theirs.predict_proba(ROWS)[:, other], atol=1e-5)


def test_the_density_is_the_sum_over_components():
    model = GaussianMixture(3, random_state=0).fit(blobs())
    parts = [
        w * multivariate_normal(m, S).pdf(blobs())
        for w, m, S in zip(model.weights_, model.means_, model.covariances_, strict=True)
    ]
    np.testing.assert_allclose(np.exp(model.score_samples(blobs())), np.sum(parts, axis=0))
    np.testing.assert_allclose(model.predict_proba(blobs())[:, 0], parts[0] / np.sum(parts, axis=0))


@pytest.mark.parametrize("kind", [*KINDS, "identity"])
def test_no_iteration_lowers_the_likelihood(kind):
    X = blobs()
    missing = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    for rows in (X, missing):
        model = GaussianMixture(3, covariance_type=kind, random_state=0, tol=1e-7, max_iter=500).fit(rows)
        assert (np.diff(model.lower_bounds_) >= -1e-12).all()
        assert model.converged_ and model.certificate_.holds


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_are_integrated_out(kind):
    X = blobs(80)
    X[::4, 0], X[1::4, 1] = np.nan, np.nan
    model = GaussianMixture(2, covariance_type=kind, random_state=0, tol=1e-9, max_iter=500).fit(X)
    shapes = {
        "full": lambda k: model.covariances_[k], "tied": lambda k: model.covariances_,
        "diag": lambda k: np.diag(model.covariances_[k]), "spherical": lambda k: model.covariances_[k] * np.eye(2),
    }[kind]  # fmt: skip
    for row, log_density in zip(X, model.score_samples(X), strict=True):
        there = ~np.isnan(row)
        density = sum(
            model.weights_[k]
            * multivariate_normal(model.means_[k][there], shapes(k)[np.ix_(there, there)]).pdf(row[there])
            for k in range(2)
        )
        assert log_density == pytest.approx(np.log(density))
    best = model.score_samples(X).sum()
    for nudge in (0.02, -0.02):  # the likelihood is at a maximum
        model.means_ = model.means_ + nudge
        assert model.score_samples(X).sum() < best
        model.means_ = model.means_ - nudge


def test_one_component_with_missing_values_equals_the_gaussian_imputer():
    X = blobs(100)
    X[::3, 1] = np.nan
    model = GaussianMixture(1, tol=1e-12, max_iter=2000, reg_covar=0.0).fit(X)
    imputer = learnable.GaussianImputer(ridge=0.0, tol=1e-13).fit(X)
    np.testing.assert_allclose(model.means_[0], imputer.mean_, atol=1e-5)


def test_weights_equal_copies():
    X, count = blobs(60), np.random.default_rng(1).integers(0, 4, 60)
    begin = {"means_init": X[:2] * 0 + [[0.0, 0.0], [5.0, 5.0]], "weights_init": [0.5, 0.5], "n_components": 2}
    begin |= {"precisions_init": np.repeat(np.eye(2)[None], 2, axis=0), "tol": 1e-10, "max_iter": 1000}
    weighted = GaussianMixture(**begin, random_state=0).fit(X, sample_weight=count)
    copied = GaussianMixture(**begin, random_state=0).fit(np.repeat(X, count, axis=0))
    np.testing.assert_allclose(weighted.means_, copied.means_, atol=1e-6)
    np.testing.assert_allclose(weighted.covariances_, copied.covariances_, atol=1e-6)


def test_known_labels_give_the_statistics_of_each_class():
    X, labels = blobs(120), np.random.default_rng(2).integers(0, 2, 120)
    from learnable.mixture._gaussian_em import GaussianSteps

    found = GaussianSteps.of(X, None, "full", 0.0, 1.0, "test").initial(np.eye(2)[labels])
    for k in range(2):
        np.testing.assert_allclose(found["means"][k], X[labels == k].mean(axis=0))
        np.testing.assert_allclose(found["covariances"][k], np.cov(X[labels == k].T, ddof=0), atol=1e-10)
        assert found["weights"][k] == pytest.approx((labels == k).mean())


def test_separated_components_have_the_statistics_of_their_rows():
    """EMG-05: what labels would give, all posteriors being zero or one."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2], [30, 50, 40])
    X = rng.normal(size=(120, 2)) @ [[1.0, 0.5], [0.0, 0.7]] + 100.0 * labels[:, None]
    model = GaussianMixture(3, reg_covar=0.0, random_state=0).fit(X)
    order = model.means_[:, 0].argsort()
    for k in range(3):
        own = X[labels == k]
        np.testing.assert_allclose(model.means_[order[k]], own.mean(axis=0))
        np.testing.assert_allclose(model.covariances_[order[k]], np.cov(own.T, ddof=0))
        assert model.weights_[order[k]] == pytest.approx(len(own) / 120)


def test_small_equal_variances_give_k_means():
    X = blobs()
    groups = kmeans(X, 3, None, np.random.default_rng(0), tolerance=0.0)
    begin = {"means_init": groups.centres, "weights_init": np.full(3, 1 / 3)}
    soft = GaussianMixture(3, covariance_type="identity", variance=1e-3, random_state=0, tol=1e-10, **begin).fit(X)
    np.testing.assert_allclose(soft.means_, groups.centres, atol=1e-6)
    np.testing.assert_array_equal(soft.predict(X), groups.labels)
    assert soft.predict_proba(X).max(axis=1).min() > 0.999
    # Lloyd's steps cannot improve on it either
    for k in range(3):
        np.testing.assert_allclose(soft.means_[k], X[groups.labels == k].mean(axis=0), atol=1e-6)


def test_restarts_keep_the_best():
    X = blobs()
    many = GaussianMixture(4, n_init=6, init_params="random_from_data", random_state=0).fit(X)
    bounds = [
        GaussianMixture(4, init_params="random_from_data", random_state=seed).fit(X).lower_bound_ for seed in range(3)
    ]
    assert many.lower_bound_ >= min(bounds)
    assert len(many.trace_.rows) > many.n_iter_ == len(many.lower_bounds_)


def test_warm_start_initialises_with_the_last_fit():
    model = GaussianMixture(3, random_state=0, warm_start=True, max_iter=2, tol=1e-12)
    with pytest.warns(learnable.ConvergenceWarning):
        first = model.fit(blobs()).lower_bound_
    with pytest.warns(learnable.ConvergenceWarning):
        assert model.fit(blobs()).lower_bound_ > first


def test_parameters_are_counted():
    for k in range(1, 6):
        assert GaussianMixture(k, random_state=0).fit(blobs())._free_parameters() == 6 * k - 1
    wide = np.random.default_rng(0).standard_normal((50, 4))
    assert GaussianMixture(2, random_state=0).fit(wide)._free_parameters() == 2 * (1 + 4 + 10) - 1


@pytest.mark.parametrize("criterion", ["bic", "held-out"])
def test_the_number_of_components_is_selected(criterion):
    chosen = choose_components(
        GaussianMixture(random_state=0), blobs(), range(1, 6), criterion=criterion, cv=3, random_state=0
    )
    assert chosen.best == 3
    assert chosen.model.n_components == 3
    assert chosen.scores.argmin() == 2
    with pytest.raises(learnable.ParameterError, match="criterion"):
        choose_components(GaussianMixture(), blobs(), criterion="guess")


def test_samples_follow_the_mixture():
    model = GaussianMixture(3, random_state=0).fit(blobs())
    drawn, labels = model.sample(20_000)
    for k in range(3):
        assert (labels == k).mean() == pytest.approx(model.weights_[k], abs=0.02)
        np.testing.assert_allclose(drawn[labels == k].mean(axis=0), model.means_[k], atol=0.1)
        np.testing.assert_allclose(np.cov(drawn[labels == k].T), model.covariances_[k], atol=0.2)
    with pytest.raises(learnable.ParameterError, match="n_samples"):
        model.sample(0)


def test_collapsed_components_need_reg_covar():
    X = np.array([[0.0], [0.0], [0.0], [5.0]])
    with pytest.raises(learnable.DataError, match="has no inverse"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(X)
    assert np.isfinite(GaussianMixture(2, random_state=0).fit(X).score(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"means_init": [[0.0]]}, "means_init"), ({"weights_init": [0.9, 0.9]}, "sum to 1")],
)
def test_errors_name_the_parameter(options, message):
    with pytest.raises(learnable.ParameterError, match=message):
        GaussianMixture(2, **options).fit(blobs())


@pytest.mark.parametrize("kind", KINDS)
def test_bayesian_equals_scikit_learn(kind):
    options = {"n_components": 2, "covariance_type": kind, "random_state": 0, "tol": 1e-9, "max_iter": 1000}
    options["weight_concentration_prior_type"] = "dirichlet_distribution"
    ours = BayesianGaussianMixture(**options).fit(ROWS)
    theirs = sklearn.mixture.BayesianGaussianMixture(**options).fit(ROWS)
    one, other = np.argsort(ours.weights_), np.argsort(theirs.weights_)
    np.testing.assert_allclose(ours.weights_[one], theirs.weights_[other], atol=1e-5)
    np.testing.assert_allclose(ours.means_[one], theirs.means_[other], rtol=1e-5)
    np.testing.assert_allclose(ours.score_samples(ROWS), theirs.score_samples(ROWS), rtol=1e-5)
    np.testing.assert_allclose(ours.lower_bound_, np.ravel(theirs.lower_bound_)[0], atol=1e-3)


def test_a_bayesian_mixture_drops_superfluous_components():
    options = {"n_components": 8, "random_state": 0, "max_iter": 2000, "weight_concentration_prior": 1e-3}
    model = BayesianGaussianMixture(**options).fit(blobs())
    assert (model.weights_ > 0.02).sum() == 3
    assert (np.diff(model.lower_bounds_) >= -1e-6).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", ["dirichlet_process", "dirichlet_distribution"])
@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
def test_a_bayesian_warm_start_initialises_with_the_last_fit(kind, prior):
    X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0.0], [4.0]], 100, axis=0)
    options = {"covariance_type": kind, "weight_concentration_prior_type": prior, "tol": 0.0, "random_state": 0}
    parts = BayesianGaussianMixture(n_components=3, max_iter=5, warm_start=True, **options).fit(X)
    parts.fit(X)
    whole = BayesianGaussianMixture(n_components=3, max_iter=10, **options).fit(X)
    np.testing.assert_allclose(parts.means_, whole.means_, rtol=1e-10)
    np.testing.assert_allclose(parts.lower_bound_, whole.lower_bound_, rtol=1e-10)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_components_may_outnumber_the_distinct_rows(kind):
    points = np.array([[0.0, 1.0], [5.0, 2.0], [3.0, -4.0]])
    for X, most in ((np.ones((10, 2)), 2), (np.repeat(points, 5, axis=0), 4)):
        model = GaussianMixture(most, covariance_type=kind, random_state=0).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        assert model.certificate_.holds
        assert len(np.unique(model.predict(X))) == len(np.unique(X, axis=0)) or kind == "tied"


def completed(X, posterior, model):
    """Sums over rows completed by conditional expectations: for each component its rows, their
    mean, and their covariance, with the conditional covariance of missing values."""
    found = []
    for share, mean, S in zip(posterior.T, model.means_, model.covariances_, strict=True):
        rows, spread = np.empty(X.shape), np.zeros(S.shape)
        for i, row in enumerate(X):
            gone, there = np.isnan(row), ~np.isnan(row)
            coefficients = S[np.ix_(gone, there)] @ np.linalg.inv(S[np.ix_(there, there)])
            rows[i] = row
            rows[i, gone] = mean[gone] + coefficients @ (row - mean)[there]
            left = np.zeros(S.shape)
            left[np.ix_(gone, gone)] = S[np.ix_(gone, gone)] - coefficients @ S[np.ix_(there, gone)]
            spread += share[i] * left
        middle = share @ rows / share.sum()
        spread += (share[:, None] * (rows - middle)).T @ (rows - middle)
        found.append((share.sum(), middle, spread / share.sum()))
    return found


def test_bayesian_posteriors_with_missing_values_are_mutually_optimal():
    X = blobs(120)
    X[::4, 0], X[1::5, 1] = np.nan, np.nan
    options = {"n_components": 3, "random_state": 0, "reg_covar": 0.0, "tol": 1e-12, "max_iter": 5000}
    model = BayesianGaussianMixture(**options, weight_concentration_prior_type="dirichlet_distribution").fit(X)
    assert (np.diff(model.lower_bounds_) >= -1e-9).all()
    prior, pull = model.mean_prior_, model.mean_precision_prior_
    for k, (total, middle, spread) in enumerate(completed(X, model.predict_proba(X), model)):
        apart = (middle - prior)[:, None]
        whole = model.covariance_prior_ + total * (spread + pull / (pull + total) * apart @ apart.T)
        np.testing.assert_allclose(model.means_[k], (pull * prior + total * middle) / (pull + total), atol=1e-5)
        np.testing.assert_allclose(model.covariances_[k], whole / (model.degrees_of_freedom_prior_ + total), atol=1e-4)
        assert model.degrees_of_freedom_[k] == pytest.approx(model.degrees_of_freedom_prior_ + total)


@pytest.mark.parametrize("kind", KINDS)
def test_bayesian_scores_of_missing_values_are_integrals(kind):
    X = blobs(100)
    X[::4, 0], X[1::5, 1] = np.nan, np.nan
    model = BayesianGaussianMixture(n_components=2, covariance_type=kind, random_state=0, max_iter=1000).fit(X)
    across = np.linspace(-40, 40, 4001)
    for row in X[[0, 4, 8]]:
        filled = np.column_stack([across, np.full(len(across), row[1])])
        integral = np.trapezoid(np.exp(model.score_samples(filled)), across)
        assert model.score_samples(row[None])[0] == pytest.approx(np.log(integral), abs=1e-8)
    copies = np.repeat(X, 2, axis=0)
    weighted = model.clone().fit(X, sample_weight=np.full(len(X), 2.0))
    np.testing.assert_allclose(weighted.score_samples(X), model.clone().fit(copies).score_samples(X), atol=1e-6)
    assert np.isfinite(model.clone().fit(X.astype(np.float32)).means_).all()


def test_the_default_prior_with_missing_values_is_the_maximum_likelihood_gaussian():
    X = blobs(100)
    X[::3, 1] = np.nan
    model = BayesianGaussianMixture(n_components=2, random_state=0, max_iter=1000).fit(X)
    imputer = learnable.GaussianImputer(ridge=0.0, tol=1e-13).fit(X)
    np.testing.assert_allclose(model.mean_prior_, imputer.mean_, atol=1e-4)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical", "identity"])
def test_it_may_stop_at_a_small_change_of_the_parameters(kind):
    """EMG-03: the second rule stops after the first iteration whose change, in standard deviations, is at most tol."""
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 1.5]) * [1, 1000] + [5, 0]
    options = {"n_components": 2, "covariance_type": kind, "random_state": 0, "reg_covar": 0.0, "variance": 1e5}
    tol, spread = 1e-3, X.std(axis=0)
    model = GaussianMixture(stop="parameters", tol=tol, max_iter=1000, **options).fit(X)
    assert model.converged_ and model.certificate_.holds and "change" in model.certificate_.kind

    def after(iterations):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return GaussianMixture(stop="parameters", tol=0, max_iter=iterations, **options).fit(X)

    def change(one, other):
        found = [np.abs(one.weights_ - other.weights_).max(), (np.abs(one.means_ - other.means_) / spread).max()]
        units = {"full": np.outer(spread, spread), "tied": np.outer(spread, spread), "diag": spread**2}
        unit = units.get(kind, (spread**2).mean() if kind == "spherical" else 1.0)
        return max(*found, (np.abs(one.covariances_ - other.covariances_) / unit).max())

    last, before, earlier = (after(model.n_iter_ - k) for k in (0, 1, 2))
    np.testing.assert_allclose(last.means_, model.means_)
    assert change(last, before) <= tol < change(before, earlier)
