"""Densities by kernels: against scikit-learn, against integrals, and draws from them."""

import numpy as np
import pytest
import sklearn.neighbors as theirs
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import kstest

import learnable
from learnable import KernelDensity

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")


def draw(rows=300, columns=2):
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, columns)), rng.normal(size=(40, columns)) * 1.5


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_every_kernel_is_that_of_scikit_learn(kernel, metric):
    odd = kernel == "cosine"  # whose constant scikit-learn has wrong for an even number of columns
    for columns in (1, 3, 5) if odd else (1, 2, 5):
        X, Q = draw(columns=columns)
        mine, peer = (
            of(bandwidth=0.7, kernel=kernel, metric=metric).fit(X) for of in (KernelDensity, theirs.KernelDensity)
        )
        np.testing.assert_allclose(np.exp(mine.score_samples(Q)), np.exp(peer.score_samples(Q)), rtol=1e-9, atol=1e-14)


def test_other_metrics_and_weights():
    X, Q = draw()
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    mine = KernelDensity(bandwidth=0.3).fit(X, sample_weight=weight)
    copies = KernelDensity(bandwidth=0.3).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(mine.score_samples(Q), copies.score_samples(Q), rtol=1e-10)
    globe = np.clip(X / 3, -1.5, 1.5)
    mine, peer = (of(bandwidth=0.2, metric="haversine").fit(globe) for of in (KernelDensity, theirs.KernelDensity))
    np.testing.assert_allclose(mine.score_samples(globe[:9]), peer.score_samples(globe[:9]), rtol=1e-9)


@pytest.mark.parametrize("rtol", [1e-2, 1e-4, 1e-8])
def test_the_error_that_is_allowed_is_kept_to(rtol):
    X, Q = draw(3000)
    exact = KernelDensity(bandwidth=0.2).fit(X).score_samples(Q)
    rough = KernelDensity(bandwidth=0.2, rtol=rtol).fit(X).score_samples(Q)
    assert np.abs(np.expm1(rough - exact)).max() <= rtol * 1.0001 + 1e-12
    near = KernelDensity(bandwidth=0.2, atol=1e-3).fit(X).score_samples(Q)
    assert np.abs(np.exp(near) - np.exp(exact)).max() <= 1e-3 + 1e-12


def test_far_away_the_logarithm_is_still_accurate():
    model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0]])
    expected = -((999 / 0.5) ** 2) / 2 - np.log(2 * 0.5 * np.sqrt(2 * np.pi))
    assert model.score_samples([[1000.0]])[0] == pytest.approx(expected, rel=1e-12)
    assert KernelDensity(kernel="linear").fit([[0.0]]).score_samples([[3.0]])[0] == -np.inf


@pytest.mark.parametrize("kernel", [*KERNELS, "hypercube"])
def test_densities_integrate_to_one_and_draws_follow_them(kernel):
    X = np.array([[0.0], [0.4], [3.0]])
    model = KernelDensity(bandwidth=0.8, kernel=kernel).fit(X)
    grid = np.linspace(-14, 17, 60001)
    density = np.exp(model.score_samples(grid[:, None]))
    passed = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    assert passed[-1] == pytest.approx(1, abs=2e-3)
    drawn = model.sample(2000, random_state=0)[:, 0]
    assert kstest(drawn, lambda at: np.interp(at, grid, passed)).pvalue > 1e-3


def test_the_hypercube_counts_rows_in_a_box():
    X, Q = draw()
    inside = (np.abs(Q[:, None] - X) < 0.6 / 2).all(axis=2).sum(axis=1)
    expected = inside / (len(X) * 0.6**2)
    model = KernelDensity(bandwidth=0.6, kernel="hypercube").fit(X)
    np.testing.assert_allclose(np.exp(model.score_samples(Q)), expected, rtol=1e-12)


def test_rules_for_the_bandwidth():
    X, _ = draw(200, 3)
    for rule in ("scott", "silverman"):
        peer = theirs.KernelDensity(bandwidth=rule).fit(X)
        assert KernelDensity(bandwidth=rule).fit(X).bandwidth_ == pytest.approx(peer.bandwidth_)


def test_the_bandwidth_of_cross_validation_is_the_most_likely_one():
    X, _ = draw(120, 1)
    model = KernelDensity(bandwidth="cross_validation", folds=4).fit(X)
    fold = np.arange(120) % 4

    def likely(width):
        parts = [theirs.KernelDensity(bandwidth=width).fit(X[fold != k]).score(X[fold == k]) for k in range(4)]
        return float(np.sum(parts))

    candidates = model.trace_["bandwidth"]
    np.testing.assert_allclose(-model.trace_["objective"], [likely(width) for width in candidates], rtol=1e-9)
    assert model.bandwidth_ == candidates[np.argmin(model.trace_["objective"])]


def test_the_cosine_integrates_to_one_over_the_plane():
    model = KernelDensity(kernel="cosine", bandwidth=1.0).fit([[0.0, 0.0]])
    steps = np.linspace(-1, 1, 401)
    plane = np.array(np.meshgrid(steps, steps)).reshape(2, -1).T
    assert np.exp(model.score_samples(plane)).sum() * (steps[1] - steps[0]) ** 2 == pytest.approx(1, abs=1e-3)


def test_the_constant_of_the_cosine_is_its_integral():
    from learnable.neighbors._kde_kernels import _cosine_moment

    for power in (0, 1, 2, 7, 20, 21, 40):
        expected = quad(lambda r, power=power: r**power * np.cos(np.pi * r / 2), 0, 1)[0]
        assert _cosine_moment(power) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("kernel", "exponent"), [("gaussian", lambda u: u * u / 2), ("exponential", lambda u: u)])
def test_rows_far_from_all_others_have_a_density(kernel, exponent):
    # boxes round several rows come much nearer to the query than any of the rows in them
    rng = np.random.default_rng(0)
    for n, p, width in ((64, 3, 0.03), (500, 2, 0.004), (300, 5, 0.02)):
        X, queries = rng.normal(size=(n, p)), rng.normal(size=(40, p))
        found = KernelDensity(kernel=kernel, bandwidth=width).fit(X).score_samples(queries)
        peak = KernelDensity(kernel=kernel, bandwidth=width).fit(np.zeros((1, p))).score_samples(np.zeros((1, p)))
        requested = logsumexp(-exponent(cdist(queries, X) / width), axis=1) - np.log(n) + peak
        np.testing.assert_allclose(found, requested, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_the_chosen_bandwidth_is_the_likeliest_of_all_tried(seed):
    model = KernelDensity(bandwidth="cross_validation").fit(np.random.default_rng(seed).normal(size=(80, 3)))
    tried = model.trace_["bandwidth"]
    assert np.isfinite(model.trace_["objective"]).all()
    assert model.bandwidth_ == tried[np.argmin(model.trace_["objective"])]
    assert 0.4 < model.bandwidth_ < 1.0


def test_a_kernel_that_reaches_no_row_left_out_is_refused():
    X = np.r_[np.random.default_rng(0).normal(size=(50, 1)), [[1e6]]]
    with pytest.raises(learnable.ParameterError, match="the density zero under every bandwidth"):
        KernelDensity(kernel="tophat", bandwidth="cross_validation").fit(X)


def test_copies_are_left_out_together_as_weights_are():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(80, 2)), rng.integers(0, 4, 80)
    weighted = KernelDensity(bandwidth="cross_validation").fit(X, sample_weight=weight)
    copied = KernelDensity(bandwidth="cross_validation").fit(np.repeat(X, weight, axis=0))
    assert weighted.bandwidth_ == pytest.approx(copied.bandwidth_, rel=1e-9)
    np.testing.assert_allclose(weighted.trace_["objective"], copied.trace_["objective"], rtol=1e-9)
