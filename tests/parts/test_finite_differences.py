"""The identities of matrix calculus, checked by differences, and what linear means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.parts import losses
from learnable.parts.finite_differences import is_linear, numeric_derivative, numeric_gradient

RNG = np.random.default_rng(0)
X, w, y = RNG.normal(size=(4, 3)), RNG.normal(size=4), RNG.normal(size=3)
SQUARE, v = RNG.normal(size=(4, 4)), RNG.normal(size=3)


@pytest.mark.parametrize(
    ("function", "point", "derivative"),
    [
        (lambda w: X.T @ w, w, X),
        (lambda v: np.atleast_1d(w @ X @ v), v, (X.T @ w)[:, None]),
        (lambda w: np.atleast_1d(w @ SQUARE @ w), w, ((SQUARE + SQUARE.T) @ w)[:, None]),
        (lambda w: np.atleast_1d(w @ w), w, 2 * w[:, None]),
        (lambda v: np.atleast_1d((X @ v - w) @ (X @ v - w)), v, 2 * (X.T @ (X @ v - w))[:, None]),
    ],
    ids=["X'w", "y'Xw", "w'Xw", "w'w", "|Xw - y|^2"],
)
def test_identities_in_both_layouts(function, point, derivative):
    np.testing.assert_allclose(numeric_derivative(function, point), derivative, atol=1e-9)
    np.testing.assert_allclose(numeric_derivative(function, point, "numerator"), derivative.T, atol=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10**6), st.floats(-3, 3))
def test_smooth_functions_are_differentiated_to_nine_digits(seed, shift):
    x = np.random.default_rng(seed).normal(size=4) + shift
    gradient = numeric_gradient(lambda x: float(np.exp(np.sin(x)).sum() + x[0] * x[1]), x)
    expected = np.cos(x) * np.exp(np.sin(x))
    expected[:2] += x[1::-1]
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-9)


def test_a_matrix_has_a_gradient_of_its_shape():
    gradient = numeric_gradient(lambda A: float(np.trace(A @ A.T)), X)
    np.testing.assert_allclose(gradient, 2 * X, atol=1e-9)


def test_large_and_small_points():
    for scale in (1e-8, 1e8):
        x = scale * np.array([1.0, -2.0])
        np.testing.assert_allclose(numeric_gradient(lambda x: float(x @ x), x), 2 * x, rtol=1e-7, atol=1e-9)


def test_the_gradient_of_a_linear_model_is_the_transposed_product_with_the_loss_gradient():
    loss = losses.LogCosh()
    gradient = numeric_gradient(lambda v: float(loss.value(w, X @ v).sum()), v)
    np.testing.assert_allclose(gradient, X.T @ loss.gradient(w, X @ v), atol=1e-9)


@pytest.mark.parametrize(
    ("function", "linear"),
    [
        (lambda x: X @ x, True),
        (lambda x: np.zeros(2), True),
        (lambda x: float(x.sum()), True),
        (lambda x: X @ x + 1, False),
        (lambda x: np.abs(x), False),
        (lambda x: x * x, False),
        (lambda x: np.linalg.norm(x) * x[:1] / (1 + np.linalg.norm(x)), False),
        (lambda x: np.maximum(x, 0) + np.minimum(x, 0), True),
    ],
)
def test_linear_means_homogeneous_and_additive(function, linear):
    assert is_linear(function, 3) is linear
