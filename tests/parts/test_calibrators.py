"""The curves that turn scores into probabilities: sigmoid, rising steps, temperature."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.calibration import _sigmoid_calibration, _TemperatureScaling
from sklearn.isotonic import IsotonicRegression

from learnable.parts.isotonic import fit_isotonic, rising_sequence
from learnable.parts.platt import fit_sigmoid
from learnable.parts.temperature import fit_temperature

numbers = st.floats(-10, 10).map(lambda value: round(value, 3))
weights = st.integers(0, 3)


def scored(seed, count=200):
    draws = np.random.default_rng(seed)
    scores = draws.normal(size=count)
    return scores, draws.random(count) < 1 / (1 + np.exp(-2 * scores + 0.5)), draws.integers(0, 4, count).astype(float)


def gradient(scores, positive, weight, fitted):
    """Gradient of the log loss of a sigmoid, from the formula."""
    n1, n0 = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    off = weight * (target - fitted(scores))
    return np.array([off @ scores, off.sum()]) / weight.sum()


@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1.0, 1e6, 1e150])
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_the_gradient_of_a_sigmoid_fit_vanishes(scale, shift):
    scores, positive, weight = scored(0)
    fitted = fit_sigmoid((scores + shift) * scale, positive, weight)
    assert_allclose(
        gradient((scores + shift) * scale, positive, weight, fitted) / [scale * (1 + shift), 1], 0, atol=1e-10
    )


def test_a_sigmoid_is_that_of_scikit_learn():
    scores, positive, weight = scored(1)
    for weighting in (None, weight):
        slope, intercept = _sigmoid_calibration(scores, positive.astype(float), weighting)
        fitted = fit_sigmoid(scores, positive, weighting)
        assert_allclose([fitted.slope, fitted.intercept], [slope, intercept], rtol=1e-3, atol=1e-3)


@given(arrays(float, 12, elements=numbers), arrays(bool, 12), arrays(int, 12, elements=weights))
def test_a_sigmoid_counts_weights_as_copies(scores, positive, copies):
    assume(copies.sum() > 0)
    weighted = fit_sigmoid(scores, positive, copies.astype(float))
    repeated = fit_sigmoid(np.repeat(scores, copies), np.repeat(positive, copies))
    kept = np.repeat(scores, copies)
    assert_allclose(weighted(kept), repeated(kept), rtol=1e-6, atol=1e-9)


def test_separated_and_constant_scores_have_a_sigmoid():
    separated = fit_sigmoid(np.array([-1.0, -0.5, 0.5, 1.0]), np.array([False, False, True, True]))
    assert separated.slope < 0 and np.isfinite(separated.slope)
    constant = fit_sigmoid(np.full(6, 3.0), np.arange(6) < 4)
    assert_allclose(constant(np.array([3.0])), (4 * 5 / 6 + 2 / 4) / 6)
    lone = fit_sigmoid(np.array([0.0, 1.0]), np.array([True, True]))
    assert (lone(np.array([0.0, 1.0])) > 0.5).all()


@given(arrays(float, 9, elements=numbers), arrays(float, 9, elements=numbers), arrays(int, 9, elements=weights))
def test_the_rising_curve_is_that_of_scikit_learn(x, y, copies):
    assume(copies.sum() > 0)
    x = np.round(x)  # ties
    theirs = IsotonicRegression(out_of_bounds="clip").fit(x, y, sample_weight=copies.astype(float))
    ours = fit_isotonic(x, y, copies.astype(float))
    at = np.linspace(-11, 11, 45)
    assert_allclose(ours(at), theirs.predict(at), rtol=1e-9, atol=1e-9)
    falling = IsotonicRegression(out_of_bounds="clip", increasing=False).fit(x, y, sample_weight=copies.astype(float))
    assert_allclose(fit_isotonic(x, y, copies.astype(float), rising=False)(at), falling.predict(at), atol=1e-9)


@given(arrays(float, 12, elements=numbers), arrays(int, 12, elements=st.integers(1, 4)))
def test_a_rising_sequence_is_a_projection(y, weight):
    fitted = rising_sequence(y, weight.astype(float))
    assert (np.diff(fitted) >= 0).all()
    off = weight * (y - fitted)
    assert_allclose(off @ fitted, 0, atol=1e-9)  # the cone of rising sequences: the rest is at right angles to it
    assert (np.cumsum(off[::-1]) <= 1e-9).all()  # and leads away from every step upwards
    assert_allclose(off.sum(), 0, atol=1e-9)


def test_a_long_sequence_is_pooled_in_one_pass():
    y = -np.arange(200_000.0)
    assert_allclose(rising_sequence(y, np.ones(len(y))), y.mean())
    assert_array_equal(rising_sequence(-y, np.ones(len(y))), -y)


def test_scores_a_rounding_apart_are_one():
    x, y = np.array([0.0, 1e-16, 1.0]), np.array([0.0, 1.0, 2.0])
    theirs = IsotonicRegression().fit(x, y)
    ours = fit_isotonic(x, y)
    assert_allclose(ours.x, theirs.X_thresholds_)
    assert_allclose(ours.y, theirs.y_thresholds_)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sharpness", [0.1, 1.0, 20.0])
def test_the_temperature_is_the_best_there_is(seed, sharpness):
    draws = np.random.default_rng(seed)
    logits = draws.normal(size=(60, 3))
    codes = np.array([draws.choice(3, p=np.exp(row)) for row in log_softmax(logits, axis=1)])
    weight = draws.integers(1, 4, 60).astype(float)

    def log_loss(log_beta):
        return -weight @ log_softmax(np.exp(log_beta) * logits * sharpness, axis=1)[np.arange(60), codes]

    beta = fit_temperature(logits * sharpness, codes, weight)
    assert_allclose(np.exp(minimize(log_loss, 0.0, method="Nelder-Mead", tol=1e-12).x), beta, rtol=1e-5)
    theirs = _TemperatureScaling().fit(logits * sharpness, codes, weight)
    assert_allclose(beta, theirs.beta_, rtol=1e-5)


def test_hopeless_scores_get_the_hottest_temperature():
    assert fit_temperature(np.array([[1.0, -1.0]]), np.array([1])) < 1e-4
    assert fit_temperature(np.array([[1.0, -1.0]]), np.array([0])) > 10  # from there on it is certain to rounding
