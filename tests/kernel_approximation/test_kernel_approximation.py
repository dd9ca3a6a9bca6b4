"""Approximate images: the same draws as scikit-learn's, and inner products that near the kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn import kernel_approximation as theirs

from learnable import kernel_approximation as ours
from learnable.core.errors import DataError, ParameterError
from learnable.kernels import Custom, Gaussian, Laplacian, gram

X = np.random.default_rng(0).exponential(size=(40, 5)) * (np.random.default_rng(1).random((40, 5)) > 0.3)
NEW = np.random.default_rng(2).exponential(size=(15, 5))
PAIRS = [
    ("Nystroem", {"n_components": 12, "random_state": 3}),
    ("Nystroem", {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 0.1, "n_components": 9, "random_state": 3}),
    ("Nystroem", {"kernel": "chi2", "n_components": 9, "random_state": 3}),
    ("RBFSampler", {"gamma": 0.3, "n_components": 30, "random_state": 4}),
    ("RBFSampler", {"gamma": "scale", "random_state": 4}),
    ("SkewedChi2Sampler", {"skewedness": 0.5, "n_components": 20, "random_state": 5}),
    ("PolynomialCountSketch", {"degree": 3, "coef0": 0.5, "gamma": 0.2, "n_components": 25, "random_state": 6}),
    ("PolynomialCountSketch", {"n_components": 24, "random_state": 6}),
    ("AdditiveChi2Sampler", {}),
    ("AdditiveChi2Sampler", {"sample_steps": 4, "sample_interval": 0.3}),
]


@pytest.mark.parametrize(("name", "options"), PAIRS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(PAIRS)])
def test_the_columns_are_those_of_scikit_learn(name, options):
    mine, peer = getattr(ours, name)(**options), getattr(theirs, name)(**options)
    assert_allclose(mine.fit(X).transform(NEW), peer.fit(X).transform(NEW), rtol=1e-8, atol=1e-9)
    names = list(peer.get_feature_names_out())
    assert sorted(mine.get_feature_names_out()) == sorted(names)
    if name != "SkewedChi2Sampler":
        sparse = mine.fit(csr_array(X)).transform(csr_array(NEW))
        dense = sparse.toarray() if hasattr(sparse, "toarray") else sparse
        assert_allclose(dense, mine.fit(X).transform(NEW), rtol=1e-8, atol=1e-9)


def test_columns_come_in_the_order_of_their_names():
    mine, peer = ours.AdditiveChi2Sampler(sample_steps=3), theirs.AdditiveChi2Sampler(sample_steps=3)
    assert_allclose(mine.fit_transform(X), peer.fit_transform(X), atol=1e-12)


def test_all_rows_make_nystroem_exact():
    for kernel in (Gaussian(0.4), Laplacian(0.2) + Gaussian(0.1)):
        with pytest.warns(UserWarning, match="all rows are taken"):
            Z = ours.Nystroem(kernel, n_components=100, random_state=0).fit_transform(X)
        assert_allclose(Z @ Z.T, kernel(X), atol=1e-5)


def test_more_waves_come_nearer():
    K = gram(X, Gaussian(0.3))
    errors = []
    for count in (50, 5000):
        Z = ours.RBFSampler(gamma=0.3, n_components=count, random_state=0).fit_transform(X)
        errors.append(np.abs(Z @ Z.T - K).mean())
    assert errors[1] < 0.02 < errors[0]


def test_more_components_come_nearer():
    K = (0.5 * X @ X.T + 1) ** 2
    errors = []
    for count in (20, 5000):
        sketch = ours.PolynomialCountSketch(gamma=0.5, coef0=1.0, n_components=count, random_state=0)
        Z = sketch.fit_transform(X)
        errors.append(np.abs(Z @ Z.T - K).mean() / K.mean())
    assert errors[1] < 0.03 < errors[0]


def test_functions_and_matrices_serve_as_kernels():
    function = ours.Nystroem(lambda x, z: float(np.exp(-((x - z) ** 2).sum())), n_components=10, random_state=1).fit(X)
    by_name = ours.Nystroem(gamma=1.0, n_components=10, random_state=1).fit(X)
    assert_allclose(function.transform(NEW), by_name.transform(NEW), rtol=1e-9, atol=1e-12)
    for of in (np.asarray, csr_array):
        given = ours.Nystroem("precomputed", n_components=10, random_state=1).fit(of(Gaussian(1.0)(X)))
        assert_allclose(given.transform(of(Gaussian(1.0)(NEW, X))), by_name.transform(NEW), rtol=1e-9, atol=1e-12)
    with pytest.raises(ParameterError, match="square kernel matrix"):
        ours.Nystroem("precomputed", n_components=10).fit(X)
    with pytest.raises(ParameterError, match="belong to named kernels"):
        ours.Nystroem(np.dot, gamma=1.0, n_components=5).fit(X)


def test_histograms_have_no_negative_entries():
    with pytest.raises(DataError, match="Negative values"):
        ours.AdditiveChi2Sampler().fit(-X)
    with pytest.raises(DataError, match="of -skewedness or less"):
        ours.SkewedChi2Sampler().fit(X).transform(-10 * X)
    with pytest.raises(ParameterError, match="sample_interval"):
        ours.AdditiveChi2Sampler(sample_steps=5).fit(X)


def test_sets_have_columns_too():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"x", "z"}, {"a", "x"}]
    overlap = Custom(lambda left, right: len(left & right) / len(left | right))
    approximation = ours.Nystroem(kernel=overlap, n_components=5, random_state=0).fit(sets)
    columns = approximation.transform(sets)
    np.testing.assert_allclose(columns @ columns.T, gram(sets, kernel=overlap), atol=1e-8)
    new = approximation.transform([{"a"}])
    np.testing.assert_allclose(new @ columns.T, overlap([{"a"}], sets), atol=1e-8)
