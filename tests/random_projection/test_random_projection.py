"""Random projections: scikit-learn's directions, kept distances, the bound."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist
from sklearn import random_projection as theirs

from learnable import random_projection
from learnable.core import DataError, ParameterError
from learnable.random_projection import (
    GaussianRandomProjection,
    SparseRandomProjection,
    johnson_lindenstrauss_min_dim,
)


@pytest.mark.parametrize("eps", [0.05, 0.1, 0.5, 0.999])
def test_the_bound_is_that_of_scikit_learn(eps):
    rows = [1, 10, 1e6]
    np.testing.assert_array_equal(
        johnson_lindenstrauss_min_dim(rows, eps=eps), theirs.johnson_lindenstrauss_min_dim(rows, eps=eps)
    )


def test_bounds_that_there_are_not():
    for bad in (0.0, 1.0, [0.5, 1.5]):
        with pytest.raises(ParameterError, match="eps"):
            johnson_lindenstrauss_min_dim(10, eps=bad)
    with pytest.raises(ParameterError, match="n_samples"):
        johnson_lindenstrauss_min_dim(0)


def test_gaussian_directions_are_those_of_scikit_learn():
    X = np.random.default_rng(0).standard_normal((30, 50))
    ours, scikit = (module.GaussianRandomProjection(7, random_state=3).fit(X) for module in (random_projection, theirs))
    np.testing.assert_array_equal(ours.components_, scikit.components_)
    np.testing.assert_allclose(ours.transform(X), scikit.transform(X), rtol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), scikit.inverse_transform(scikit.transform(X)))


@pytest.mark.parametrize("kind", [GaussianRandomProjection, SparseRandomProjection])
def test_distances_are_kept(kind):
    X = np.random.default_rng(1).standard_normal((60, 3000))
    model = kind(eps=0.5, random_state=0).fit(X)
    assert model.n_components_ == johnson_lindenstrauss_min_dim(60, eps=0.5)
    ratio = pdist(model.transform(X)) ** 2 / pdist(X) ** 2
    assert 0.5 < ratio.min() < ratio.max() < 1.5
    assert model.inverse_transform(model.transform(X)).shape == X.shape


def test_sparse_directions_have_the_density_and_the_size():
    X = np.zeros((5, 4000))
    model = SparseRandomProjection(200, random_state=0).fit(X)
    assert model.density_ == pytest.approx(1 / np.sqrt(4000))
    assert model.components_.nnz / (200 * 4000) == pytest.approx(model.density_, rel=0.05)
    size = 1 / np.sqrt(model.density_ * 200)
    assert set(np.round(np.unique(model.components_.data) / size, 12)) == {-1.0, 1.0}
    assert abs(np.sign(model.components_.data).mean()) < 0.05


def test_sparse_rows_stay_sparse_unless_dense_output():
    X = np.eye(20, 300)
    sparse = SparseRandomProjection(10, random_state=0).fit(csr_array(X))
    dense = SparseRandomProjection(10, dense_output=True, random_state=0).fit(csr_array(X))
    found = sparse.transform(csr_array(X))
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), dense.transform(csr_array(X)))
    np.testing.assert_allclose(found.toarray(), sparse.transform(X), rtol=1e-14)


def test_what_cannot_be_reduced_is_named():
    with pytest.raises(DataError, match="larger than the original space"):
        GaussianRandomProjection(eps=0.1).fit(np.ones((100, 10)))
    with pytest.raises(DataError, match="invalid"):
        GaussianRandomProjection().fit(np.ones((1, 10)))
    with pytest.warns(UserWarning, match="higher than the number of features"):
        GaussianRandomProjection(20).fit(np.ones((5, 10)))
