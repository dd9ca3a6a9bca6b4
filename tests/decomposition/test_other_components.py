"""Components of kernels, of rows in parts, of rows with odd ones among them, and independent ones."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.decomposition

import learnable
from learnable import PCA, FastICA, IncrementalPCA, KernelPCA, RobustPCA
from learnable.decomposition import kernel_pca
from learnable.parts.kernels import Gaussian


def rows(n: int = 60, p: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + np.arange(p)


@pytest.mark.parametrize(
    "options", [{"kernel": "rbf"}, {"kernel": "poly", "degree": 2}, {"kernel": "rbf", "gamma": 0.05}]
)
def test_kernel_components_equal_scikit_learn_also_for_new_rows(options):
    X, new = rows(), rows(9, seed=1)
    ours = KernelPCA(3, fit_inverse_transform=True, **options).fit(X)
    theirs = sklearn.decomposition.KernelPCA(3, fit_inverse_transform=True, **options).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-9)
    back = theirs.inverse_transform(theirs.transform(new))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), back, atol=1e-4 * np.abs(back).max())


def test_the_linear_kernel_gives_principal_components():
    X, new = rows(), rows(9, seed=1)
    ours, plain = KernelPCA(3).fit(X), PCA(3).fit(X)
    np.testing.assert_allclose(np.abs(ours.transform(new)), np.abs(plain.transform(new)), atol=1e-9)
    np.testing.assert_allclose(ours.eigenvalues_, plain.singular_values_**2)


def test_a_given_kernel_matrix_and_a_function_give_the_same():
    X, new = rows(), rows(9, seed=1)
    by_name = KernelPCA(2, kernel="rbf", gamma=0.1).fit(X)
    table = KernelPCA(2, kernel="precomputed").fit(learnable.metrics.pairwise.rbf_kernel(X, gamma=0.1))
    new_table = learnable.metrics.pairwise.rbf_kernel(new, X, gamma=0.1)
    np.testing.assert_allclose(table.transform(new_table), by_name.transform(new), atol=1e-10)
    function = KernelPCA(2, kernel=lambda a, b: float(np.exp(-0.1 * ((a - b) ** 2).sum()))).fit(X)
    np.testing.assert_allclose(function.transform(new), by_name.transform(new), atol=1e-10)
    given = KernelPCA(2, kernel=Gaussian(0.1)).fit(X)
    np.testing.assert_allclose(given.transform(new), by_name.transform(new), atol=1e-10)


def test_rings_are_separated_in_feature_space():
    X, y = learnable.datasets.make_circles(200, factor=0.3, noise=0.03, random_state=0)
    first = KernelPCA(1, kernel="rbf", gamma=2.0).fit_transform(X)[:, 0]
    inner, outer = first[y == 1], first[y == 0]
    assert inner.min() > outer.max() or outer.min() > inner.max()


def test_few_components_of_many_rows_are_found_without_the_others(monkeypatch):
    monkeypatch.setattr(kernel_pca, "PARTIAL_DECOMPOSITION_FROM", 100)
    X = rows(200, 4)
    few = KernelPCA(2, kernel="rbf", gamma=0.01, random_state=0).fit(X)
    all_of_them = KernelPCA(2, kernel="rbf", gamma=0.01, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(few.eigenvalues_, all_of_them.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(few.transform(X[:5]), all_of_them.transform(X[:5]), atol=1e-7)


def test_inverse_transform_must_be_requested():
    with pytest.raises(learnable.NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(rows()).inverse_transform(np.zeros((1, 2)))


def test_batches_give_the_components_of_all_rows():
    X = rows(103)
    model, whole = IncrementalPCA(3), PCA(3).fit(X)
    for part in np.array_split(X, 7):
        model.partial_fit(part)
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-10)
    np.testing.assert_allclose(model.explained_variance_, whole.explained_variance_)
    np.testing.assert_allclose(model.var_, X.var(axis=0))
    assert model.n_samples_seen_ == 103
    assert model.noise_variance_ == pytest.approx(whole.noise_variance_)
    theirs = sklearn.decomposition.IncrementalPCA().fit(X)
    np.testing.assert_allclose(IncrementalPCA().fit(X).transform(X), theirs.transform(X), atol=1e-8)


@pytest.mark.parametrize(
    "options", [{}, {"algorithm": "deflation", "fun": "cube"}, {"fun": "exp", "whiten": "arbitrary-variance"}]
)
def test_independent_components_equal_scikit_learn(options):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3)) @ rng.standard_normal((3, 3)) + 2
    ours = FastICA(random_state=0, tol=1e-8, max_iter=2000, **options).fit(X)
    theirs = sklearn.decomposition.FastICA(random_state=0, tol=1e-8, max_iter=2000, **options).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-5)
    np.testing.assert_allclose(ours.mixing_, theirs.mixing_, atol=1e-5)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X, atol=1e-9)


@pytest.mark.parametrize("whiten", ["unit-variance", "arbitrary-variance", False])
def test_the_function_returns_what_that_of_scikit_learn_does(whiten):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3)) @ rng.standard_normal((3, 3)) + 2
    if not whiten:
        X = sklearn.decomposition.PCA(whiten=True).fit_transform(X)
    options = {"whiten": whiten, "random_state": 0, "tol": 1e-8, "max_iter": 2000}
    options |= {"return_X_mean": True, "return_n_iter": True}
    ours, theirs = learnable.fastica(X, **options), sklearn.decomposition.fastica(X, **options)
    for mine, yours in zip(ours[:4], theirs[:4], strict=True):
        assert (mine is None) == (yours is None)
        if mine is not None:
            np.testing.assert_allclose(mine, yours, atol=1e-5)
    assert len(ours) == len(theirs) == 5
    assert learnable.fastica(X, whiten=whiten, random_state=0, compute_sources=False)[2] is None


def spoiled(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows near a plane, a fifth of them thrown away from it, and the plane of the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 2)) @ rng.standard_normal((2, 5)) + 0.01 * rng.standard_normal((200, 5)) + 2
    plane = np.linalg.svd(X[:160] - X[:160].mean(axis=0))[2][:2]
    X[160:] = 20 * rng.standard_normal((40, 5)) + [30, 0, 0, 0, 0]
    return X, plane


def cosine(plane: np.ndarray, components: np.ndarray) -> float:
    """Of the largest angle between two planes."""
    return float(np.linalg.svd(plane @ components.T, compute_uv=False).min())


@pytest.mark.parametrize("method", ["irls", "ransac"])
def test_outliers_do_not_affect_the_components(method):
    X, plane = spoiled()
    model = RobustPCA(2, method=method, random_state=0).fit(X)
    assert cosine(plane, model.components_) > 0.9999
    assert cosine(plane, PCA(2).fit(X).components_) < 0.9
    assert model.weights_[160:].max() < 0.1 < model.weights_[:160].mean()
    assert model.certificate_.holds


def test_random_samples_end_at_enough_inliers():
    """PCA-12: samples of a given size, accepted at `min_inliers`, at most `max_trials`, with or without a refit."""
    X, plane = spoiled()
    options = {"method": "ransac", "scale": 0.5, "random_state": 0}
    first = RobustPCA(2, min_inliers=150, **options).fit(X)
    assert first.weights_.sum() >= 150 and first.certificate_.holds and first.n_iter_ < 60
    assert cosine(plane, first.components_) > 0.999
    drawn = RobustPCA(2, min_inliers=150, refit=False, **options).fit(X)
    assert drawn.n_iter_ == first.n_iter_ and cosine(plane, drawn.components_) < cosine(plane, first.components_)
    np.testing.assert_allclose(
        drawn.weights_, np.linalg.norm(X - drawn.inverse_transform(drawn.transform(X)), axis=1) <= 0.5
    )
    with pytest.warns(learnable.ConvergenceWarning):
        never = RobustPCA(2, min_inliers=1000, max_trials=5, **options).fit(X)
    assert never.n_iter_ == 5 and not never.certificate_.holds
    larger = RobustPCA(2, sample_size=6, **options).fit(X)
    assert cosine(plane, larger.components_) > 0.999
    assert larger.n_iter_ > RobustPCA(2, sample_size=3, **options).fit(X).n_iter_  # clean samples are rarer
    for wrong in (2, 10_000):
        with pytest.raises(learnable.ParameterError, match="sample_size must be above n_components=2"):
            RobustPCA(2, sample_size=wrong, **options).fit(X)


def test_reweighting_lowers_its_objective_and_agrees_with_its_weights():
    X, _ = spoiled()
    model = RobustPCA(2).fit(X)
    assert (np.diff(model.trace_["objective"]) <= 1e-12).all()
    off = np.linalg.norm(X - model.inverse_transform(model.transform(X)), axis=1)
    np.testing.assert_allclose(model.weights_, model.scale_**2 / (model.scale_**2 + off**2), rtol=1e-6)
    weighted = PCA(2).fit(X, sample_weight=model.weights_)
    np.testing.assert_allclose(weighted.components_, model.components_, atol=1e-6)


def test_outliers_may_be_removed_before_the_fit():
    """PCA-14: of few rows far away those that are left out turn nothing."""
    X, plane = spoiled()
    X = X[:170]
    kept = learnable.OutlierRemover().fit_resample(X)[0]
    assert cosine(plane, PCA(2).fit(kept).components_) > 0.9999 > 0.9 > cosine(plane, PCA(2).fit(X).components_)


def test_without_outliers_the_components_are_similar():
    X = rows(300, 4)
    assert cosine(PCA(2).fit(X).components_, RobustPCA(2).fit(X).components_) > 0.95


def test_outlying_entries_do_not_affect_the_components():
    rng = np.random.default_rng(0)
    low = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 30))
    X = low + np.where(rng.random(low.shape) < 0.05, 10.0, 0.0)
    model = RobustPCA(2, method="pursuit").fit(X)
    assert cosine(PCA(2).fit(low).components_, model.components_) > 0.9999
    np.testing.assert_allclose(model.low_rank_ + model.sparse_, X, atol=1e-4)
    with pytest.raises(learnable.ParameterError, match="does not support sample_weight"):
        RobustPCA(2, method="pursuit").fit(X, sample_weight=np.arange(60.0))


@pytest.mark.parametrize("method", ["irls", "ransac"])
def test_robust_components_of_rows_far_from_zero_are_those_of_rows_near_it(method):
    X = np.random.default_rng(0).normal(size=(60, 3)) * [4.0, 1.0, 0.5]
    near, far = (RobustPCA(1, method=method, random_state=0).fit(X + shift) for shift in (0.0, 2.0**26))
    np.testing.assert_allclose(far.components_, near.components_, atol=1e-6)
    np.testing.assert_allclose(far.mean_ - 2.0**26, near.mean_, atol=1e-6)
    assert far.certificate_.holds


def test_too_few_random_samples_are_not_certified():
    X, _ = spoiled()
    with pytest.warns(learnable.ConvergenceWarning, match="probability of no clean draw"):
        model = RobustPCA(2, method="ransac", max_trials=3, random_state=0).fit(X)
    assert model.n_iter_ == 3 and not model.certificate_.holds
    enough = RobustPCA(2, method="ransac", random_state=0).fit(X)
    share = 1 - enough.trace_["objective"][-1]
    assert enough.n_iter_ >= learnable.ransac_trials(share, 3, 0.99) and enough.certificate_.value <= 0.01


def test_interrupted_random_samples_keep_the_best():
    X, plane = spoiled()
    with learnable.watch(lambda event: event.iteration == 10), pytest.warns(learnable.ConvergenceWarning):
        model = RobustPCA(2, method="ransac", confidence=1 - 1e-9, random_state=0).fit(X)
    assert model.trace_.stopped == "interrupted" and model.n_iter_ == 10
    assert cosine(plane, model.components_) > 0.9999


def test_kernel_components_of_rows_that_are_all_alike():
    same = np.ones((6, 3))
    model = KernelPCA(fit_inverse_transform=True).fit(same)
    scores = model.transform(same)
    assert scores.shape == (6, 0)
    with pytest.raises(learnable.DataError, match="there are no components"):
        model.inverse_transform(scores)


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("seed", range(4))
def test_ica_of_normal_rows_converges(seed, algorithm):
    """There is nothing to part in them, and steps of full length wander about for ever."""
    X = np.random.default_rng(seed).normal(size=(300, 4))
    model = FastICA(random_state=seed, tol=1e-10, max_iter=2000, algorithm=algorithm).fit(X)
    assert model.certificate_.holds and model.trace_.stopped == "converged"
