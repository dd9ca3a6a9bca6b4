"""PCA: identities, agreement of the solvers, and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
import sklearn.decomposition

import learnable
from learnable import PCA, IncrementalPCA, TruncatedSVD


def rows(n: int = 60, p: int = 6, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + np.arange(p)


SHAPES = ((60, 6, None), (60, 6, 3), (60, 6, 0.9), (60, 6, "mle"), (30, 90, 5), (700, 30, 4), (200, 600, 6))


@pytest.mark.parametrize(("n", "p", "count"), SHAPES)
def test_equals_scikit_learn_for_every_shape(n, p, count):
    X, new = rows(n, p), rows(10, p, 1)
    ours = PCA(count).fit(X)
    theirs = sklearn.decomposition.PCA(count, svd_solver="full").fit(X)
    assert ours.n_components_ == theirs.n_components_
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-7)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-7, abs=1e-12)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-7, atol=1e-6)
    if p < 100:
        np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-6)
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-7)
    assert ours.certificate_.holds


@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "arpack", "randomized"])
def test_all_solvers_find_the_same_components(solver):
    X = rows(200, 12) * np.linspace(3, 0.1, 12)
    exact = PCA(4, svd_solver="full").fit(X)
    ours = PCA(4, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(ours.components_, exact.components_, atol=1e-6)
    np.testing.assert_allclose(ours.explained_variance_, exact.explained_variance_, rtol=1e-8)
    assert ours.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-6)


def test_variances_are_eigenvalues_of_the_covariance_with_either_divisor():
    X = rows()
    for ddof in (0, 1):
        model = PCA(ddof=ddof).fit(X)
        np.testing.assert_allclose(model.explained_variance_, np.linalg.eigvalsh(np.cov(X.T, ddof=ddof))[::-1])


def test_scores_are_uncorrelated_with_the_variances_of_their_components():
    model = PCA(4)
    scores = model.fit_transform(rows())
    np.testing.assert_allclose(np.cov(scores.T), np.diag(model.explained_variance_), atol=1e-12)
    np.testing.assert_allclose(np.cov(PCA(4, whiten=True).fit_transform(rows()).T), np.eye(4), atol=1e-12)


def test_the_reconstruction_error_is_the_discarded_variance():
    X = rows()
    everything = PCA().fit(X)
    for count in range(1, 6):
        model = PCA(count).fit(X)
        back = model.inverse_transform(model.transform(X))
        error = ((X - back) ** 2).sum()
        assert error == pytest.approx((len(X) - 1) * everything.explained_variance_[count:].sum())
        other = np.linalg.qr(np.random.default_rng(count).standard_normal((6, count)))[0]
        centred = X - X.mean(axis=0)
        assert error < ((centred - centred @ other @ other.T) ** 2).sum()


def test_svd_and_eigenvectors_agree_for_many_columns():
    X = rows(20, 200)
    model = PCA().fit(X)
    _, values, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(model.singular_values_, values, atol=1e-9)
    np.testing.assert_allclose(np.abs(model.components_[:19] @ axes[:19].T), np.eye(19), atol=1e-8)
    assert model.explained_variance_[19] < 1e-20 * model.explained_variance_[0]  # centred rows have rank n - 1


def test_without_centring_the_components_are_others():
    X = rows() + 50
    centred = PCA(1).fit(X).components_[0]
    uncentred = learnable.TruncatedSVD(1).fit(X).components_[0]
    towards_the_mean = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
    assert abs(uncentred @ towards_the_mean) > 0.99
    assert abs(centred @ uncentred) < 0.9


def test_weights_equal_copies_and_sparse_equals_dense():
    X = rows(40, 5)
    weight = np.random.default_rng(0).integers(0, 3, 40)
    ours, copied = PCA(2).fit(X, sample_weight=weight), PCA(2).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(ours.explained_variance_, copied.explained_variance_)
    np.testing.assert_allclose(ours.components_, copied.components_, atol=1e-10)
    assert ours.n_samples_ == copied.n_samples_
    thin = scipy.sparse.random_array((300, 40), density=0.1, rng=0, format="csr")
    dense = PCA(3, svd_solver="full").fit(thin.toarray())
    for solver in ("auto", "arpack"):
        np.testing.assert_allclose(
            PCA(3, svd_solver=solver, random_state=0).fit(thin).components_, dense.components_, atol=1e-6
        )
    np.testing.assert_allclose(PCA(3).fit(thin).transform(thin), dense.transform(thin.toarray()), atol=1e-8)


def test_a_fraction_of_the_variance_selects_the_fewest_components():
    model = PCA(0.8).fit(rows())
    shares = np.cumsum(PCA().fit(rows()).explained_variance_ratio_)
    assert shares[model.n_components_ - 1] >= 0.8 > shares[model.n_components_ - 2]


def test_whitening_does_not_change_the_covariance():
    np.testing.assert_allclose(
        PCA(3, whiten=True).fit(rows()).get_covariance(), PCA(3).fit(rows()).get_covariance(), atol=1e-12
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 7}, "between 0 and min"),
        ({"n_components": 6, "svd_solver": "arpack"}, "strictly less"),
        ({"n_components": 0.5, "svd_solver": "randomized"}, "give an integer"),
    ],
)
def test_errors_name_the_parameter(options, message):
    with pytest.raises(learnable.ParameterError, match=message):
        PCA(**options).fit(rows())


def test_images_are_classified_by_few_components():
    digits = learnable.datasets.load_digits()
    images = digits.data[digits.target < 2]
    labels = digits.target[digits.target < 2]
    half = len(images) // 2
    model = PCA(3).fit(images[:half])
    assert model.components_.reshape(3, 8, 8).shape == (3, 8, 8)
    classifier = learnable.LinearDiscriminantAnalysis().fit(model.transform(images[:half]), labels[:half])
    assert classifier.score(model.transform(images[half:]), labels[half:]) > 0.97
    blurred = model.inverse_transform(model.transform(images))
    assert ((images - blurred) ** 2).sum() < ((images - images.mean(axis=0)) ** 2).sum() / 2


@pytest.mark.parametrize("make", [PCA, IncrementalPCA])
def test_singular_covariances_get_a_little_noise(make):
    X = np.random.default_rng(0).normal(size=(60, 3))
    for rows in (np.c_[X, X[:, 0]], np.c_[X, np.ones(60)], X[:3].T @ X[:3] @ X.T):
        model = make().fit(rows)
        p = rows.shape[1]
        covariance = model.get_covariance()
        little = 1e-6 * np.trace(covariance) / p
        axes = model.components_[model.explained_variance_ > little]
        covariance += little * (np.eye(p) - axes.T @ axes)
        requested = scipy.stats.multivariate_normal(model.mean_, covariance).logpdf(rows)
        np.testing.assert_allclose(model.score_samples(rows), requested, rtol=1e-6)
        np.testing.assert_allclose(model.get_precision() @ covariance, np.eye(p), atol=1e-6)
    with pytest.raises(ValueError, match="all columns were constant"):
        make().fit(np.ones((5, 3))).score_samples(X)


def test_random_directions_are_right_where_rows_are_few():
    X = np.random.default_rng(0).normal(size=(8, 200))
    exact = PCA(1, svd_solver="full").fit(X)
    sketched = PCA(1, svd_solver="randomized", random_state=0).fit(X)
    np.testing.assert_allclose(sketched.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-9)
    np.testing.assert_allclose(sketched.components_, exact.components_, atol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_array, np.float32])
@pytest.mark.parametrize(
    "model",
    [PCA(2), PCA(2, svd_solver="arpack"), TruncatedSVD(2), TruncatedSVD(2, algorithm="arpack")]
    + [PCA(2, svd_solver=solver) for solver in ("full", "randomized")],
    ids=repr,
)
def test_non_finite_values_are_located(model, make):
    for bad, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        for row, column, weight in ((0, 0, None), (399, 4, None), (37, 2, None), (37, 2, np.r_[0.0, np.ones(399)])):
            X = rows(n=400, p=5)
            X[row, column] = bad
            if scipy.sparse.issparse(make(X)) and getattr(model, "svd_solver", "auto") in ("full", "randomized"):
                continue
            with pytest.raises(ValueError, match=rf"X contains {word} in column {column}, row {row} \(1 bad value in"):
                model.fit(make(X), sample_weight=weight)


@pytest.mark.parametrize("size", [1e-150, 1e-70, 1e70, 1e150])
def test_components_are_the_same_in_any_unit(size):
    X, model = rows(n=400, p=5), PCA(2)
    plain, scaled = model.clone().fit(X), model.clone().fit(X * size)
    np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-12)
    np.testing.assert_allclose(scaled.mean_ / size, plain.mean_, rtol=1e-12)
    np.testing.assert_allclose(scaled.singular_values_ / size, plain.singular_values_, rtol=1e-12)


def test_no_component_leaves_the_mean_and_the_same_noise_everywhere():
    X = np.random.default_rng(5).normal(size=(30, 4))
    mine, peer = PCA(n_components=0).fit(X), sklearn.decomposition.PCA(n_components=0).fit(X)
    assert mine.transform(X).shape == mine.fit_transform(X).shape == (30, 0)
    np.testing.assert_allclose(mine.score(X), peer.score(X))
