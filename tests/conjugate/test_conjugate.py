"""Conjugate models against sums and integrals of prior times likelihood."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import dblquad, quad

from learnable.conjugate import BetaBinomial, DirichletMultinomial, NormalInverseGamma

sizes = st.floats(0.3, 8.0)


def test_worked_numbers_of_the_beta_binomial():
    """W-51, W-52, E-102."""
    model = BetaBinomial(2, 3)
    assert model.predictive_mean(10) == pytest.approx(4)
    assert model.predictive_variance(10) == pytest.approx(6)
    assert model.pmf(np.arange(11), 10).sum() == pytest.approx(1)
    known = BetaBinomial(1, 1).posterior(3, 1)
    assert known.mode == 0.75 and known.mean == pytest.approx(2 / 3)


@settings(max_examples=20, deadline=None)
@given(sizes, sizes, st.integers(0, 12))
def test_beta_binomial_is_the_integral(a, b, n):
    model = BetaBinomial(a, b)
    counts = np.arange(n + 1)
    requested = [
        quad(lambda t, y=y: stats.binom.pmf(y, n, t) * stats.beta.pdf(t, a, b), 0, 1)[0] for y in (0, n // 2, n)
    ]
    np.testing.assert_allclose(model.pmf([0, n // 2, n], n), requested, rtol=1e-5)
    np.testing.assert_allclose(model.pmf(counts, n), stats.betabinom.pmf(counts, n, a, b), rtol=1e-9)
    assert model.predictive_mean(n) == pytest.approx(float(model.pmf(counts, n) @ counts))
    spread = float(model.pmf(counts, n) @ (counts - model.predictive_mean(n)) ** 2)
    assert model.predictive_variance(n) == pytest.approx(spread, abs=1e-12)
    assert not model.pmf([-1, n + 1, 0.5], n).any()


@settings(max_examples=20, deadline=None)
@given(sizes, sizes, st.lists(st.integers(0, 1), max_size=12))
def test_beta_posterior(a, b, tosses):
    """NBC-09, E-103: batch is sequential, and the posterior is prior times likelihood."""
    prior = BetaBinomial(a, b)
    batch, step = prior.update(tosses), prior
    for toss in tosses:
        step = step.update([toss])
    assert (batch.a, batch.b) == pytest.approx((step.a, step.b))
    ones, zeros = sum(tosses), len(tosses) - sum(tosses)
    at = np.array([0.2, 0.5, 0.9])
    ratio = prior.density(at) * at**ones * (1 - at) ** zeros / batch.density(at)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    assert batch.mean == pytest.approx(stats.beta.mean(batch.a, batch.b))
    assert batch.variance == pytest.approx(stats.beta.var(batch.a, batch.b))
    np.testing.assert_allclose(batch.interval(0.9), stats.beta.interval(0.9, batch.a, batch.b), rtol=1e-8)


@pytest.mark.parametrize(
    ("a", "b", "mode"), [(3, 2, 2 / 3), (1, 1, 0.5), (1, 3, 0), (3, 1, 1), (0.5, 2, 0), (2, 0.5, 1)]
)
def test_beta_mode_is_where_the_density_is_highest(a, b, mode):
    model = BetaBinomial(a, b)
    assert model.mode == pytest.approx(mode)
    grid = np.linspace(0.001, 0.999, 999)
    if a != b:
        assert abs(grid[model.density(grid).argmax()] - mode) < 0.01


@settings(max_examples=20, deadline=None)
@given(st.lists(sizes, min_size=2, max_size=4), st.integers(0, 5))
def test_dirichlet_multinomial(alpha, n):
    """NBC-10, E-099, E-100, E-101: the compound sums to one; its moments; margins are beta-binomial."""
    model, outcomes = DirichletMultinomial(alpha), len(alpha)
    every = np.array([c for c in itertools.product(range(n + 1), repeat=outcomes) if sum(c) == n])
    probability = model.pmf(every)
    assert probability.sum() == pytest.approx(1)
    np.testing.assert_allclose(probability, stats.dirichlet_multinomial(np.array(alpha), n).pmf(every), rtol=1e-8)
    np.testing.assert_allclose(probability @ every, model.predictive_mean(n), rtol=1e-9, atol=1e-12)
    spread = probability @ (every - model.predictive_mean(n)) ** 2
    np.testing.assert_allclose(spread, model.predictive_variance(n), rtol=1e-8, atol=1e-12)
    margin = [probability[every[:, 0] == y].sum() for y in range(n + 1)]
    np.testing.assert_allclose(margin, model.marginal(0).pmf(np.arange(n + 1), n), rtol=1e-8)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(1.0, 6.0), min_size=3, max_size=3), st.lists(st.integers(0, 2), max_size=10))
def test_dirichlet_posterior(alpha, outcomes):
    """NBC-11: Dir(alpha + N), batch is sequential, MAP (N_k + alpha_k - 1) / (N + alpha_0 - K)."""
    prior = DirichletMultinomial(alpha)
    counts = np.bincount(np.array(outcomes, dtype=int), minlength=3)
    batch, step = prior.posterior(counts), prior
    for outcome in outcomes:
        step = step.update([outcome])
    np.testing.assert_allclose(batch.alpha, step.alpha)
    np.testing.assert_allclose(batch.mean, stats.dirichlet.mean(batch.alpha))
    np.testing.assert_allclose(batch.variance, stats.dirichlet.var(batch.alpha))
    theta = np.array([0.2, 0.3, 0.5])
    assert batch.log_density(theta) == pytest.approx(stats.dirichlet.logpdf(theta, batch.alpha))
    if sum(alpha) + len(outcomes) > 3.01:
        requested = (counts + np.array(alpha) - 1) / (len(outcomes) + sum(alpha) - 3)
        np.testing.assert_allclose(batch.mode, requested, rtol=1e-9, atol=1e-12)


def test_a_flat_dirichlet_prior_gives_the_frequencies():
    counts = np.array([3, 5, 2])
    np.testing.assert_allclose(DirichletMultinomial([1, 1, 1]).posterior(counts).mode, counts / 10)
    two = DirichletMultinomial([1, 1, 1]).posterior([[1, 2, 0], [2, 3, 2]])
    assert two == DirichletMultinomial([4, 6, 3])


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 6))
def test_normal_inverse_gamma(seed, n):
    rng = np.random.default_rng(seed)
    prior = NormalInverseGamma(rng.normal(), *rng.uniform(0.5, 3.0, 3))
    x = rng.normal(1, 2, n)
    batch, step = prior.posterior(x), prior
    for value in x:
        step = step.update([value])
    fields = ("location", "strength", "shape", "scale")
    np.testing.assert_allclose([getattr(batch, f) for f in fields], [getattr(step, f) for f in fields], rtol=1e-9)
    points = [(0.0, 1.0), (1.0, 2.0), (-0.5, 0.7)]
    ratio = [
        prior.log_density(m, v) + stats.norm.logpdf(x, m, np.sqrt(v)).sum() - batch.log_density(m, v) for m, v in points
    ]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-8)
    assert prior.log_evidence(x) == pytest.approx(ratio[0], abs=1e-8)
    degrees, square = 2 * batch.shape, batch.scale * (batch.strength + 1) / (batch.shape * batch.strength)
    peer = stats.t(degrees, batch.location, np.sqrt(square))
    np.testing.assert_allclose(batch.predictive([0.0, 2.0]), peer.pdf([0.0, 2.0]), rtol=1e-9)
    chain = prior.log_evidence(np.append(x, 0.5)) - prior.log_evidence(x)
    assert batch.log_predictive(0.5) == pytest.approx(chain)


def test_normal_inverse_gamma_integrates():
    model = NormalInverseGamma(0.5, 2.0, 3.0, 2.0)
    whole, _ = dblquad(lambda m, v: np.exp(model.log_density(m, v)), 1e-6, 60, -20, 20, epsabs=1e-6)
    assert whole == pytest.approx(1, abs=1e-3)
    assert quad(model.density_of_mean, -60, 60)[0] == pytest.approx(1, abs=1e-5)
    low, high = model.interval(0.9)
    assert quad(model.density_of_mean, low, high)[0] == pytest.approx(0.9, abs=1e-6)
    mu, s2 = model.mode
    around = [model.log_density(mu + d, s2 + e) for d in (-0.01, 0, 0.01) for e in (-0.01, 0, 0.01)]
    assert max(around) == around[4]
    copies = model.posterior([1.0, 1.0, 4.0])
    assert model.posterior([1.0, 4.0], weight=[2, 1]) == copies
    assert model.posterior([]) == model


def test_parts_of_an_outcome_never_come():
    assert DirichletMultinomial([1, 2, 3]).pmf([[0.5, 0.5, 1.0], [1, 0, 1]])[0] == 0


def test_samples_have_the_moments():
    drawn = BetaBinomial(2, 3).sample(10, 40_000, random_state=0)
    assert drawn.mean() == pytest.approx(4, abs=0.06) and drawn.var() == pytest.approx(6, abs=0.2)
    faces = DirichletMultinomial([1, 2, 3]).sample(6, 20_000, random_state=0)
    np.testing.assert_allclose(faces.mean(axis=0), [1, 2, 3], atol=0.06)
    values = NormalInverseGamma(1.0, 2.0, 6.0, 5.0).sample(40_000, random_state=0)
    assert values.mean() == pytest.approx(1, abs=0.03) and values.var() == pytest.approx(1.5, rel=0.05)


@pytest.mark.parametrize(
    "call",
    [
        lambda: BetaBinomial(0, 1),
        lambda: BetaBinomial(1, np.inf),
        lambda: BetaBinomial().posterior(-1, 2),
        lambda: BetaBinomial().update([0, 2]),
        lambda: BetaBinomial().interval(1.0),
        lambda: DirichletMultinomial([1.0]),
        lambda: DirichletMultinomial([1.0, 0.0]),
        lambda: DirichletMultinomial([1.0, 1.0]).posterior([1, 2, 3]),
        lambda: DirichletMultinomial([1.0, 1.0]).update([2]),
        lambda: DirichletMultinomial([0.5, 1.0]).mode,
        lambda: NormalInverseGamma(0, -1),
        lambda: NormalInverseGamma(np.nan),
        lambda: NormalInverseGamma().posterior([np.nan]),
    ],
)
def test_impossible_numbers_are_refused(call):
    with pytest.raises(ValueError, match=r"^(BetaBinomial|DirichletMultinomial|NormalInverseGamma): "):
        call()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: BetaBinomial(1, 1).pmf(1, -2), "n must be a whole number of trials"),
        (lambda: BetaBinomial(1, 1).predictive_mean(2.5), "n must be a whole number of trials"),
        (lambda: BetaBinomial(1, 1).sample(-1), "n must be a whole number of trials"),
        (lambda: BetaBinomial(0.5, 0.5).mode, "no single highest point"),
        (lambda: DirichletMultinomial([1, 1]).marginal(2), "outcome must be a whole number from 0 to 1; got 2"),
        (lambda: DirichletMultinomial([1, 1]).marginal(0.5), "outcome must be a whole number from 0 to 1; got 0.5"),
        (lambda: BetaBinomial(1, 1).pmf(1, np.inf), "n must be a whole number of trials"),
        (lambda: DirichletMultinomial([1, 1]).pmf([1, 2, 3]), r"2 outcomes, but the counts have shape \(3,\)"),
        (lambda: DirichletMultinomial([1, 1]).log_density([0.5, 0.2, 0.3]), "the probabilities theta have shape"),
        (lambda: NormalInverseGamma().posterior([1.0, 2.0], weight=[1.0]), "1 weights for 2 values"),
        (lambda: NormalInverseGamma().posterior([1.0, 2.0], weight=[1.0, -5.0]), "not negative"),
        (lambda: BetaBinomial(1, 1).update(["x"]), r"BetaBinomial: counts must be numbers; got \['x'\]"),
        (lambda: NormalInverseGamma().posterior(["x"]), r"NormalInverseGamma: x must be numbers; got \['x'\]"),
        (lambda: BetaBinomial().pmf("x", 3), "BetaBinomial: successes y must be numbers; got 'x'"),
        (lambda: BetaBinomial().density(["x"]), "BetaBinomial: probabilities theta must be numbers"),
        (lambda: BetaBinomial().sample(3, size=-1), "BetaBinomial: size must be a whole number of draws"),
        (lambda: DirichletMultinomial(["a", "b"]), "DirichletMultinomial: entries of alpha must be numbers"),
        (
            lambda: DirichletMultinomial([1, 2]).log_density("a"),
            "DirichletMultinomial: probabilities theta must be numbers",
        ),
        (lambda: DirichletMultinomial([1, 2]).sample(3, size=0.5), "DirichletMultinomial: size must be a whole"),
        (lambda: NormalInverseGamma("a"), "NormalInverseGamma: location must be a finite number; got 'a'"),
        (lambda: NormalInverseGamma().predictive("a"), "NormalInverseGamma: values must be numbers"),
        (lambda: NormalInverseGamma().log_density(0, "a"), "NormalInverseGamma: variances s2 must be numbers"),
        (lambda: NormalInverseGamma().sample(None), "NormalInverseGamma: size must be a whole number of draws"),
        (lambda: NormalInverseGamma().posterior([1e200, -1e200]), "x are so large that their squares overflow"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


def test_truth_values_are_outcomes():
    assert DirichletMultinomial([1, 1]).update([True, False, True]) == DirichletMultinomial([2, 3])
    assert BetaBinomial().update([True, False, True]) == BetaBinomial(3.0, 2.0)


def test_a_density_that_rises_to_an_end_has_its_mode_there():
    assert BetaBinomial(3.0, 0.5).mode == 1.0 and BetaBinomial(0.5, 3.0).mode == 0.0


def test_priors_at_the_ends_of_the_floats():
    nothing = BetaBinomial(1e-320, 1.0)
    np.testing.assert_allclose(nothing.pmf([0, 1, 2], 2), [1.0, 0.0, 0.0], atol=1e-300)
    np.testing.assert_allclose(DirichletMultinomial([1e-320, 1.0]).pmf([[0, 2], [2, 0]]), [1.0, 0.0], atol=1e-300)
    np.testing.assert_allclose(BetaBinomial(1e-320, 1e-320).pmf([0, 1, 2], 2), [0.5, 0.0, 0.5], rtol=1e-3, atol=1e-300)
    sure = BetaBinomial(1e300, 1e300)
    assert (sure.mean, sure.mode) == (0.5, 0.5) and sure.variance == pytest.approx(1.25e-301, rel=1e-14)
    surest = BetaBinomial(1.5e308, 1.5e308)
    assert (surest.mean, surest.mode) == (0.5, 0.5) and surest.variance == pytest.approx(0.25 / 3e307 / 10, rel=1e-6)
    assert surest.predictive_variance(4) == pytest.approx(1.0)


@pytest.mark.parametrize("known", [1e4, 1e8, 1e13, 1e150])
def test_a_certain_probability_predicts_as_a_coin(known):
    """With theta as good as given, counts are binomial; a difference of log Gamma would be rounding."""
    counts = np.arange(11)
    coin = stats.binom.pmf(counts, 10, 0.5)
    near = 100 / known + 1e-10
    np.testing.assert_allclose(BetaBinomial(known, known).pmf(counts, 10), coin, rtol=near)
    pairs = np.column_stack([counts, 10 - counts])
    np.testing.assert_allclose(DirichletMultinomial([known, known]).pmf(pairs), coin, rtol=near)
    np.testing.assert_allclose(BetaBinomial(1e15, 2.0).pmf(counts, 10).sum(), 1.0, rtol=1e-9)
