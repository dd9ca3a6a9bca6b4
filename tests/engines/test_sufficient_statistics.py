import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from learnable.engines.sufficient_statistics import Marginals, Moments, all_but_each


def naive(X, y, weight, centre):
    mean_x, mean_y = (
        (np.average(X, axis=0, weights=weight), np.average(y, axis=0, weights=weight)) if centre else (0.0, 0.0)
    )
    A, b = X - mean_x, y - mean_y
    return A.T @ (A * weight[:, None]), A.T @ (b * weight[:, None]), (weight[:, None] * b**2).sum(axis=0)


def drawn(seed, n=40, p=4, t=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 5, rng.normal(size=(n, t)), rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_moments_equal_the_definition(form, centre):
    X, y, weight = drawn(0)
    moments = Moments.of(form(X), y, weight, centre)
    for ours, theirs in zip((moments.gram, moments.cross, moments.spread), naive(X, y, weight, centre), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_columns_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 3))
    y = rng.normal(size=(1000, 1))
    near, far = Moments.of(X, y), Moments.of(X + 2.0**26, y)  # adding a power of two keeps 26 bits of every entry
    shifted = (X + 2.0**26) - 2.0**26
    np.testing.assert_allclose(far.gram, Moments.of(shifted, y).gram, rtol=1e-12)
    np.testing.assert_allclose(far.gram, near.gram, rtol=1e-6)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_full_columns_far_from_zero_keep_their_digits_among_sparse_ones(form):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 20)) * (rng.random((200, 20)) < 0.05)
    X[:, 3], X[:, 7] = rng.normal(size=200) + 2.0**26, 0.1
    y, weight = rng.normal(size=(200, 1)), rng.uniform(0.5, 2, 200)
    ours, requested = Moments.of(form(X), y, weight), Moments.of(X, y, weight)
    np.testing.assert_allclose(ours.gram, requested.gram, atol=1e-11)
    np.testing.assert_allclose(ours.cross, requested.cross, atol=1e-11)
    np.testing.assert_allclose(ours.mean_x, requested.mean_x, rtol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 39))
@settings(max_examples=30, deadline=None)
def test_parts_add_up_and_can_be_taken_away(seed, cut):
    X, y, weight = drawn(seed)
    weight = weight + 0.5
    whole = Moments.of(X, y, weight)
    first, second = Moments.of(X[:cut], y[:cut], weight[:cut]), Moments.of(X[cut:], y[cut:], weight[cut:])
    for together in (first + second, second + first):
        np.testing.assert_allclose(together.gram, whole.gram, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(together.cross, whole.cross, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(together.spread, whole.spread, rtol=1e-10)
    left = whole - second
    np.testing.assert_allclose(left.mean_x, first.mean_x, rtol=1e-9)
    np.testing.assert_allclose(left.gram, first.gram, rtol=1e-7, atol=1e-8)


def test_centre_agrees_with_moments():
    X, y, weight = drawn(3)
    middle, moments = Marginals.of(X, y, weight), Moments.of(X, y, weight)
    np.testing.assert_allclose(middle.squares, moments.marginals().squares, rtol=1e-10)
    np.testing.assert_allclose(middle.mean_x, moments.mean_x)
    np.testing.assert_allclose(middle.spread, moments.spread)


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_the_moments_of_all_other_parts_keep_the_digits_of_small_rows(folds):
    rng = np.random.default_rng(0)
    X, y, parts = rng.normal(size=(60, 4)), rng.normal(size=60), np.array_split(np.arange(60), folds)
    X[parts[0]] *= 1e8
    found = all_but_each([Moments.of(X[part], y[part]) for part in parts])
    for part, rest in zip(parts, found, strict=True):
        expected = Moments.of(np.delete(X, part, axis=0), np.delete(y, part))
        np.testing.assert_allclose(rest.gram, expected.gram, rtol=1e-12, atol=1e-12 * expected.gram.max())
        np.testing.assert_allclose(rest.cross, expected.cross, rtol=1e-12, atol=1e-12 * np.abs(expected.cross).max())
