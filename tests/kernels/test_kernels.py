"""What follows from kernels alone, against images that are written out."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from learnable.core.errors import DataError, ParameterError
from learnable.kernels import (
    Cosine,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Sigmoid,
    centre_gram,
    combination_norm,
    distances_to_mean,
    empirical_features,
    feature_angles,
    feature_distances,
    feature_norms,
    gaussian_map,
    gram,
    is_positive_semidefinite,
    mean_norm,
    polynomial_map,
    polynomial_map_size,
    project_on_span,
    spread_around_mean,
)
from learnable.preprocessing import KernelCenterer

tables = arrays(np.float64, (6, 3), elements=st.floats(-3, 3).map(lambda value: round(value, 2)))


def images(X):
    """Rows and their images under (x'z + 0.5)^2, written out."""
    return polynomial_map(X, 2, coef0=0.5), gram(X, Polynomial.quadratic(0.5))


@given(tables, st.integers(1, 4), st.floats(0.1, 2), st.sampled_from([0.0, 0.3, 1.0]))
def test_products_of_polynomial_images_are_the_kernel(X, degree, gamma, coef0):
    Z = polynomial_map(X, degree, gamma=gamma, coef0=coef0)
    K = gram(X, Polynomial(degree, gamma, coef0))
    assert_allclose(Z @ Z.T, K, atol=1e-9 * np.abs(K).max() + 1e-12)
    homogeneous = comb(3 + degree - 1, degree)
    assert Z.shape[1] == (polynomial_map_size(3, degree) if coef0 > 0 else homogeneous)


def test_sizes_of_polynomial_images():  # W-17; one column has degree + 1 powers, not n + 1
    sizes = {(1, 1): 2, (2, 2): 6, (2, 3): 10, (10, 3): 286, (784, 2): 308505, (1, 5): 6}
    assert {given_: polynomial_map_size(*given_) for given_ in sizes} == sizes


def test_the_gaussian_image_of_one_column():  # W-18: with sqrt(2^k / k!), which the text lacks
    left, right = gaussian_map([[0.7], [-0.4]], gamma=1.0, terms=25)
    assert_allclose(left @ right, np.exp(-(1.1**2)), rtol=1e-12)
    assert round(float(left @ right), 5) == 0.29820
    far = [gaussian_map([[1.5], [-1.5]], terms=terms) for terms in (4, 12, 40)]
    errors = [abs(float(rows[0] @ rows[1]) - np.exp(-9)) for rows in far]
    assert errors[0] > errors[1] > errors[2] and errors[2] < 1e-12
    with pytest.raises(DataError, match="one column"):
        gaussian_map([[1.0, 2.0]])


@given(tables)
def test_lengths_distances_and_angles_of_images(X):
    Z, K = images(X)
    size = np.abs(K).max()
    assert_allclose(feature_norms(K), np.linalg.norm(Z, axis=1), rtol=1e-9)
    # Cauchy and Schwarz; the shift of 0.5 keeps every length above zero
    assert (np.abs(K) / np.sqrt(np.outer(np.diag(K), np.diag(K))) <= 1 + 1e-9).all()
    distances = np.linalg.norm(Z[:, None] - Z, axis=2)
    assert_allclose(feature_distances(K), distances, atol=1e-7 * np.sqrt(size))
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    assert_allclose(np.cos(feature_angles(K)), np.clip(unit @ unit.T, -1, 1), atol=1e-9)
    a = np.arange(6) - 2.5
    assert_allclose(combination_norm(K, a), np.linalg.norm(a @ Z), rtol=1e-6, atol=1e-6 * np.sqrt(size))


@given(tables)
def test_the_mean_of_images(X):
    Z, K = images(X)
    root = np.sqrt(np.abs(K).max())
    centre = Z.mean(axis=0)
    assert_allclose(mean_norm(K), np.linalg.norm(centre), rtol=1e-9)
    assert_allclose(distances_to_mean(K), np.linalg.norm(Z - centre, axis=1), atol=1e-6 * root)
    assert_allclose(spread_around_mean(K), ((Z - centre) ** 2).sum(axis=1).mean(), atol=1e-9 * root**2)
    assert_allclose(centre_gram(K), (Z - centre) @ (Z - centre).T, atol=1e-9 * root**2)


def test_centring_new_rows_is_that_of_the_transformer():
    draws = np.random.default_rng(0)
    X, new = draws.normal(size=(12, 3)), draws.normal(size=(5, 3))
    K, K_new = gram(X, "rbf"), gram(new, "rbf", X)
    assert_allclose(centre_gram(K, K_new), KernelCenterer().fit(K).transform(K_new), atol=1e-14)
    linear = centre_gram(X @ X.T, new @ X.T)  # the same as centring the rows
    assert_allclose(linear, (new - X.mean(axis=0)) @ (X - X.mean(axis=0)).T, atol=1e-12)


def test_projection_on_the_span_of_samples():
    draws = np.random.default_rng(1)
    X, new = draws.normal(size=(8, 20)), draws.normal(size=(3, 20))
    K, q = X @ X.T, new @ X.T
    found = project_on_span(K, q)
    best = np.linalg.lstsq(X.T, new.T, rcond=None)[0].T
    assert_allclose(found, best, rtol=1e-9)
    assert_allclose(project_on_span(K, q[0], ridge=0.7), np.linalg.solve(K + 0.7 * np.eye(8), q[0]), rtol=1e-9)
    twice = np.vstack([X, X])  # singular: the shortest of the best
    both = project_on_span(twice @ twice.T, new @ twice.T)
    assert_allclose(both, np.hstack([best, best]) / 2, rtol=1e-7)


@given(tables)
def test_empirical_images_give_the_matrix_back(X):
    K = gram(X, Gaussian(0.5) + Linear())
    Z = empirical_features(K)
    assert_allclose(Z @ Z.T, K, atol=1e-9 * np.abs(K).max())
    assert Z.shape[1] <= 6


def test_kernels_add_up_as_numbers_do():
    several = [Gaussian(1.0), Linear(), Cosine()]
    assert sum(several) == Gaussian(1.0) + Linear() + Cosine()
    for nothing in (1, 0.5, "", None):
        with pytest.raises(TypeError):
            nothing + Linear()


def test_what_holds_inner_products_and_what_does_not():
    X = np.random.default_rng(2).normal(size=(20, 2)) * 2
    assert is_positive_semidefinite(gram(X, Gaussian(1.0) * Cosine()))
    assert not is_positive_semidefinite(gram(X, Sigmoid(1.0, -1.0)))
    assert not is_positive_semidefinite([[1.0, 0.5], [0.0, 1.0]])
    assert is_positive_semidefinite([[1.0, 1.1], [1.1, 1.0]], tolerance=0.2)
    with pytest.raises(DataError, match="negative eigenvalue"):
        empirical_features([[0.0, 1.0], [1.0, 0.0]])


def test_strings_have_kernels_too():
    def shared_pairs(left, right):
        pairs = [[text[i : i + 2] for i in range(len(text) - 1)] for text in (left, right)]
        return sum(pairs[0].count(pair) * pairs[1].count(pair) for pair in set(pairs[0]))

    K = gram(["banana", "bandana", "cat"], shared_pairs)
    assert K.tolist() == [[9, 7, 0], [7, 8, 0], [0, 0, 2]] and is_positive_semidefinite(K)


def test_wrong_tables_are_refused():
    with pytest.raises(DataError, match="square"):
        feature_norms([[1.0, 2.0]])
    with pytest.raises(DataError, match="columns"):
        gram([[1.0]], "rbf", [[1.0, 2.0]])
    with pytest.raises(DataError, match="one number for each"):
        combination_norm(np.eye(2), [1.0])
    with pytest.raises(DataError, match="column for each"):
        centre_gram(np.eye(2), [[1.0]])
    with pytest.raises(DataError, match="one number for each"):
        project_on_span(np.eye(2), [1.0])
    with pytest.raises(ParameterError, match="degree must be int, at least 0"):
        polynomial_map([[1.0]], 1.5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Polynomial.scaled(2, 0), "Polynomial: width must be a finite number above 0"),
        (lambda: Polynomial(-1), "degree must be a finite number, at least 0; got -1"),
        (lambda: Gaussian(-1.0), "Gaussian: gamma must be a finite number, at least 0"),
        (lambda: Gaussian(float("nan")), "gamma must be"),
        (lambda: Gaussian.of_width(0), "width must be"),
        (lambda: Laplacian("a"), "Laplacian: gamma must be"),
        (lambda: Sigmoid(form="relu"), 'form must be "tanh" or "logistic"'),
        (lambda: gram([[1.0]], "rbf", gamma="wide"), 'gamma must be float, "scale", "auto" or None'),
        (lambda: project_on_span([[1.0]], [1.0], ridge=-1.0), "ridge must be at least 0"),
        (lambda: polynomial_map_size(2, -1), "degree must be at least 0"),
        (lambda: gaussian_map([[1.0]], gamma=-1.0), "gamma must be at least 0"),
        (lambda: gaussian_map([[1.0]], terms=0), "terms must be at least 1"),
    ],
)
def test_numbers_that_make_no_kernel_are_refused(wrong, words):
    with pytest.raises(ParameterError, match=words):
        wrong()


def test_kernels_add_to_kernels_only():
    with pytest.raises(TypeError, match="unsupported operand"):
        Linear() + 3
    with pytest.raises(TypeError):
        Linear() * "a"
