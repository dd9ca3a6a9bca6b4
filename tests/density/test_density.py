"""Histogram and Gaussian densities, and density-based anomaly detection."""

import numpy as np
import pandas
import pytest
from scipy.stats import multivariate_normal, norm

from learnable import (
    CategoricalMixture,
    DataError,
    DensityAnomalyDetector,
    FactorAnalysis,
    GaussianDensity,
    GaussianMixture,
    HistogramDensity,
    KernelDensity,
    NotFittedError,
    ParameterError,
    ProbabilisticPCA,
    TableVectorizer,
    make_pipeline,
)


@pytest.mark.parametrize("bins", [1, 7, 40, "sturges", "scott", "sqrt"])
def test_a_histogram_is_that_of_numpy_and_integrates_to_one(bins):
    x = np.random.default_rng(0).normal(size=500)
    model = HistogramDensity(bins=bins).fit(x[:, None])
    density, edges = np.histogram(x, int(model.n_bins_[0]), density=True)
    middle = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_allclose(np.exp(model.score_samples(middle[:, None])), density, rtol=1e-9)
    assert np.exp(model.score_samples(middle[:, None])).sum() * model.width_[0] == pytest.approx(1)
    assert model.score_samples([[99.0]])[0] == -np.inf


def test_histograms_of_several_columns():
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(400, 2)), rng.integers(0, 3, 400)
    model = HistogramDensity(bins=5).fit(X, sample_weight=weight)
    copies = np.repeat(X, weight, axis=0)
    density, first, second = np.histogram2d(*copies.T, bins=5, density=True)
    middles = np.array(
        [[(first[i] + first[i + 1]) / 2, (second[j] + second[j + 1]) / 2] for i in range(5) for j in range(5)]
    )
    np.testing.assert_allclose(np.exp(model.score_samples(middles)), density.ravel(), rtol=1e-9)
    drawn = model.sample(4000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), copies.mean(axis=0), atol=0.15)
    assert np.isfinite(model.score_samples(drawn)).all()


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_gaussians_are_the_most_likely_ones(kind):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3)) + [1, 2, 3]
    model = GaussianDensity(covariance_type=kind).fit(X)
    covariance = np.cov(X.T, bias=True)
    if kind == "diag":
        covariance = np.diag(np.diag(covariance))
    elif kind == "spherical":
        covariance = np.eye(3) * ((X - X.mean(axis=0)) ** 2).sum() / X.size
    np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-12)
    peer = multivariate_normal(X.mean(axis=0), covariance)
    np.testing.assert_allclose(model.score_samples(X), peer.logpdf(X), rtol=1e-9)
    best = model.score(X)
    for factor in (0.99, 1.01):  # the derivative is zero: every other scale is less likely
        assert multivariate_normal(X.mean(axis=0), covariance * factor).logpdf(X).sum() < best
    drawn = model.sample(5000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.1 * np.abs(covariance).max())


def test_one_column_is_the_normal_distribution():
    x = np.array([1.0, 2.0, 4.0, 9.0])
    model = GaussianDensity().fit(x[:, None])
    np.testing.assert_allclose(model.score_samples(x[:, None]), norm(4, x.std()).logpdf(x), rtol=1e-12)


@pytest.mark.parametrize("density", [None, KernelDensity(bandwidth=0.5), HistogramDensity(bins=8)])
def test_rows_of_low_density_are_outliers(density):
    rng = np.random.default_rng(3)
    X = rng.normal([40, 60], [5, 8], size=(300, 2))
    model = DensityAnomalyDetector(density, contamination=0.1).fit(X)
    assert (model.predict(X) == -1).mean() == pytest.approx(0.1, abs=0.06)
    assert model.predict([[90.0, 5.0]])[0] == -1
    given = DensityAnomalyDetector(density, threshold=1e-4).fit(X)
    np.testing.assert_array_equal(given.predict(X) == -1, np.exp(given.density_.score_samples(X)) < 1e-4)


def test_held_out_likelihoods_distinguish_models():
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(-3, 1, (300, 1)), rng.normal(3, 1, (300, 1))])
    train, test = X[::2], X[1::2]
    kernel = KernelDensity(bandwidth="cross_validation").fit(train)
    assert kernel.score(test) > GaussianDensity().fit(train).score(test)


@pytest.mark.parametrize(
    "X", [np.repeat(np.arange(9.0)[:, None], 2, axis=1), np.eye(3)[:2], np.c_[np.arange(5.0), np.ones(5)]]
)
def test_collinear_rows_have_a_density(X):
    model = GaussianDensity().fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    assert np.linalg.eigvalsh(model.covariance_)[0] > 0
    spread = np.cov(X.T, bias=True)
    np.testing.assert_allclose(model.covariance_, spread, atol=2e-6 * np.trace(spread))


def test_outliers_of_tables_with_categories_and_missing_values():
    rng = np.random.default_rng(0)
    table = pandas.DataFrame({"colour": rng.choice(["red", "blue"], 200), "size": rng.choice(["s", "m", "l"], 200)})
    table.loc[::9, "size"] = None
    model = DensityAnomalyDetector(CategoricalMixture(1), contamination=0.02).fit(table)
    new = pandas.DataFrame({"colour": ["red", "violet", "blue"], "size": ["s", "m", None]})
    assert model.predict(new).tolist() == [1, -1, 1] and model.feature_names_in_.tolist() == ["colour", "size"]
    np.testing.assert_allclose(model.score_samples(new), CategoricalMixture(1).fit(table).score_samples(new))
    heavy = rng.integers(0, 3, 200)
    weighted = DensityAnomalyDetector(CategoricalMixture(1)).fit(table, sample_weight=heavy)
    copies = DensityAnomalyDetector(CategoricalMixture(1)).fit(table.loc[np.repeat(np.arange(200), heavy)])
    assert weighted.offset_ == pytest.approx(copies.offset_)
    coded = make_pipeline(TableVectorizer(), GaussianMixture(2, random_state=0))
    assert DensityAnomalyDetector(coded).fit(table).predict(new).shape == (3,)
    X = rng.normal(size=(100, 2))
    X[::5, 1] = np.nan
    assert (DensityAnomalyDetector(GaussianMixture(1)).fit(X).predict([[0.0, np.nan], [9.0, np.nan]]) == [1, -1]).all()
    with pytest.raises(DataError, match="contains NaN"):
        DensityAnomalyDetector().fit(X)
    with pytest.raises(DataError, match="not numbers"):
        DensityAnomalyDetector().fit(table)


@pytest.mark.parametrize("model", [GaussianDensity(), HistogramDensity(), KernelDensity(), GaussianMixture(),
                                   FactorAnalysis(1), ProbabilisticPCA(1)], ids=str)  # fmt: skip
@pytest.mark.parametrize("requested", [0, 2.5, "a", True])
def test_a_number_of_rows_that_cannot_be_drawn_is_refused(model, requested):
    with pytest.raises(NotFittedError):
        model.clone().sample(2)
    with pytest.raises(ParameterError, match="n_samples of sample must be a whole number of at least 1"):
        model.clone().fit(np.random.default_rng(0).normal(size=(20, 2))).sample(requested)


def test_sampling_needs_a_euclidean_kernel():
    X = np.random.default_rng(0).normal(size=(20, 2))
    assert KernelDensity(metric="l2").fit(X).sample(3).shape == (3, 2)
    with pytest.raises(ParameterError, match="sample needs Euclidean distances; got metric='manhattan'"):
        KernelDensity(metric="manhattan").fit(X).sample(3)


def test_few_bins_are_biased_and_many_are_variable():
    """DEN-01, E-177: fewer bins, wider ones, have the lower variance and the larger bias; by formula and simulation."""
    n, x, draws = 200, np.linspace(0.013, 0.987, 40), 600
    rng = np.random.default_rng(0)
    ends, end_weight = [[0.0], [1.0]], [1e-12, 1e-12]  # rows that fix the range and hardly count
    bias, variance = [], []
    for count in (2, 8, 64):
        width = 1 / count
        first = np.floor(x * count) / count
        found = np.empty((draws, len(x)))
        for k in range(draws):
            rows = np.vstack([np.sqrt(rng.random((n, 1))), ends])  # density 2x on [0, 1]
            model = HistogramDensity(bins=count).fit(rows, sample_weight=np.append(np.ones(n), end_weight))
            found[k] = np.exp(model.score_samples(x[:, None]))
        probability = (first + width) ** 2 - first**2
        spread = probability * (1 - probability) / (n * width**2)
        assert np.abs(found.mean(axis=0) - probability / width).max() < 5 * np.sqrt(spread.max() / draws)
        assert found.var(axis=0).mean() == pytest.approx(spread.mean(), rel=0.1)
        bias.append(np.mean((found.mean(axis=0) - 2 * x) ** 2))
        variance.append(found.var(axis=0).mean())
    assert bias[0] > 3 * bias[1] > 9 * bias[2] and 3 * variance[0] < variance[1] < variance[2] / 3


def test_derivatives_of_the_negative_log_likelihood():
    """DEN-05, E-175, E-176: NLL = -sum log p; dNLL/dm = -S^-1 sum (x - m), zero at the fit, and so by the variance."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 2)) @ [[1.0, 0.4], [0.0, 0.7]] + [2, -1]
    model = GaussianDensity().fit(X)

    def nll(mean, covariance):
        other = model.clone().fit(X)
        other.mean_, other.covariance_ = mean, covariance
        assert other.score_samples(X).sum() == pytest.approx(multivariate_normal(mean, covariance).logpdf(X).sum())
        return -other.score_samples(X).sum()

    inverse = np.linalg.inv(model.covariance_)
    for mean in (model.mean_, model.mean_ + [0.3, -0.2]):
        expected = -inverse @ (X - mean).sum(axis=0)
        found = [
            (nll(mean + step, model.covariance_) - nll(mean - step, model.covariance_)) / 2e-5
            for step in 1e-5 * np.eye(2)
        ]
        np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(inverse @ (X - model.mean_).sum(axis=0), 0, atol=1e-9)
    wide, narrow = (nll(model.mean_, model.covariance_ * f) for f in (1 + 1e-4, 1 - 1e-4))
    assert abs(wide - narrow) / 2e-4 < 1e-4 * nll(model.mean_, model.covariance_)
