"""Gibbs, slice, tempering and ensembles against closed forms; importance, rejection and annealing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import learnable
from learnable import DataError, ParameterError, checkpoint, watch
from learnable.conjugate import DirichletMultinomial, NormalInverseGamma
from learnable.sampling import (
    DEMove,
    EnsembleSampler,
    Gibbs,
    ParallelTempering,
    SliceSampler,
    StretchMove,
    WalkMove,
    importance_sample,
    monte_carlo_error,
    rejection_sample,
    sample,
)
from tests.sampling.test_samplers import CENTRE, COVARIANCE, interrupting, log_normal_density


def close_to(draws, expected, errors=4.0):
    return (np.abs(draws.mean(axis=(0, 1)) - expected) < errors * monte_carlo_error(draws)).all()


X = np.array([1.2, 0.4, 2.9, 1.7, 3.3, 0.8])


def test_gibbs_finds_the_conjugate_posterior_of_mean_and_variance():
    prior = NormalInverseGamma(0.5, 2.0, 3.0, 4.0)
    after = prior.posterior(X)

    def mean(now, random):
        strength = prior.strength + len(X)
        centre = (prior.strength * prior.location + X.sum()) / strength
        return centre + np.sqrt(now["variance"] / strength) * random.standard_normal()

    def variance(now, random):
        squares = ((X - now["mean"]) ** 2).sum() + prior.strength * (now["mean"] - prior.location) ** 2
        return (prior.scale + squares / 2) / random.gamma(prior.shape + (len(X) + 1) / 2)

    draws = Gibbs({"mean": mean, "variance": variance}).sample(
        {"mean": 0.0, "variance": 1.0}, draws=5000, random_state=1
    )
    assert draws.certificate_.holds
    assert close_to(draws["mean"], after.mean[0]) and close_to(draws["variance"], after.mean[1])
    low, high = after.interval(0.9)
    assert np.mean((draws["mean"] > low) & (draws["mean"] < high)) == pytest.approx(0.9, abs=0.01)


def test_metropolis_and_nuts_find_the_same_conjugate_posterior():
    after = NormalInverseGamma(0.5, 2.0, 3.0, 4.0).posterior(X)

    def log_density(mu, s2):
        degrees = after.shape + 1.5
        return -degrees * np.log(s2) - (after.scale + after.strength * (mu - after.location) ** 2 / 2) / s2

    for method in ("nuts", "metropolis", "slice"):
        draws = sample(log_density, {"mu": 0.0, "s2": 1.0}, bounds={"s2": (0, None)}, method=method,
                       draws=4000, random_state=2)  # fmt: skip
        assert close_to(draws["mu"], after.mean[0]) and close_to(draws["s2"], after.mean[1])


def test_gibbs_with_blocks_of_labels_and_probabilities():
    """Five labels are hidden behind noisy copies: the posterior of the first label by enumeration."""
    confusion, seen = np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([0, 0, 1, 0, 1])

    def share(now, random):
        after = DirichletMultinomial([1.0, 1.0]).posterior(np.bincount(now["label"].astype(int), minlength=2))
        return random.dirichlet(after.alpha)

    def label(now, random):
        odds = now["share"][None] * confusion[:, seen].T
        return (random.random(5) < odds[:, 1] / odds.sum(axis=1)).astype(float)

    exact, total = 0.0, 0.0
    for code in range(32):
        labels = (code >> np.arange(5)) & 1
        weight = np.exp(DirichletMultinomial([1.0, 1.0]).log_pmf(np.bincount(labels, minlength=2)))
        weight = weight / stats.binom.pmf(labels.sum(), 5, 0.5) / 32 * confusion[labels, seen].prod()
        exact, total = exact + weight * labels[0], total + weight
    start = {"share": [0.5, 0.5], "label": np.zeros(5)}
    draws = Gibbs({"share": share, "label": label}).sample(start, draws=5000, random_state=0)
    assert close_to(draws["label"][:, :, 0], exact / total)


def test_gibbs_refuses_what_does_not_fit():
    with pytest.raises(ParameterError, match="conditionals must be functions"):
        Gibbs({"a": 3})
    sampler = Gibbs({"a": lambda now, random: np.zeros(2)})
    with pytest.raises(DataError, match="conditional of a must return finite numbers of shape"):
        sampler.sample({"a": 0.0})
    with pytest.raises(DataError, match="a dict with the blocks a"):
        sampler.sample({"b": 0.0})


def test_slices_of_a_correlated_normal_distribution():
    draws = SliceSampler(width=0.1).sample(log_normal_density, [0.0, 0.0], draws=6000, tune=500, random_state=0)
    x = draws["x"]
    assert close_to(x, CENTRE) and close_to((x - CENTRE) ** 2, COVARIANCE.diagonal())
    assert (draws.sample_stats["n_evaluations"] > 2).all()


def test_elliptical_slices_of_a_normal_prior_and_likelihood():
    prior, noise = np.array([[2.0, 1.5], [1.5, 2.0]]), 0.5
    seen = np.array([1.0, -0.5])
    gain = prior @ np.linalg.inv(prior + noise * np.eye(2))
    sampler = SliceSampler(kind="elliptical", prior_covariance=prior)
    draws = sampler.sample(lambda x: -0.5 * ((seen - x) ** 2).sum() / noise, [0.0, 0.0], draws=5000, random_state=0)
    covariance = prior - gain @ prior
    assert close_to(draws["x"], gain @ seen)
    assert close_to((draws["x"] - gain @ seen) ** 2, covariance.diagonal())
    with pytest.raises(DataError, match="prior_covariance of shape"):
        SliceSampler(kind="elliptical", prior_covariance=np.eye(3)).sample(lambda x: 0.0, [0.0])


def test_tempering_visits_both_modes_in_proportion():
    def log_density(x):
        modes = -0.5 * (x[0] - 6) ** 2 / 0.25 + np.log(0.3), -0.5 * (x[0] + 6) ** 2 + np.log(0.7) - np.log(2)
        return np.logaddexp(*modes)

    draws = ParallelTempering(highest=40.0).sample(log_density, [0.0], draws=8000, random_state=3)
    assert close_to((draws["x"] > 0).astype(float), 0.3)
    assert 0.1 < draws.sample_stats["swap_rate"].mean() < 1


MOVES = {"stretch": StretchMove(), "walk": WalkMove(), "de": [(DEMove(), 0.8), (StretchMove(a=3.0), 0.2)]}


@pytest.mark.parametrize("name", MOVES)
def test_walkers_find_the_moments(name):
    sampler = EnsembleSampler(20, 2, log_normal_density, moves=MOVES[name], random_state=0)
    sampler.run_mcmc(np.random.default_rng(0).standard_normal((20, 2)), 4000)
    draws = sampler.to_draws(discard=200)
    x = draws["x"].mean(axis=0, keepdims=True)  # walkers depend on each other: their mean is a chain
    squares = ((draws["x"] - CENTRE) ** 2).mean(axis=0, keepdims=True)
    assert close_to(x, CENTRE) and close_to(squares, COVARIANCE.diagonal())
    assert (sampler.acceptance_fraction > 0.1).all() and sampler.acceptance_fraction.shape == (20,)
    assert (sampler.get_autocorr_time(discard=200) > 1).all()


def test_ensembles_are_affine_invariant():
    """Walkers of A x + b under the density of A x + b make the same steps."""
    matrix, shift = np.array([[2.0, 0.0], [4.0, 0.5]]), np.array([8.0, -1.0])
    inverse = np.linalg.inv(matrix)
    starts = np.random.default_rng(0).standard_normal((8, 2))

    def straight(x):
        return float(-0.5 * (x @ x))

    def mapped(y):
        x = inverse @ (y - shift)
        return float(-0.5 * (x @ x))

    runs = []
    for function, start in ((straight, starts), (mapped, starts @ matrix.T + shift)):
        sampler = EnsembleSampler(8, 2, function, random_state=4)
        sampler.run_mcmc(start, 50)
        runs.append(sampler.get_chain())
    np.testing.assert_allclose(runs[0] @ matrix.T + shift, runs[1], rtol=1e-9)


def test_the_interface_of_emcee():
    def rows(X, scale):
        return -0.5 * (X**2).sum(axis=1) / scale

    start = np.random.default_rng(0).standard_normal((10, 3))
    sampler = EnsembleSampler(10, 3, rows, args=[2.0], vectorize=True, random_state=0)
    coords, lp = sampler.run_mcmc(start, 100)
    np.testing.assert_allclose(lp, rows(coords, 2.0))
    sampler.run_mcmc(None, 60, thin_by=3)
    assert sampler.iteration == 160 and sampler.get_chain().shape == (160, 10, 3)
    assert sampler.get_chain(discard=20, thin=10, flat=True).shape == (140, 3)
    np.testing.assert_allclose(sampler.get_log_prob()[7], rows(sampler.get_chain()[7], 2.0))
    with pytest.raises(DataError, match="shorter than 50 times"):
        sampler.get_autocorr_time()
    with pytest.warns(UserWarning, match="run longer"):
        sampler.get_autocorr_time(quiet=True)
    for bad, match in (
        (np.zeros((10, 3)), "do not span"),
        (np.zeros((3, 3)), "the shape"),
        (start * np.nan, "finite"),
    ):
        with pytest.raises(DataError, match=match):
            sampler.run_mcmc(bad, 10)
    with pytest.raises(ParameterError, match="even and at least"):
        EnsembleSampler(5, 3, rows)


def test_an_ensemble_stops_and_resumes(tmp_path):
    start = np.random.default_rng(0).standard_normal((8, 2))

    def run():
        sampler = EnsembleSampler(8, 2, lambda x: float(-0.5 * (x @ x)), random_state=4)
        sampler.run_mcmc(start, 400)
        return sampler

    whole = run().get_chain()
    with checkpoint(tmp_path / "run", every=0), pytest.raises(KeyboardInterrupt), watch(interrupting(3)):
        run()
    seen = []
    with checkpoint(tmp_path / "run", every=0), watch(lambda event: seen.append(event.iteration)):
        again = run().get_chain()
    np.testing.assert_array_equal(whole, again)
    assert len(seen) < 8
    with watch(lambda event: event.iteration == 2):
        assert run().iteration == 100


@pytest.mark.parametrize("sampler", [SliceSampler(), ParallelTempering(n_temperatures=3)], ids=["slice", "tempering"])
def test_other_chains_resume_with_the_same_bits(sampler, tmp_path):
    def run():
        return sampler.sample(log_normal_density, [0.0, 0.0], draws=100, tune=100, chains=2, random_state=7)

    whole = run()
    with checkpoint(tmp_path / "run", every=0), pytest.raises(KeyboardInterrupt), watch(interrupting(5)):
        run()
    with checkpoint(tmp_path / "run", every=0):
        np.testing.assert_array_equal(whole["x"], run()["x"])


def test_importance_weights_estimate_integrals_and_their_errors():
    """The integral of exp(-|x|^3) is 2 Gamma(4/3); its second moment Gamma(1) / Gamma(1/3)."""
    from scipy.special import gamma

    found = importance_sample(lambda x: -(np.abs(x) ** 3), stats.norm(0, 1), 40_000, random_state=0)
    assert np.exp(found.log_normaliser) == pytest.approx(2 * gamma(4 / 3), rel=0.02)
    expected = gamma(1.0) / gamma(1 / 3)
    assert abs(found.mean(lambda x: x**2) - expected) < 4 * found.standard_error(lambda x: x**2)
    assert 0 < found.effective_sample_size < 40_000 and found.pareto_k < 0.7
    assert found.resample(5000, random_state=1).var() == pytest.approx(expected, rel=0.1)
    heavy = importance_sample(lambda x: -np.log1p(x**2), stats.norm(0, 0.5), 20_000, random_state=0)
    assert heavy.pareto_k > 0.7


@pytest.mark.parametrize("shape", [0.2, 0.5, 1.0])
def test_the_tail_shape_of_pareto_weights(shape):
    """Weights u^(-k) of uniform u have a Pareto tail with the shape k."""
    from learnable.sampling.importance import pareto_shape

    uniform = np.random.default_rng(0).random(100_000)
    assert pareto_shape(-shape * np.log(uniform)) == pytest.approx(shape, abs=0.12)


def test_accepted_draws_are_exact():
    found = rejection_sample(lambda x: np.log(6 * x * (1 - x)), stats.uniform(), np.log(1.5), 4000, random_state=0)
    assert stats.kstest(found.x, stats.beta(2, 2).cdf).pvalue > 0.01
    assert found.acceptance_rate == pytest.approx(2 / 3, abs=0.03)
    pair = (lambda random, n: random.standard_normal((n, 2)), lambda x: -0.5 * (x**2).sum(axis=1))
    inside = rejection_sample(
        lambda x: np.where((x**2).sum(axis=1) < 1, -0.5 * (x**2).sum(axis=1), -np.inf), pair, 0.0, 500
    )
    assert inside.x.shape == (500, 2) and ((inside.x**2).sum(axis=1) < 1).all()
    with pytest.raises(DataError, match=r"is too small: the log ratio is 0\.40"):
        rejection_sample(lambda x: np.log(6 * x * (1 - x)), stats.uniform(), 0.0, 100, random_state=0)
    with pytest.raises(DataError, match="were accepted"):
        rejection_sample(lambda x: -50 - x**2, stats.norm(), 0.0, 100, max_proposals=10_000, random_state=0)
    with pytest.raises(ParameterError, match="rvs and logpdf"):
        importance_sample(lambda x: x, 3)


def test_equal_weights_have_no_tail():
    """A proposal that is the density up to rounding gives equal weights, and ties at the threshold are no tail."""
    exact = importance_sample(lambda x: -0.5 * x**2, stats.norm(), 1000, random_state=0)
    assert exact.pareto_k == -np.inf and exact.effective_sample_size == pytest.approx(1000)
    ties = np.repeat(np.linspace(0, 1, 20), 50)
    from learnable.sampling.importance import pareto_shape

    assert pareto_shape(ties) < 0.7


DRAWS = (lambda random, n: random.normal(size=n), stats.norm().logpdf)


@pytest.mark.parametrize(
    ("log_density", "proposal", "message"),
    [
        (lambda x: x * 0 + np.inf, stats.norm(), "log_density is infinite"),
        (lambda x: "text", stats.norm(), "log_density must return"),
        (lambda x: None, stats.norm(), "log_density must return"),
        (3, stats.norm(), "log_density must be a function"),
        (lambda x: -0.5 * x**2, (lambda random, n: random.normal(size=n + 1), DRAWS[1]), "proposal must give"),
        (lambda x: -0.5 * x**2, (lambda random, n: 0.0, DRAWS[1]), "proposal must give"),
    ],
)
def test_densities_of_importance_sampling_are_checked(log_density, proposal, message):
    with pytest.raises(learnable.LearnableError, match=f"importance_sample: .*{message}"):
        importance_sample(log_density, proposal, 50, random_state=0)
    with pytest.raises(learnable.LearnableError, match=f"rejection_sample: .*{message}"):
        rejection_sample(log_density, proposal, 1.0, 50, random_state=0)


@pytest.mark.parametrize("count", [0, -1, 1.5, "text", None, True])
def test_a_number_of_draws_is_whole(count):
    with pytest.raises(learnable.ParameterError, match="importance_sample: n_samples"):
        importance_sample(lambda x: -0.5 * x**2, stats.norm(), count)
    with pytest.raises(learnable.ParameterError, match="rejection_sample: n_samples"):
        rejection_sample(lambda x: -0.5 * x**2, stats.norm(), 1.0, count)
    with pytest.raises(learnable.ParameterError, match="log_bound"):
        rejection_sample(lambda x: -0.5 * x**2, stats.norm(), "text", 10)


@pytest.mark.parametrize("value", [lambda x: 1.0, lambda x: np.ones(3), 3])
def test_means_are_of_a_number_for_each_draw(value):
    found = importance_sample(lambda x: -0.5 * x**2, stats.t(5), 100, random_state=0)
    for method in (found.mean, found.standard_error):
        with pytest.raises(learnable.LearnableError, match=r"must return .* 100 draws|must be a function"):
            method(value)
