"""Laws of the distributions of one variable."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from learnable.parts.distributions import FAMILIES, Bernoulli, Categorical, Exponential, KernelSum, Normal, Poisson

MADE = {
    "gaussian": Normal(1.0, 2.0),
    "bernoulli": Bernoulli(0.3),
    "categorical": Categorical(np.array([0.2, 0.5, 0.3])),
    "poisson": Poisson(2.5),
    "exponential": Exponential(1.5),
    "kde": KernelSum(np.array([-1.0, 0.5, 3.0]), np.array([0.2, 0.3, 0.5]), 0.6),
}
WHOLE = ("bernoulli", "categorical", "poisson")


def expectation(kind, function):
    law = MADE[kind]
    if kind in WHOLE:
        values = np.arange(60.0)
        return float(np.exp(law.log_density(values)) @ function(values))
    low = 0.0 if kind == "exponential" else -40.0
    return quad(lambda t: float(np.exp(law.log_density(np.array([t]))[0])) * function(t), low, 60, limit=400)[0]


@pytest.mark.parametrize("kind", MADE)
def test_probabilities_and_moments(kind):
    law = MADE[kind]
    assert expectation(kind, lambda x: x * 0 + 1) == pytest.approx(1, abs=1e-6)
    assert expectation(kind, lambda x: x) == pytest.approx(law.mean, abs=1e-6)
    assert expectation(kind, lambda x: (x - law.mean) ** 2) == pytest.approx(law.variance, abs=1e-5)


@pytest.mark.parametrize("kind", MADE)
def test_samples(kind):
    law = MADE[kind]
    drawn = law.sample(np.random.default_rng(0), 40_000)
    assert drawn.shape == (40_000,) and type(law).supports(drawn).all()
    assert drawn.mean() == pytest.approx(law.mean, abs=4 * np.sqrt(law.variance / 40_000))
    assert drawn.var() == pytest.approx(law.variance, rel=0.06)


@pytest.mark.parametrize("kind", MADE)
def test_estimates_come_back(kind):
    law = MADE[kind]
    found = type(law).estimate(law.sample(np.random.default_rng(1), 40_000))
    assert found.mean == pytest.approx(law.mean, abs=0.05)
    assert found.variance == pytest.approx(law.variance, rel=0.08)


@pytest.mark.parametrize("kind", MADE)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), cut=st.integers(5, 25))
def test_sums_add_and_part_and_weights_are_copies(kind, seed, cut):
    family, rng = FAMILIES[kind], np.random.default_rng(seed)
    x, count = MADE[kind].sample(rng, 30), rng.integers(1, 4, 30)
    whole = family.summary(x, count.astype(float))
    parts = [family.summary(x[rows], count[rows].astype(float)) for rows in (slice(0, cut), slice(cut, None))]
    at = MADE[kind].sample(rng, 10)
    requested = family.from_summary(whole, 0.5, whole).log_density(at)
    joined = family.add(*parts)
    np.testing.assert_allclose(family.from_summary(joined, 0.5, joined).log_density(at), requested, rtol=1e-8)
    left = family.subtract(whole, parts[1])
    alone = family.from_summary(parts[0], 0.5, parts[0]).log_density(at)
    np.testing.assert_allclose(family.from_summary(left, 0.5, left).log_density(at), alone, rtol=1e-6, atol=1e-8)
    copies = family.estimate(np.repeat(x, count), pseudo_counts=0.5).log_density(at)
    np.testing.assert_allclose(copies, requested, rtol=1e-8)


@pytest.mark.parametrize(
    ("kind", "outside"), [("bernoulli", 2), ("categorical", 1.5), ("poisson", -1), ("exponential", -1)]
)
def test_nothing_outside_the_support(kind, outside):
    assert not FAMILIES[kind].supports(np.array([float(outside)]))[0]
    assert MADE[kind].log_density(np.array([float(outside)]))[0] == -np.inf


def test_smoothing_by_hand():
    assert Bernoulli.estimate(np.array([1.0, 1.0, 1.0]), pseudo_counts=1.0).probability == pytest.approx(4 / 5)
    np.testing.assert_allclose(
        Categorical.estimate(np.array([0.0, 0.0, 2.0]), pseudo_counts=0.5).probabilities,
        np.array([2.5, 0.5, 1.5]) / 4.5,
    )
    usual = {"weight": 10.0, "total": 40.0}
    assert Poisson.from_summary({"weight": 2.0, "total": 0.0}, 1.0, usual).rate == pytest.approx(4 / 3)
    assert Exponential.from_summary({"weight": 0.0, "total": 0.0}, 0.0, usual).scale == pytest.approx(4)


def test_constant_values_have_a_density():
    for family in (Normal, KernelSum):
        assert np.isfinite(family.estimate(np.full(5, 7.0)).log_density(np.array([7.0, 8.0]))).all()
        assert np.isfinite(family.estimate(np.zeros(5)).log_density(np.array([0.0]))).all()
