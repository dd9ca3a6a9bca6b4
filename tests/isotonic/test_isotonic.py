"""Curves that never fall against scikit-learn's, against a quadratic program, and at their edges."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.isotonic
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

import learnable
from learnable.isotonic import IsotonicRegression, check_increasing, isotonic_regression

NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=40)


def noisy(rows=200, seed=0, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 30, rows).astype(float) if ties else rng.uniform(0, 5, rows)
    return x, np.log1p(x) + 0.4 * rng.standard_normal(rows), rng.uniform(0.1, 3, rows)


@given(NUMBERS, st.booleans())
def test_the_sequence_is_the_max_min_of_block_means(numbers, increasing):
    """f_i = max over j <= i of min over k >= i of the mean of y_j..y_k, by definition and slowly."""
    y = np.array(numbers, dtype=float)
    up = y if increasing else -y
    slow = [max(min(up[j : k + 1].mean() for k in range(i, len(y))) for j in range(i + 1)) for i in range(len(y))]
    assert_allclose(isotonic_regression(y, increasing=increasing), slow if increasing else -np.array(slow), atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"increasing": False}, {"y_min": 0.2, "y_max": 1.0}])
def test_sequences_are_those_of_scikit_learn(options):
    _, y, weight = noisy()
    for weights in (None, weight):
        ours = isotonic_regression(y, sample_weight=weights, **options)
        assert_allclose(ours, sklearn.isotonic.isotonic_regression(y, sample_weight=weights, **options), rtol=1e-12)
    assert isotonic_regression(y.astype(np.float32)).dtype == np.float32


def test_no_rising_sequence_is_nearer():
    _, y, weight = noisy(25, 3)
    ours = isotonic_regression(y, sample_weight=weight)
    rises = [{"type": "ineq", "fun": lambda f: np.diff(f), "jac": lambda f: np.diff(np.eye(25), axis=0)}]
    found = minimize(lambda f: weight @ (y - f) ** 2, np.sort(y), jac=lambda f: 2 * weight * (f - y),
                     method="SLSQP", constraints=rises, options={"ftol": 1e-14, "maxiter": 500})  # fmt: skip
    assert weight @ (y - ours) ** 2 <= found.fun + 1e-9 and (np.diff(ours) >= 0).all()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"increasing": False}, {"increasing": "auto"}, {"y_min": 0.3}, {"y_max": 1.2}, {"out_of_bounds": "clip"}],
)
def test_the_curve_is_that_of_scikit_learn(options, ties):
    x, y, weight = noisy(ties=ties)
    new = np.linspace(-1, 31 if ties else 6, 57)
    for weights in (None, weight):
        ours, theirs = (
            cls(**options).fit(x, y, weights) for cls in (IsotonicRegression, sklearn.isotonic.IsotonicRegression)
        )
        assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-10)
        assert_allclose(ours.X_thresholds_, theirs.X_thresholds_)
        assert_allclose(ours.y_thresholds_, theirs.y_thresholds_, rtol=1e-10)
        assert (ours.X_min_, ours.X_max_, ours.increasing_) == (theirs.X_min_, theirs.X_max_, theirs.increasing_)
        assert_allclose(ours.f_(x), theirs.f_(x), rtol=1e-10)
    assert ours.certificate_.holds and ours.trace_.stopped == "exact"
    assert_allclose(ours.trace_["objective"][-1], weight @ (y - ours.predict(x)) ** 2)


def test_columns_in_every_form():
    x, y, _ = noisy(50)
    plain = IsotonicRegression().fit(x, y)
    for form in (x[:, None], pd.DataFrame({"x": x}), pd.Series(x), x.tolist()):
        assert_allclose(IsotonicRegression().fit(form, y).predict(form), plain.predict(x))
    assert_allclose(IsotonicRegression().fit_transform(x, y), plain.predict(x))
    assert plain.get_feature_names_out().tolist() == ["isotonicregression0"]
    frame = IsotonicRegression().set_output(transform="pandas").fit(x, y).transform(x)
    assert frame.columns.tolist() == ["isotonicregression0"] and frame.shape == (50, 1)
    with pytest.raises(learnable.DataError, match="2d array with 1 feature; got 2"):
        IsotonicRegression().fit(np.ones((4, 2)), np.ones(4))


def test_weights_are_copies_and_rows_of_weight_zero_are_absent():
    x, y, _ = noisy(60, ties=True)
    weight = np.random.default_rng(1).integers(0, 4, 60)
    copies = np.repeat(np.arange(60), weight)
    weighted, copied = IsotonicRegression().fit(x, y, weight), IsotonicRegression().fit(x[copies], y[copies])
    assert_allclose(weighted.y_thresholds_, copied.y_thresholds_)
    assert_array_equal(weighted.X_thresholds_, copied.X_thresholds_)


def test_rows_outside():
    model = IsotonicRegression(out_of_bounds="raise").fit([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"x = 9 is outside of the training rows, 1 to 3"):
        model.predict([2.0, 9.0])
    assert model.predict([1.0, 3.0]).tolist() == [1.0, 3.0]
    assert IsotonicRegression().fit([5.0], [2.0]).predict([7.0]).tolist() == [2.0], "one row decides everything"
    with pytest.raises(ValueError, match="y_min must be at most y_max"):
        IsotonicRegression(y_min=2.0, y_max=1.0).fit([1.0, 2.0], [1.0, 2.0])


def test_the_direction_and_its_uncertainty():
    x = np.arange(20.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_increasing(x, x**3) is True and check_increasing(x, -x) is False
        assert check_increasing([1.0, 1.0], [2.0, 3.0]), "no correlation counts as rising"
    with pytest.warns(UserWarning, match="not certain"):
        check_increasing(x, np.sin(5 * x))
    rng = np.random.default_rng(0)
    for _ in range(10):
        a, b = rng.integers(0, 5, (2, 30))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert check_increasing(a, b) == sklearn.isotonic.check_increasing(a, b)
    with pytest.raises(learnable.DataError, match="one length"):
        check_increasing([1.0], [1.0, 2.0])


def test_what_is_not_a_sequence_is_refused():
    with pytest.raises(learnable.DataError, match="finite"):
        isotonic_regression([1.0, np.nan])
    with pytest.raises(learnable.DataError, match="above 0"):
        isotonic_regression([1.0, 2.0], sample_weight=[1.0, 0.0])
