"""Errors of numbers against scikit-learn, and against what they are defined to be."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as theirs

from learnable import metrics
from learnable.core.errors import DataError, ParameterError

SEVERAL = [
    "mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "median_absolute_error",
    "mean_absolute_percentage_error", "mean_pinball_loss", "explained_variance_score", "r2_score",
    "d2_pinball_score", "d2_absolute_error_score",
]  # fmt: skip
POSITIVE = ["mean_squared_log_error", "root_mean_squared_log_error"]
QUARTERS = st.integers(-20, 20).map(lambda k: k / 4)


@st.composite
def targets(draw, low=-20, columns=(1, 2)):
    n, t = draw(st.integers(2, 12)), draw(st.sampled_from(columns))
    values = st.integers(low, 20).map(lambda k: k / 4)
    shape = n if t == 1 else (n, t)
    weight = draw(st.none() | arrays(float, n, elements=st.integers(0, 3).map(float)).filter(np.any))
    return draw(arrays(float, shape, elements=values)), draw(arrays(float, shape, elements=values)), weight


@pytest.mark.parametrize("name", SEVERAL + POSITIVE)
@pytest.mark.parametrize("multioutput", ["uniform_average", "raw_values"])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_errors_equal_those_of_scikit_learn(name, multioutput, data):
    truth, predicted, weight = data.draw(targets(0 if name in POSITIVE else -20))
    ours, peer = (
        getattr(home, name)(truth, predicted, sample_weight=weight, multioutput=multioutput)
        for home in (metrics, theirs)
    )
    np.testing.assert_allclose(ours, peer, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["r2_score", "explained_variance_score"])
@settings(max_examples=15, deadline=None)
@given(data=targets(columns=(2,)))
def test_averages_by_variance_and_undefined_scores(name, data):
    truth, predicted, weight = data
    for more in ({"multioutput": "variance_weighted"}, {"multioutput": "raw_values", "force_finite": False}):
        with np.errstate(all="ignore"):
            peer = getattr(theirs, name)(truth, predicted, sample_weight=weight, **more)
        ours = getattr(metrics, name)(truth, predicted, sample_weight=weight, **more)
        np.testing.assert_allclose(ours, peer, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("power", [-1.5, 0, 1, 1.3, 2, 3])
@settings(max_examples=20, deadline=None)
@given(data=targets(low=1, columns=(1,)))
def test_deviances_equal_those_of_scikit_learn(power, data):
    truth, predicted, weight = data
    options = {"sample_weight": weight, "power": power}
    ours, peer = (home.mean_tweedie_deviance(truth, predicted, **options) for home in (metrics, theirs))
    assert ours == pytest.approx(peer, rel=1e-9, abs=1e-12)
    counted = truth if weight is None else truth[weight > 0]
    if np.ptp(counted) > 0:
        ours, peer = (home.d2_tweedie_score(truth, predicted, **options) for home in (metrics, theirs))
        assert ours == pytest.approx(peer, rel=1e-8, abs=1e-9)


def test_deviances_of_targets_that_are_zero_or_negative():
    predicted = [0.5, 2.0, 1.0]
    for power, truth in ((-1.5, [-1.0, 0.0, 2.0]), (1, [0, 1, 3]), (1.5, [0, 1, 3])):
        ours, peer = (home.mean_tweedie_deviance(truth, predicted, power=power) for home in (metrics, theirs))
        assert ours == pytest.approx(peer)
    assert metrics.mean_poisson_deviance([0, 2], [1, 2]) == pytest.approx(1.0)
    assert metrics.mean_gamma_deviance([1.0, 2.0], [1.0, 2.0]) == 0


@pytest.mark.parametrize("name", [*SEVERAL, *POSITIVE, "max_error", "mean_fractional_error"])
def test_a_weight_is_a_number_of_copies(name):
    rng = np.random.default_rng(0)
    truth, predicted, copies = rng.uniform(1, 2, 9), rng.uniform(1, 2, 9), rng.integers(0, 4, 9)
    score = getattr(metrics, name)
    repeated = score(truth.repeat(copies), predicted.repeat(copies))
    assert score(truth, predicted, sample_weight=copies) == pytest.approx(repeated)


def test_the_mean_fractional_error():
    """|y - p| / min(y, p), for positive numbers alone."""
    assert metrics.mean_fractional_error([2.0, 1.0], [1.0, 3.0]) == pytest.approx((1 + 2) / 2)
    with pytest.raises(DataError, match="must be positive"):
        metrics.mean_fractional_error([0.0], [1.0])


def test_vectors_have_the_mean_squared_length():
    """MET-01, MET-02: for vectors the mean over targets, or with "sum" the mean squared distance and its root."""
    rng = np.random.default_rng(1)
    truth, predicted = rng.normal(size=(2, 7, 3))
    weight = rng.uniform(0.5, 2, 7)
    by_target = metrics.mean_squared_error(truth, predicted, multioutput="raw_values")
    distance = np.linalg.norm(truth - predicted, axis=1) ** 2
    assert by_target.sum() == pytest.approx(distance.mean())
    for mass in (None, weight):
        expected = np.average(distance, weights=mass)
        squared = metrics.mean_squared_error(truth, predicted, sample_weight=mass, multioutput="sum")
        root = metrics.root_mean_squared_error(truth, predicted, sample_weight=mass, multioutput="sum")
        assert (squared, root) == (pytest.approx(expected), pytest.approx(np.sqrt(expected)))
    one = metrics.mean_squared_error(truth[:, 0], predicted[:, 0], multioutput="sum")
    assert one == pytest.approx(by_target[0])
    with pytest.raises(ParameterError, match="'uniform_average', 'sum' or weights"):
        metrics.root_mean_squared_error(truth, predicted, multioutput="largest")
    with pytest.raises(ParameterError, match="one of 'raw_values', 'uniform_average' or weights"):
        metrics.mean_absolute_error(truth, predicted, multioutput="sum")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.r2_score([1.0, np.nan], [1.0, 2.0]), "r2_score: Input contains NaN: y_true in row 1"),
        (lambda: metrics.r2_score([1.0, 2.0], [1.0]), "the same number of rows"),
        (lambda: metrics.max_error([[1.0, 2.0]], [[1.0, 2.0]]), "Multioutput not supported"),
        (lambda: metrics.mean_squared_error(["a"], [1.0]), "not numbers"),
        (lambda: metrics.mean_squared_error([1.0], [1.0], multioutput="best"), "multioutput must be one of"),
        (lambda: metrics.mean_squared_error([[1, 2]], [[1, 2]], multioutput=[1.0]), "weights for"),
        (lambda: metrics.mean_squared_log_error([-2.0], [1.0]), "must be above -1"),
        (lambda: metrics.mean_gamma_deviance([0.0], [1.0]), "strictly positive y"),
        (lambda: metrics.mean_tweedie_deviance([1.0], [1.0], power=0.5), "at most 0 or at least 1"),
        (lambda: metrics.mean_pinball_loss([1.0], [1.0], alpha=2), "between 0 and 1"),
        (lambda: metrics.mean_absolute_error([1.0], [1.0], sample_weight=[-1.0]), "Negative values"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_one_row_has_no_spread():
    with pytest.warns(UserWarning, match="at least two rows"):
        assert np.isnan(metrics.r2_score([1.0], [2.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.mean_squared_error([1.0], [2.0]) == 1.0


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e170, 1e300])
@pytest.mark.parametrize("name", ["root_mean_squared_error", "explained_variance_score", "r2_score"])
def test_errors_of_enormous_and_tiny_numbers_are_what_they_are(name, scale):
    """Squares overflow, the results do not; a column of usual size beside them is not touched."""
    draws = np.random.default_rng(0)
    truth, predicted, weight = draws.normal(size=(30, 2)), draws.normal(size=(30, 2)), draws.uniform(size=30)
    units = np.array([scale, 1.0])
    usual, far = (
        getattr(metrics, name)(truth * by, predicted * by, sample_weight=weight, multioutput="raw_values")
        for by in (np.ones(2), units)
    )
    np.testing.assert_allclose(far, usual * (units if name.startswith("root") else 1), rtol=1e-12)


def test_the_mean_squared_error_is_infinite_only_where_it_is():
    assert metrics.mean_squared_error([1e300], [0.0]) == np.inf
    assert metrics.mean_squared_error([1e150] * 5, [0.0] * 5) == pytest.approx(1e300)
    assert metrics.mean_squared_error([1.2e154] * 9, [0.0] * 9) == pytest.approx(1.44e308), "their sum is beyond"


@pytest.mark.parametrize("value", [1.1, 0.1, -3.3e200])
@pytest.mark.parametrize("weight", [None, [0.1, 0.2, 0.3, 0.7, 0.9, 1.1, 0.0]])
@pytest.mark.parametrize("name", ["r2_score", "explained_variance_score"])
def test_rounding_gives_a_constant_target_no_spread(name, weight, value):
    """The mean of seven numbers 1.1 is another number; the row of weight zero does not count."""
    truth, predicted = np.full(7, value), np.linspace(1, 2, 7) * value
    truth[6] = value if weight is None else 2 * value
    measure = getattr(metrics, name)
    assert measure(truth, predicted, sample_weight=weight) == 0.0
    assert measure(truth, truth, sample_weight=weight) == 1.0
    assert measure(truth, predicted, sample_weight=weight, force_finite=False) == -np.inf
    assert deviance_share(value, weight) == -np.inf


def deviance_share(value, weight):
    """The share of the deviance of a constant and positive target that wrong predictions explain."""
    truth = np.full(7, abs(value))
    return metrics.d2_tweedie_score(truth, truth * 1.5, sample_weight=weight, power=1)
