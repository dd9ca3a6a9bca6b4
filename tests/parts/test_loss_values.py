"""Each loss against numbers from elsewhere: by hand, from densities, from scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize, stats
from sklearn._loss import loss as peer
from sklearn.linear_model import _sgd_fast as sgd
from sklearn.metrics import mean_tweedie_deviance

from learnable.core import DataError
from learnable.parts.log_link import exponential
from learnable.parts.losses import (
    Absolute,
    EpsilonInsensitive,
    Gamma,
    Huber,
    LogCosh,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    StudentT,
    Tweedie,
)
from tests.names import steady

RESIDUALS = np.array([-4.0, -1.0, -0.3, 0.0, 0.2, 1.0, 2.0, 30.0])
ZERO = np.zeros_like(RESIDUALS)


def at(loss, residual):
    return loss.value(np.array([float(residual)]), np.array([0.0])).item()


@pytest.mark.parametrize(("delta", "expected"), [(0.1, 0.195), (1.0, 1.5), (3.0, 2.0)])
def test_huber_of_residual_two(delta, expected):
    """W-28, and E-038: the straight branch is in |r|, so that both signs agree."""
    assert at(Huber(delta), 2.0) == pytest.approx(expected, rel=1e-15)
    assert at(Huber(delta), -2.0) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("loss", "residual", "expected"),
    [
        (Squared(), 3.0, 4.5),
        (Absolute(), -3.0, 3.0),
        (Quantile(0.9), 2.0, 1.8),
        (Quantile(0.9), -2.0, 0.2),
        (LogCosh(), 1.0, 0.43378083048302647),
        (EpsilonInsensitive(0.5), -2.0, 1.5),
        (EpsilonInsensitive(0.5), 0.4, 0.0),
        (SquaredEpsilonInsensitive(0.5), -2.0, 2.25),
        (StudentT(1.0, 1.0), 1.0, np.log(2.0)),
        (StudentT(3.0, 2.0), 6.0, 2 * np.log(4.0)),
    ],
    ids=steady,
)
def test_values_by_hand(loss, residual, expected):
    assert at(loss, residual) == pytest.approx(expected, rel=1e-14)


def test_half_deviances_by_hand():
    y, mean = np.array([2.0]), np.array([1.0])
    z = np.log(mean)
    assert Poisson().value(y, z).item() == pytest.approx(2 * np.log(2) - 1, rel=1e-14)
    assert Gamma().value(y, z).item() == pytest.approx(1 - np.log(2), rel=1e-14)
    assert Tweedie(0.0, "log").value(y, z).item() == pytest.approx(0.5, rel=1e-14)
    assert Tweedie(3.0).value(y, z).item() == pytest.approx((2 - 1) ** 2 / (2 * 2 * 1**2), rel=1e-14)
    assert Poisson().value(np.zeros(1), np.log([3.0])).item() == pytest.approx(3.0, rel=1e-14)


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1e-3, 0.999, 1.0, 1.001, 20.0, 800.0, 1e300])
def test_log_cosh_is_accurate_at_every_size(size):
    if size < 0.01:
        expected = size * size / 2 - (size * size) ** 2 / 12
    else:
        expected = size - np.log(2) if size > 19 else np.log(np.cosh(size))
    assert at(LogCosh(), size) == pytest.approx(expected, rel=1e-12)
    assert at(LogCosh(), -size) == at(LogCosh(), size)


def test_log_cosh_gradient_and_curvature_far_out():
    far = np.array([400.0, 1e300])
    assert LogCosh().gradient(-far, np.zeros(2)).tolist() == [1.0, 1.0]
    assert LogCosh().curvature(far, np.zeros(2)).tolist() == [0.0, 0.0]
    assert_allclose(LogCosh().curvature(np.array([100.0]), np.zeros(1)), 4 * np.exp(-200.0), rtol=1e-13)


def test_exponential_stops_before_overflow():
    assert np.all(np.isfinite(exponential(np.array([700.0, 1e300]))))
    assert np.all(np.isfinite(exponential(np.array([90.0, 1e30], dtype=np.float32))))
    assert_allclose(exponential(np.array([-800.0, 0.0, 690.0])), np.exp([-800.0, 0.0, 690.0]), rtol=1e-15)
    assert np.isfinite(Poisson().value(np.array([3.0]), np.array([1e150]))).all()
    assert Gamma().value(np.array([1e150]), np.array([-1e3])).item() > 1e300


@pytest.mark.parametrize(
    ("loss", "density"),
    [
        (Squared(), stats.norm),
        (Absolute(), stats.laplace),
        (StudentT(3.0, 2.0), stats.t(3.0, scale=2.0)),
        (StudentT(1.0, 0.5), stats.cauchy(scale=0.5)),
    ],
    ids=steady,
)
def test_losses_are_minus_log_densities(loss, density):
    """The rows of the table that pairs likelihoods with losses."""
    expected = density.logpdf(0.0) - density.logpdf(RESIDUALS)
    assert_allclose(loss.value(RESIDUALS, ZERO), expected, rtol=1e-12, atol=1e-14)


PEERS = [
    (Squared(), peer.HalfSquaredError()),
    (Absolute(), peer.AbsoluteError()),
    (Quantile(0.3), peer.PinballLoss(quantile=0.3)),
    (Huber(0.7), peer.HuberLoss(delta=0.7)),
    (Poisson(), peer.HalfPoissonLoss()),
    (Gamma(), peer.HalfGammaLoss()),
    *[(Tweedie(power, "log"), peer.HalfTweedieLoss(power=power)) for power in (0.0, 1.0, 1.7, 2.0, 3.0)],
    *[(Tweedie(power, "identity"), peer.HalfTweedieLossIdentity(power=power)) for power in (0.0, 1.0, 1.7, 2.0, 3.0)],
]


@pytest.mark.parametrize(("ours", "theirs"), PEERS, ids=steady)
def test_agrees_with_the_peer(ours, theirs):
    rng = np.random.default_rng(0)
    y, z = rng.gamma(2.0, 1.0, 100), rng.gamma(2.0, 1.0, 100)
    offset = theirs.constant_to_optimal_zero(y)
    assert_allclose(ours.value(y, z), theirs.loss(y_true=y, raw_prediction=z) + offset, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.gradient(y, z), theirs.gradient(y_true=y, raw_prediction=z), rtol=1e-10, atol=1e-12)
    if ours.convex and not ours.majorises:
        assert_allclose(ours.curvature(y, z), theirs.gradient_hessian(y_true=y, raw_prediction=z)[1], rtol=1e-10)
    if ours.smooth and not isinstance(ours, Huber):
        assert ours.best_constant(y) == pytest.approx(theirs.fit_intercept_only(y_true=y), rel=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (EpsilonInsensitive(0.1), sgd.EpsilonInsensitive(0.1)),
        (SquaredEpsilonInsensitive(0.1), sgd.SquaredEpsilonInsensitive(0.1)),
    ],
    ids=steady,
)
def test_agrees_with_the_stochastic_peer(ours, theirs):
    for residual in (-2.0, -0.05, 0.02, 0.4):
        y, z = np.array([residual]), np.zeros(1)
        assert ours.value(y, z).item() == pytest.approx(theirs.py_loss(0.0, residual), rel=1e-14)
        assert ours.gradient(y, z).item() == pytest.approx(theirs.py_dloss(0.0, residual), rel=1e-14)


@pytest.mark.parametrize("power", [-1.5, 0.0, 1.0, 1.2, 2.0, 2.5, 3.0])
def test_value_is_half_the_deviance(power):
    rng = np.random.default_rng(1)
    y, z, weight = rng.gamma(2.0, 1.0, 50), rng.normal(size=50), rng.uniform(size=50)
    expected = mean_tweedie_deviance(y, np.exp(z), sample_weight=weight, power=power) / 2
    assert np.average(Tweedie(power, "log").value(y, z), weights=weight) == pytest.approx(expected, rel=1e-10)


def test_negative_targets_below_power_zero():
    y, mean = np.array([-2.0, -0.5, 3.0]), np.array([1.0, 2.0, 2.5])
    expected = mean_tweedie_deviance(y, mean, power=-1.0) / 2
    assert Tweedie(-1.0).value(y, mean).mean() == pytest.approx(expected, rel=1e-12)


def test_deviance_keeps_its_digits_near_a_perfect_fit():
    """For a count of 1e12, exp(z) - y z + y log y - y would lose every digit."""
    y, off = np.array([1e12]), 1e-8
    assert Poisson().value(y, np.log(y) + off).item() == pytest.approx(1e12 * off**2 / 2, rel=1e-6)
    assert Tweedie(1 + 1e-9, "log").value(y, np.log(y) + off).item() == pytest.approx(1e12 * off**2 / 2, rel=1e-6)


def test_auto_link():
    assert [Tweedie(power).link for power in (-1.0, 0.0, 0.5, 1.0, 3.0)] == ["identity"] * 2 + ["log"] * 3
    assert Tweedie(1.0, "identity").link == "identity"
    assert Tweedie(1.0) == Tweedie(1.0, "log")


def test_identity_link_keeps_means_positive():
    loss = Tweedie(1.5, "identity")
    assert np.isinf(loss.value(np.ones(2), np.array([0.0, -1.0]))).all()
    assert np.isfinite(loss.value(np.ones(1), np.array([1e-5]))).all()


@pytest.mark.parametrize(
    ("loss", "bad", "rule"),
    [
        (Poisson(), -1.0, "y >= 0"),
        (Gamma(), 0.0, "y > 0"),
        (Tweedie(1.5), -0.5, "y >= 0"),
        (Tweedie(2.0), 0.0, "y > 0"),
        (Tweedie(3.0), -1.0, "y > 0"),
    ],
    ids=steady,
)
def test_check_names_the_rule_and_the_row(loss, bad, rule):
    loss.check(np.array([1.0, 2.0]))
    with pytest.raises(DataError, match=rf"{rule}.*y\[1\] is {bad:g}"):
        loss.check(np.array([1.0, bad, 3.0]))


@pytest.mark.parametrize("loss", [Poisson(), Tweedie(1.0), Tweedie(1.5), Tweedie(1.9)], ids=steady)
def test_counts_may_be_zero_or_small(loss):
    loss.check(np.array([0.0, 1e-300, 0.5]))


def test_real_losses_take_every_target():
    for loss in (Squared(), Absolute(), Huber(), Tweedie(0.0), Tweedie(-1.0)):
        loss.check(np.array([-1e300, 0.0, 5.0]))


@given(
    y=st.lists(st.integers(-5, 5), min_size=1, max_size=12),
    eighths=st.integers(1, 7),
    data=st.data(),
)
def test_weighted_quantile_is_that_of_the_copies(y, eighths, data):
    """The middle of the interval: the averaged inverse of the distribution function."""
    copies = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    copies[0] += 1
    many = np.repeat(np.array(y, dtype=float), copies)
    expected = np.quantile(many, eighths / 8, method="averaged_inverted_cdf")
    for weight in (copies.astype(float), copies / copies.sum()):
        assert Quantile(eighths / 8).best_constant(np.array(y, dtype=float), weight) == expected


def test_medians_are_middles():
    assert Absolute().best_constant(np.array([1.0, 4.0, 2.0, 9.0])) == 3.0
    assert Absolute().best_constant(np.array([1.0, 9.0]), np.array([2.0, 1.0])) == 1.0
    assert Absolute().best_constant(np.array([-1e308, 1e308])) == 0.0
    assert Huber(1.0).best_constant(np.array([0.0, 10.0])) == 5.0
    assert Huber(1.0).best_constant(np.array([0.0, 10.0]), np.array([0.1, 0.1])) == 5.0
    assert EpsilonInsensitive(2.0).best_constant(np.array([0.0, 1.0])) == 0.5
    assert SquaredEpsilonInsensitive(2.0).best_constant(np.array([0.0, 1.0])) == 0.5
    assert LogCosh().best_constant(np.array([0.0, 1e6])) == 5e5


@pytest.mark.parametrize("loss", [Squared(), Huber(1e9)], ids=steady)
def test_wide_huber_has_the_mean(loss):
    y = np.random.default_rng(2).normal(size=50)
    assert loss.best_constant(y) == pytest.approx(y.mean(), rel=1e-12)


def test_counts_without_events():
    """The best constant would be minus infinity."""
    assert Poisson().best_constant(np.zeros(4)) == pytest.approx(np.log(np.finfo(float).eps))
    assert np.isfinite(Poisson().best_leaf(np.zeros(4), np.array([1.0, 2.0, 3.0, 900.0])))


def test_reweighted_least_squares_converges_to_least_absolute_deviations():
    """Weights 1 / max(|r|, floor), E-003: the bound is a sum over rows; the sum of |r| falls at every step."""
    rng = np.random.default_rng(3)
    X = np.column_stack([np.ones(40), rng.normal(size=(40, 2))])
    y = X @ [1.0, 2.0, -1.0] + rng.standard_t(1.5, 40)
    w, loss = np.linalg.lstsq(X, y, rcond=None)[0], Absolute()
    history = [loss.value(y, X @ w).sum()]
    for _ in range(300):
        root = np.sqrt(loss.curvature(y, X @ w))
        w = np.linalg.lstsq(X * root[:, np.newaxis], y * root, rcond=None)[0]
        history.append(loss.value(y, X @ w).sum())
    unit = np.eye(40)
    programme = optimize.linprog(
        np.r_[np.zeros(3), np.ones(40)],
        A_ub=np.block([[X, -unit], [-X, -unit]]),
        b_ub=np.r_[y, -y],
        bounds=[(None, None)] * 3 + [(0, None)] * 40,
    )
    assert np.all(np.diff(history) <= 1e-8)
    assert history[-1] == pytest.approx(programme.fun, rel=1e-6)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (Absolute(), [0.25, 0.5, 2.0]),
        (Absolute(floor=3.0), [0.25, 1 / 3, 1 / 3]),
        (Quantile(0.9), [0.125, 0.25, 1.0]),
        (Quantile(0.9, floor=3.0), [0.125, 1 / 6, 1 / 6]),
        (Huber(1.0), [0.25, 0.5, 1.0]),
        (EpsilonInsensitive(1.0), [1 / 6 + 1 / 10, 1 / 2 + 1 / 6, 1 + 1 / 3]),
        (SquaredEpsilonInsensitive(1.0), [2.0, 2.0, 2.0]),
    ],
    ids=steady,
)
def test_weights_of_iterated_least_squares_by_hand(loss, expected):
    """At residuals 4, -2 and 0.5: E-038 again, the weight is the same for both signs."""
    y = np.array([4.0, -2.0, 0.5])
    assert_allclose(loss.curvature(y, np.zeros(3)), expected, rtol=1e-14)
    assert_allclose(loss.curvature(-y, np.zeros(3)), expected, rtol=1e-14)


def test_student_weights_are_those_of_em():
    loss = StudentT(3.0, 2.0)
    weight = (3 + 1) / (3 + (RESIDUALS / 2.0) ** 2)
    assert_allclose(loss.curvature(RESIDUALS, ZERO), weight / 2.0**2, rtol=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_student_location_is_the_global_maximum_of_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    y = np.r_[rng.normal(-8.0, 0.5, 12), rng.normal(8.0, 0.5, 14 - seed), rng.normal(0.0, 6.0, 4)]
    density = stats.t(2.0, scale=0.6)
    grid = np.linspace(-12.0, 12.0, 24001)
    expected = grid[density.logpdf(y[:, np.newaxis] - grid).sum(axis=0).argmax()]
    assert StudentT(2.0, 0.6).best_constant(y) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("power", [1.5, 2.0, 2.5, 3.0])
@pytest.mark.parametrize("unit", [1e-160, 1e-152, 1.0, 1e150])
def test_values_far_from_one_are_those_near_it_in_another_unit(power, unit):
    y, mean = np.array([1.0, 1.0, 1.0]), np.array([2.0, 0.2, 30.0])
    near, far = Tweedie(power, "identity").value(y, mean), Tweedie(power, "identity").value(unit * y, unit * mean)
    assert far / unit ** (2 - power) == pytest.approx(near, rel=1e-11)


@pytest.mark.parametrize("power", [1.5, 2.0, 3.0])
def test_means_that_vanish_are_never_worth_it(power):
    """A line search that goes much too far sees a huge value, not a negative one."""
    value = Tweedie(power, "log").value(np.array([1e-10, 1.0, 1e10]), np.full(3, -1e150))
    assert np.isfinite(value).all() and (value > 1e290).all()
