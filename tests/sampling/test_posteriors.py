"""Posteriors of Bayesian regressions against quadrature, and NUTS against published reference posteriors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from learnable import DataError, ParameterError
from learnable.sampling import (
    NUTS,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BayesianPoissonRegression,
    HierarchicalRegression,
    monte_carlo_error,
    sample,
)
from tests.references import posteriordb

X = np.random.default_rng(0).standard_normal((25, 2)) * [1.0, 30.0] + [5.0, -100.0]
NOISE = np.random.default_rng(1).standard_normal(25)
SCALED = (X - X.mean(axis=0)) / X.std(axis=0)
PRECISION = np.full(3, 2.5**-2.0)


def close_to(draws, expected):
    return abs(draws.mean() - expected) < 4 * monte_carlo_error(draws)


def moments_by_quadrature(log_density, grid):
    """Mean and variance of a quantity with an unnormalised log density on a grid."""
    weights = np.exp(log_density - log_density.max())
    weights /= weights.sum()
    mean = weights @ grid
    return mean, weights @ grid**2 - mean**2, weights


def test_linear_regression_by_integration_over_sigma():
    """Given sigma the posterior is normal in closed form; sigma is integrated on a grid."""
    y = 3 + 0.5 * X[:, 0] + NOISE
    scale = y.std()
    target, design = (y - y.mean()) / scale, np.column_stack([np.ones(25), SCALED])
    sigma = np.exp(np.linspace(-3, 3, 4001))
    logs, means, variances = [], [], []
    for one in sigma:
        gram = design.T @ design / one**2 + np.diag(PRECISION)
        covariance = np.linalg.inv(gram)
        mean = covariance @ design.T @ target / one**2
        marginal = one**2 * np.eye(25) + design @ np.diag(1 / PRECISION) @ design.T
        logs.append(stats.multivariate_normal(np.zeros(25), marginal).logpdf(target) - one + np.log(one))
        means.append(mean)
        variances.append(covariance.diagonal())
    mean_sigma, _, weights = moments_by_quadrature(np.array(logs), sigma)
    coef = weights @ np.array(means)
    second = weights @ (np.array(variances) + np.array(means) ** 2)
    model = BayesianLinearRegression(draws=4000, random_state=0).fit(X, y)
    draws = model.draws_
    assert model.certificate_.holds and close_to(draws["sigma"], mean_sigma * scale)
    for j in range(2):
        unit = scale / X[:, j].std()
        assert close_to(draws[f"coef[{j}]"], coef[1 + j] * unit)
        assert close_to((draws[f"coef[{j}]"] / unit) ** 2, second[1 + j])
    np.testing.assert_allclose(model.predict(X), draws.flat("intercept").mean() + X @ model.coef_, rtol=1e-9)


def test_hierarchical_regression_is_the_model_with_its_effects():
    """The same model with every effect as a parameter, drawn by NUTS from a density in Python."""
    group = np.repeat(np.arange(5), 5)
    y = np.array([0.0, 3.0, -2.0, 1.0, 5.0])[group] + 0.7 * X[:, 0] + NOISE
    features = np.column_stack([group, X[:, 0]])
    model = HierarchicalRegression(draws=4000, random_state=0).fit(features, y)
    target, column = (y - y.mean()) / y.std(), SCALED[:, 0]

    def log_density(b, w, z, sigma, tau):
        residual = target - b - w * column - (tau * z)[group]
        prior = -0.5 * (b**2 + w**2) / 2.5**2 - 0.5 * (z**2).sum() - sigma - tau
        return prior - 0.5 * (residual**2).sum() / sigma**2 - 25 * np.log(sigma)

    start = {"b": 0.0, "w": 0.0, "z": np.zeros(5), "sigma": 0.5, "tau": 0.5}
    bounds = {"sigma": (0, None), "tau": (0, None)}
    draws = sample(log_density, start, bounds=bounds, draws=3000, target_accept=0.95, random_state=1)
    ours = model.draws_
    pairs = {
        "sigma": (ours["sigma"] / y.std(), draws["sigma"]), "tau": (ours["tau"] / y.std(), draws["tau"]),
        "w": (ours["coef[1]"] * X[:, 0].std() / y.std(), draws["w"]),
    }  # fmt: skip
    for one, other in pairs.values():
        assert abs(one.mean() - other.mean()) < 4 * np.hypot(monte_carlo_error(one), monte_carlo_error(other))
    effects = draws["tau"][..., None] * draws["z"] * y.std()
    error = monte_carlo_error(effects)
    np.testing.assert_array_less(np.abs(model.effects_ - effects.mean(axis=(0, 1))), 6 * error)
    interval, theirs = model.effects_interval(0.9), np.quantile(effects, (0.05, 0.95), axis=(0, 1)).T
    np.testing.assert_allclose(interval, theirs, atol=0.15 * y.std())


def test_groups_by_name_and_new_groups():
    import pandas

    group = np.repeat([10, 20, 30, 40], 6)
    y = np.array([0.0, 4.0, -4.0, 1.0]).repeat(6) + NOISE[:24]
    table = pandas.DataFrame({"x": X[:24, 0], "clinic": group})
    model = HierarchicalRegression(group="clinic", random_state=0).fit(table, y)
    assert model.groups_.tolist() == [10, 20, 30, 40] and set(model.draws_) == {"intercept", "x", "sigma", "tau"}
    known, new = table.iloc[[7]], table.iloc[[7]].assign(clinic=99)
    width = [np.ptp(model.predict_interval(one)) for one in (known, new)]
    assert width[1] > 1.5 * width[0]
    mean, deviation = model.predict(new, return_std=True)
    assert deviation[0] > np.hypot(model.sigma_, model.tau_) * 0.8 and abs(mean[0] - y.mean()) < 2.5
    with pytest.raises(ParameterError, match="group='ward' is not a column"):
        HierarchicalRegression(group="ward").fit(table, y)


def grid_posterior(log_likelihood, prior=2.5):
    """Moments of two standardised coefficients by quadrature on a grid."""
    grid = np.linspace(-4, 6, 401)
    b, w = np.meshgrid(grid, grid, indexing="ij")
    logs = log_likelihood(b[..., None] + w[..., None] * SCALED[:, 0]) - 0.5 * (b**2 + w**2) / prior**2
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return (weights * w).sum(), (weights * w**2).sum(), b, w, weights


def test_logistic_regression_by_quadrature():
    y = (SCALED[:, 0] + NOISE > 0.3).astype(int)
    first, second, b, w, weights = grid_posterior(lambda z: (y * z - np.logaddexp(0, z)).sum(axis=-1))
    model = BayesianLogisticRegression(draws=4000, random_state=0).fit(X[:, :1], y)
    draws = model.draws_["coef[0]"] * X[:, 0].std()
    assert close_to(draws, first) and close_to(draws**2, second)
    expected = [(weights / (1 + np.exp(-b - w * one))).sum() for one in SCALED[:5, 0]]
    np.testing.assert_allclose(model.predict_proba(X[:5, :1])[:, 1], expected, atol=0.01)
    interval = model.predict_proba_interval(X[:5, :1], 0.8)
    assert (interval[:, 0] < expected).all() and (expected < interval[:, 1]).all()
    with pytest.raises(DataError, match="Only binary"):
        BayesianLogisticRegression().fit(X, np.arange(25) % 3)


def test_poisson_regression_by_quadrature():
    y = np.random.default_rng(2).poisson(np.exp(0.5 + 0.6 * SCALED[:, 0]))
    centre = np.log(y.mean())
    first, second, *_ = grid_posterior(lambda z: (y * (centre + z) - np.exp(centre + z)).sum(axis=-1))
    model = BayesianPoissonRegression(draws=4000, random_state=0).fit(X[:, :1], y)
    draws = model.draws_["coef[0]"] * X[:, 0].std()
    assert close_to(draws, first) and close_to(draws**2, second)
    interval = model.predict_interval(X[:, :1], 0.9)
    assert ((interval[:, 0] <= y) & (y <= interval[:, 1])).mean() >= 0.8
    assert (interval == np.round(interval)).all()


def test_predictive_intervals_cover_new_targets():
    inside = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        rows = random.standard_normal((40, 2))
        y = rows @ [1.0, -2.0] + random.standard_normal(40)
        model = BayesianLinearRegression(random_state=seed).fit(rows[:20], y[:20])
        low, high = model.predict_interval(rows[20:], 0.8).T
        inside += ((low < y[20:]) & (y[20:] < high)).sum()
    assert 0.73 < inside / 400 < 0.87
    assert model.sample_predictive(rows[:3], random_state=0).shape == (4, 1000, 3)


@pytest.mark.parametrize("name", posteriordb.FROZEN)
def test_published_reference_posteriors(name):
    kept = json.loads(posteriordb.PLACE.read_text(encoding="utf-8"))[name]
    data = {key: np.asarray(value) for key, value in kept["data"].items()}
    mean, square, draws = posteriordb.compare(name, data, kept["reference"])
    assert draws.certificate_.holds and mean < 4 and square < 4


def ranks_of_the_truth(seed, log_density_of, simulate):
    """Rank of the parameter that data were simulated from among 99 thinned draws of its posterior."""
    random = np.random.default_rng(seed)
    truth, data = simulate(random)
    draws = NUTS().sample(log_density_of(data), {"mu": 0.0, "log_s": 0.0}, draws=250, tune=300, random_state=seed)
    thinned = {name: draws.flat(name)[:990:10] for name in truth}
    return {name: int((thinned[name] < truth[name]).sum()) for name in truth}


@pytest.mark.slow
def test_simulation_based_calibration_of_nuts():
    """Ranks of the truth among posterior draws are uniform (Talts et al., 2018): a conjugate normal model."""

    def simulate(random):
        log_s = 0.5 * random.standard_normal()
        mu = random.standard_normal()
        return {"mu": mu, "log_s": log_s}, mu + np.exp(log_s) * random.standard_normal(8)

    def log_density_of(data):
        def log_density(mu, log_s):
            fit = -0.5 * ((data - mu) ** 2).sum() * np.exp(-2 * log_s) - 8 * log_s
            return fit - 0.5 * mu**2 - 0.5 * (log_s / 0.5) ** 2

        return log_density

    ranks = [ranks_of_the_truth(seed, log_density_of, simulate) for seed in range(400)]
    for name in ("mu", "log_s"):
        counts = np.bincount([one[name] // 10 for one in ranks], minlength=10)[:10]
        assert stats.chisquare(counts).pvalue > 0.001, (name, counts)


def test_counts_are_not_negative():
    with pytest.raises(DataError, match=r"BayesianPoissonRegression: .*-2.* row 1"):
        BayesianPoissonRegression(draws=20, tune=20).fit([[0.0], [1.0], [2.0]], [1, -2, 3])
