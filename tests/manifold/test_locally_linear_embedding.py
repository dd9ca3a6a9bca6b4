"""Locally linear embedding: scikit-learn up to sign, brute force, surfaces that each method recovers."""

import numpy as np
import pytest
from sklearn import manifold as theirs

from learnable.core import DataError, ParameterError
from learnable.datasets import make_swiss_roll
from learnable.manifold import LocallyLinearEmbedding, locally_linear_embedding

METHODS = ("standard", "modified", "hessian", "ltsa")


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(500, random_state=0)


@pytest.mark.parametrize(
    ("method", "k"),
    [("standard", 12), ("modified", 12), ("ltsa", 12), ("hessian", 6), ("standard", 7), ("modified", 6)],
)
@pytest.mark.parametrize("rows", [200, 500])
def test_coordinates_are_those_of_scikit_learn(roll, method, k, rows):
    """Of Hessian embedding with six neighbours: scikit-learn's takes all directions off the affine ones, not those of
    the Hessian alone, and with more neighbours gives the result of ltsa."""
    X = roll[0][:rows]
    ours = LocallyLinearEmbedding(n_neighbors=k, method=method, random_state=0).fit(X)
    scikit = theirs.LocallyLinearEmbedding(n_neighbors=k, method=method, random_state=0, eigen_solver="dense").fit(X)
    aligned = np.linalg.svd(ours.embedding_.T @ scikit.embedding_, compute_uv=False)
    np.testing.assert_allclose(aligned, 1.0, rtol=1e-4)
    assert ours.reconstruction_error_ == pytest.approx(scikit.reconstruction_error_, rel=1e-4, abs=1e-10)
    new = X[:20] + 0.1
    turned = ours.embedding_.T @ scikit.embedding_
    np.testing.assert_allclose(ours.transform(new) @ turned, scikit.transform(new), atol=1e-4)


def test_hessians_by_their_definition(roll):
    X, k = roll[0][:120], 10
    model = LocallyLinearEmbedding(n_neighbors=k, method="hessian", random_state=0).fit(X)
    M = np.zeros((120, 120))
    for near in model.nbrs_.kneighbors(return_distance=False):
        u, v = np.linalg.svd(X[near] - X[near].mean(axis=0))[0][:, :2].T
        Q = np.linalg.qr(np.column_stack([np.ones(k), u, v, u * u, u * v, v * v]))[0][:, 3:]
        M[np.ix_(near, near)] += Q @ Q.T
    values = np.linalg.eigvalsh(M)
    np.testing.assert_allclose(model.eigenvalues_, values[1:3], rtol=1e-8)
    np.testing.assert_allclose(M @ model.embedding_, model.embedding_ * model.eigenvalues_, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_the_swiss_roll_is_unrolled(method):
    X, arc = make_swiss_roll(1500, random_state=0)
    Y = LocallyLinearEmbedding(n_neighbors=12, method=method, random_state=0).fit_transform(X)
    assert np.abs(np.corrcoef(Y.T, arc)[:2, 2]).max() > 0.98


@pytest.mark.parametrize("method", ["hessian", "ltsa", "modified"])
def test_a_flat_surface_is_recovered_up_to_an_affine_map(method):
    rng = np.random.default_rng(0)
    plane = rng.uniform(size=(400, 2))
    X = plane @ rng.standard_normal((2, 5))
    Y = LocallyLinearEmbedding(n_neighbors=10, method=method, reg=1e-9, random_state=0).fit_transform(X)
    fitted = np.column_stack([plane, np.ones(400)])
    rest = Y - fitted @ np.linalg.lstsq(fitted, Y, rcond=None)[0]
    assert np.linalg.norm(rest) < 1e-5 * np.linalg.norm(Y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [150, 400])
def test_coordinates_are_orthonormal_and_centred(roll, method, rows):
    model = LocallyLinearEmbedding(n_neighbors=10, method=method, random_state=0).fit(roll[0][:rows])
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(2), atol=1e-8)
    np.testing.assert_allclose(model.embedding_.sum(axis=0), 0, atol=1e-8)
    assert model.certificate_.holds


def test_separate_components_get_separate_values():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(size=(200, 2)), 100 + rng.uniform(size=(200, 2))])
    Y = LocallyLinearEmbedding(n_neighbors=8, n_components=1, random_state=0).fit_transform(X).ravel()
    assert np.ptp(Y[:200]) < 1e-3 * abs(Y[0] - Y[-1]) > np.ptp(Y[200:])


def test_the_function_returns_coordinates_and_error(roll):
    Y, error = locally_linear_embedding(roll[0], n_neighbors=10, n_components=2, random_state=0)
    model = LocallyLinearEmbedding(n_neighbors=10, random_state=0).fit(roll[0])
    np.testing.assert_array_equal(Y, model.embedding_)
    assert error == model.reconstruction_error_
    np.testing.assert_array_equal(model.transform(roll[0]), Y)


def test_what_cannot_be_is_refused(roll):
    X = roll[0]
    with pytest.raises(ParameterError, match="output dimension must be less than or equal to input dimension"):
        LocallyLinearEmbedding(n_components=4).fit(X)
    with pytest.raises(ParameterError, match="needs n_neighbors >= 6; there are 5"):
        LocallyLinearEmbedding(method="hessian").fit(X)
    with pytest.raises(ParameterError, match="needs n_neighbors >= 2; there are 1"):
        LocallyLinearEmbedding(n_neighbors=1, method="modified").fit(X)
    with pytest.raises(DataError, match="raise reg"):
        LocallyLinearEmbedding(reg=0.0, n_neighbors=3, n_components=1).fit(np.arange(8.0)[:, None])
