"""Kernels of Gaussian processes: values, gradients and interface against scikit-learn's, differences and laws."""

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as theirs

import learnable
import learnable.gaussian_process.kernels as ours
from learnable import ParameterError
from learnable.gaussian_process.kernels._pairs import DiagonalRowPairs, RowPairs

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(25, 3)), RNG.normal(size=(9, 3))
KERNELS = {
    "constant": lambda m: m.ConstantKernel(2.5),
    "white": lambda m: m.WhiteKernel(0.3),
    "rbf": lambda m: m.RBF(1.3),
    "rbf of columns": lambda m: m.RBF([1.3, 0.7, 2.0]),
    "exponential": lambda m: m.Matern(1.3, nu=0.5),
    "matern 1.5": lambda m: m.Matern([1.3, 0.7, 2.0], nu=1.5),
    "matern 2.5": lambda m: m.Matern(0.8, nu=2.5),
    "matern inf": lambda m: m.Matern([1.3, 0.7, 2.0], nu=np.inf),
    "matern 0.8": lambda m: m.Matern([1.3, 0.7, 2.0], nu=0.8),
    "matern 3.3": lambda m: m.Matern(1.1, nu=3.3),
    "rational quadratic": lambda m: m.RationalQuadratic(1.2, 0.4),
    "dot product": lambda m: m.DotProduct(0.6),
    "pairwise rbf": lambda m: m.PairwiseKernel(0.4, metric="rbf"),
    "pairwise laplacian": lambda m: m.PairwiseKernel(0.4, metric="laplacian"),
    "pairwise polynomial": lambda m: m.PairwiseKernel(0.4, metric="polynomial"),
    "pairwise sigmoid": lambda m: m.PairwiseKernel(0.04, metric="sigmoid"),
    "pairwise linear": lambda m: m.PairwiseKernel(0.4, metric="linear"),
    "sum and product": lambda m: (m.RBF(2.0) + 0.5) * m.Matern(1.2, nu=2.5) + m.WhiteKernel(0.2) * 3.0,
    "power": lambda m: (m.DotProduct(0.5) + 1.5) ** 2 + 2.0 * m.RBF([1.0, 2.0, 3.0]),
    "fixed": lambda m: m.RBF(1.0, length_scale_bounds="fixed") * m.ConstantKernel(2.0),
}  # fmt: skip
APPROXIMATE = {"matern 0.8", "matern 3.3"} | {name for name in KERNELS if name.startswith("pairwise")}
NOT_DEFINITE = {"pairwise sigmoid"}


@pytest.mark.parametrize("name", KERNELS)
def test_values_and_interface_are_those_of_scikit_learn(name):
    one, other = KERNELS[name](ours), KERNELS[name](theirs)
    np.testing.assert_allclose(one(X), other(X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(one(X, Z), other(X, Z), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(one.diag(X), other.diag(X), rtol=1e-12)
    np.testing.assert_array_equal(one.theta, other.theta)
    np.testing.assert_array_equal(one.bounds, other.bounds)
    assert repr(one) == repr(other) and one.n_dims == other.n_dims
    assert [tuple(h)[:2] for h in one.hyperparameters] == [tuple(h)[:2] for h in other.hyperparameters]
    assert one.get_params().keys() == other.get_params().keys()
    assert one.requires_vector_input == other.requires_vector_input
    if name != "pairwise laplacian":  # which is stationary
        assert one.is_stationary() == other.is_stationary()
    tolerance = 1e-4 if name in APPROXIMATE else 1e-10  # scikit-learn's are forward differences there
    np.testing.assert_allclose(one(X, eval_gradient=True)[1], other(X, eval_gradient=True)[1], atol=tolerance)


@pytest.mark.parametrize("name", KERNELS)
def test_gradients_are_those_of_differences(name):
    kernel, step = KERNELS[name](ours), 1e-5
    gradient = kernel(X, eval_gradient=True)[1]
    theta = kernel.theta
    assert gradient.shape == (len(X), len(X), len(theta))
    for index, direction in enumerate(np.eye(len(theta)) * step):
        above, below = kernel.clone_with_theta(theta + direction)(X), kernel.clone_with_theta(theta - direction)(X)
        np.testing.assert_allclose(gradient[..., index], (above - below) / (2 * step), atol=1e-6)
    weights = RNG.normal(size=(len(X), len(X)))
    np.testing.assert_allclose(
        kernel._contract(RowPairs(X), weights), np.einsum("ij,ijk->k", weights, gradient), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(kernel._values(DiagonalRowPairs(X)), np.diagonal(kernel(X)), rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in KERNELS if name not in NOT_DEFINITE])
def test_matrices_are_symmetric_and_positive_semidefinite(name):
    K = KERNELS[name](ours)(X)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() >= -1e-9 * np.abs(K).max()


def test_a_periodic_kernel_repeats():
    kernel, column = ours.ExpSineSquared(1.2, 1.7), X[:, :1]
    np.testing.assert_allclose(kernel(column, column + 1.7), kernel(column, column), atol=1e-12)
    np.testing.assert_allclose(kernel(column), theirs.ExpSineSquared(1.2, 1.7)(column), rtol=1e-12)
    one, other = (k(column, eval_gradient=True)[1] for k in (kernel, theirs.ExpSineSquared(1.2, 1.7)))
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_white_noise_is_of_the_same_sample_only():
    kernel = ours.RBF(1.0) + ours.WhiteKernel(0.5)
    np.testing.assert_allclose(kernel(X) - kernel(X, X), 0.5 * np.eye(len(X)), atol=1e-15)
    smooth = ours.RBF(1.0) * 2.0
    np.testing.assert_array_equal(smooth(X), smooth(X, X))


def test_kernels_compare_and_are_set_by_nested_names():
    one = 2.0 * ours.RBF(1.0) + ours.WhiteKernel()
    assert one == ours.WhiteKernel() + 2.0 * ours.RBF(1.0) and one != 3.0 * ours.RBF(1.0)
    assert learnable.clone(one) == one
    one.set_params(k1__k2__length_scale=5.0)
    assert one.k1.k2.length_scale == 5.0
    with pytest.raises(ParameterError, match="Invalid parameter speed"):
        one.set_params(speed=1)
    with pytest.raises(ParameterError, match="correct number of entries"):
        one.theta = [1.0]
    with pytest.raises(ParameterError, match="either 1 or 3 dimensions"):
        _ = ours.RBF([1.0, 2.0, 3.0], [(1, 2), (1, 2)]).bounds
    with pytest.raises(ParameterError, match='must be "fixed"'):
        _ = ours.RBF(1.0, "open").bounds


def test_a_compound_kernel_sets_each_part():
    kernel = ours.CompoundKernel([ours.RBF(1.0), 2.0 * ours.RBF(3.0)])
    kernel.theta = np.log([2.0, 4.0, 5.0])
    assert kernel.kernels[0].length_scale == pytest.approx(2.0)
    assert kernel.kernels[1].k2.length_scale == pytest.approx(5.0)
    assert kernel(X).shape == (25, 25, 2) and kernel.diag(X).shape == (25, 2)


def test_functions_of_two_rows_have_a_gamma():
    def similarity(x, z, gamma):
        return float(np.exp(-gamma * np.abs(x - z).sum()))

    one, other = ours.PairwiseKernel(0.7, metric=similarity), ours.PairwiseKernel(0.7, metric="laplacian")
    np.testing.assert_allclose(one(X), other(X), rtol=1e-12)
    np.testing.assert_allclose(one(X, eval_gradient=True)[1], other(X, eval_gradient=True)[1], atol=1e-8)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (ours.Matern(nu=-1.0) + ours.WhiteKernel(), "nu must be above 0"),
        (ours.Matern(nu=1000.0), "at most 100, or infinite"),
        (ours.Matern(nu="rough"), "nu must be above 0"),
        (2.0 * ours.RBF() ** "two", "exponent must be at least 0"),
        (ours.RBF() ** -1, "exponent must be at least 0"),
    ],
)
def test_what_is_wrong_with_a_part_is_said(kernel, message):
    with pytest.raises(ParameterError, match=message):
        learnable.GaussianProcessRegressor(kernel, alpha=0.1).fit(X, X[:, 0])


def test_smooth_matern_kernels_at_short_distances():
    distance = np.array([0.0, 1e-6, 1e-4, 1e-3, 3e-3, 4e-3, 5e-3])[:, None]
    found = ours.Matern(1.0, nu=100.0)([[0.0]], distance)[0]
    t = 200 * distance[:, 0] ** 2  # the first terms of the series of the Bessel function
    np.testing.assert_allclose(found, 1 - t / (4 * 99) + t**2 / (32 * 99 * 98), atol=1e-10)
