"""Statements of the course about methods compared with each other, each where it can fail."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from learnable import (
    DBSCAN,
    HDBSCAN,
    PCA,
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    GradientDescentClassifier,
    KNeighborsClassifier,
    LatentSemanticAnalysis,
    LeastSquaresClassifier,
    LogisticRegression,
    OrthogonalMatchingPursuit,
    RandomForestClassifier,
    RandomOverSampler,
    SpectralClustering,
    TfidfVectorizer,
    cross_val_score,
    make_circles,
    make_classification,
    make_gaussian_quantiles,
)
from learnable.datasets import load_digits
from learnable.inference import classifier_two_sample_test, holm, two_sample_t_test
from learnable.metrics import adjusted_rand_score, balanced_accuracy_score, log_loss
from learnable.theory import NoisyFunction, bias_variance


def test_boosting_lowers_the_bias_of_stumps():
    problem = NoisyFunction(
        lambda X: np.sin(2 * X[:, 0]) + X[:, 1], noise=0.4, draw=lambda rng, n: rng.uniform(-2, 2, (n, 2))
    )
    options = {"n": 150, "repeats": 12, "random_state": 0}
    stump, boosted = (
        bias_variance(model, problem, **options)
        for model in (DecisionTreeRegressor(max_depth=1), GradientBoostingRegressor(max_depth=1, n_estimators=150))
    )
    assert boosted.squared_bias < 0.1 * stump.squared_bias and boosted.error < 0.5 * stump.error


def test_forests_are_stable_under_small_changes_of_the_training_rows():
    X, y = make_gaussian_quantiles(n_samples=1000, n_features=6, n_classes=2, random_state=0)
    changed = []
    for model in (DecisionTreeClassifier(random_state=0), RandomForestClassifier(50, random_state=0)):
        one, other = (model.clone().fit(X[rows], y[rows]) for rows in (np.arange(300), np.arange(30, 330)))
        changed.append(np.mean(one.predict(X[500:]) != other.predict(X[500:])))
    assert changed[1] < 0.6 * changed[0]


def test_the_weighted_error_rises_over_the_rounds_of_boosting():
    X, y = make_gaussian_quantiles(n_samples=600, n_features=5, n_classes=2, random_state=0)
    errors = AdaBoostClassifier(n_estimators=150).fit(X, y).estimator_errors_
    thirds = errors[:10].mean(), errors[20:60].mean(), errors[-50:].mean()
    assert thirds[0] < thirds[1] < thirds[2] < 0.5


def test_stochastic_steps_are_near_the_minimum_sooner_and_batch_steps_are_more_accurate_in_the_end():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    y = (X @ rng.normal(size=8) + rng.logistic(size=600) > 0).astype(int)

    def objective(model):
        z = X @ model.coef_[0] + model.intercept_[0]
        return np.logaddexp(0, np.where(y == 1, -z, z)).mean() + 0.005 * (model.coef_**2).sum()

    options = {"penalty": "l2", "alpha": 0.01, "tol": None, "random_state": 0}
    least = objective(LogisticRegression(C=1 / (0.01 * 600), tol=1e-10).fit(X, y))
    steps = {"batch_size": 1, "schedule": "invscaling", "learning_rate": 0.3}
    few, many = (
        [objective(GradientDescentClassifier(max_iter=n, **options | more).fit(X, y)) - least for more in ({}, steps)]
        for n in (1, 60)
    )
    assert few[1] < 0.3 * few[0] and many[0] < 0.3 * many[1]


def test_trying_many_columns_finds_something_in_noise_unless_corrected():
    rng = np.random.default_rng(0)
    found = np.zeros(2)
    for _ in range(60):
        p = np.array([two_sample_t_test(*rng.normal(size=(2, 30))).p_value for _ in range(20)])
        found += p.min() < 0.05, holm(p, 0.05).rejected.any()
    assert found[0] / 60 > 0.45 and found[1] / 60 < 0.15  # 1 - 0.95^20 = 0.64


def test_greedy_search_does_not_find_the_best_subset_and_the_smallest_tree():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 8))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=60)
    y = 2 * X[:, 0] + 2 * X[:, 1] + 0.1 * rng.normal(size=60)

    def residual(columns):
        return float(np.linalg.lstsq(X[:, list(columns)], y, rcond=None)[1].item())

    best = min(itertools.combinations(range(8), 2), key=residual)
    greedy = np.flatnonzero(OrthogonalMatchingPursuit(n_nonzero_coefs=2, fit_intercept=False).fit(X, y).coef_)
    assert best == (0, 1) and 2 in greedy and residual(greedy) > 10 * residual(best)
    bits = np.array(list(itertools.product([0, 1], repeat=4)))
    label = bits[:, 0] ^ bits[:, 1]
    hint = np.where(np.arange(16) % 4 == 0, 1 - label, label)
    grown = DecisionTreeClassifier(random_state=0).fit(np.column_stack([bits, hint]), label)
    smallest = DecisionTreeClassifier(random_state=0).fit(bits[:, :2], label)
    assert smallest.get_n_leaves() == 4 < grown.get_n_leaves()


def test_softmax_has_the_smaller_cross_entropy_and_least_squares_masks_classes():
    rng = np.random.default_rng(0)
    X = np.vstack([0.8 * rng.normal(size=(60, 2)) + centre for centre in ([-4, -3], [0, 0], [4, 3])])
    y = np.repeat([0, 1, 2], 60)
    costs = [
        log_loss(y, LogisticRegression(strategy=strategy, C=10.0).fit(X, y).predict_proba(X))
        for strategy in ("ovr", "multinomial")
    ]
    assert costs[1] < 0.2 * costs[0]
    masked = LeastSquaresClassifier().fit(X, y)
    assert masked.score(X[60:120], y[60:120]) < 0.5 and LogisticRegression().fit(X, y).score(X, y) > 0.95
    near = np.vstack([rng.normal(size=(60, 2)) + [-1.5, 0], rng.normal(size=(60, 2)) + [1.5, 0]])
    far = np.vstack([near, 0.5 * rng.normal(size=(25, 2)) + [9, -7]])
    two = np.repeat([0, 1], [60, 85])
    turned = [model.fit(far, two).score(near, two[:120]) for model in (LeastSquaresClassifier(), LogisticRegression())]
    assert turned[0] < turned[1] - 0.02


def test_one_radius_of_dbscan_does_not_fit_clusters_of_different_densities():
    rng = np.random.default_rng(2)
    dense = [0.12 * rng.normal(size=(120, 2)) + [x, 0] for x in (0, 0.75)]
    X = np.vstack([*dense, 2.2 * rng.normal(size=(120, 2)) + [9, 3]])
    truth = np.repeat([0, 1, 2], 120)

    def agreement(labels):
        return adjusted_rand_score(truth, np.where(labels < 0, labels.max() + 1 + np.arange(360), labels))

    best = max(agreement(DBSCAN(eps=e, min_samples=5).fit(X).labels_) for e in np.geomspace(0.05, 3, 30))
    assert best < 0.8 < 0.9 < agreement(HDBSCAN(min_cluster_size=15).fit(X).labels_)


def test_the_normalised_cut_is_the_objective_of_kernel_k_means():
    rings, _ = make_circles(120, noise=0.04, factor=0.4, random_state=0)
    W = np.exp(-((rings[:, None] - rings) ** 2).sum(axis=2) / 0.02)
    d = W.sum(axis=1)
    kernel = W / d[:, None] / d
    rng, differences = np.random.default_rng(0), []
    spectral = SpectralClustering(2, affinity="precomputed", random_state=0).fit(W).labels_
    for labels in (spectral, rng.integers(0, 2, 120), rng.integers(0, 2, 120)):
        groups = [np.flatnonzero(labels == k) for k in (0, 1)]
        cut = sum(W[np.ix_(g, np.setdiff1d(np.arange(120), g))].sum() / d[g].sum() for g in groups)
        squares = d @ np.diag(kernel) - sum(d[g] @ kernel[np.ix_(g, g)] @ d[g] / d[g].sum() for g in groups)
        differences.append(squares - cut)
    np.testing.assert_allclose(differences, differences[0])
    share = np.stack([d * (spectral == k) / d[spectral == k].sum() for k in (0, 1)])
    norms = np.einsum("ki,ij,kj->k", share, kernel, share)
    np.testing.assert_array_equal((norms[:, None] - 2 * share @ kernel).argmin(axis=0), spectral)


def test_latent_semantic_analysis_has_one_vector_per_word_and_needs_shared_contexts():
    texts = [
        "apple fruit sweet",
        "apple fruit fresh",
        "apple computer chip",
        "apple computer fast",
        "aircraft safety",
        "airplane wing",
    ]
    words = TfidfVectorizer()
    model = LatentSemanticAnalysis(6, random_state=0).fit(words.fit_transform(texts))
    hits = model.search(words.transform(["apple"]), n=4)
    assert sorted(hits.documents[0]) == [0, 1, 2, 3] and np.ptp(hits.similarity[0]) < 0.05  # either meaning
    assert model.documents_[4] @ model.documents_[5] == pytest.approx(0, abs=1e-9)
    assert (model.components_ < -1e-6).any() and (model.components_ > 1e-6).any()


def test_duplicated_rows_raise_overfitting_and_flatter_cross_validation():
    X, y = make_classification(4000, 8, n_informative=4, weights=[0.95], class_sep=0.6, flip_y=0.02, random_state=3)
    rows, classes, new, truth = X[:1000], y[:1000], X[1000:], y[1000:]
    tree, differences = DecisionTreeClassifier(min_samples_leaf=5, random_state=0), []
    for resampler in (None, RandomOverSampler(random_state=0)):
        fitted = tree.clone().fit(*((rows, classes) if resampler is None else resampler.fit_resample(rows, classes)))
        differences.append(
            balanced_accuracy_score(classes, fitted.predict(rows)) - balanced_accuracy_score(truth, fitted.predict(new))
        )
    assert differences[1] > differences[0] + 0.05
    model = KNeighborsClassifier(1)
    once, twice = (
        cross_val_score(model, np.tile(rows, (k, 1)), np.tile(classes, k), cv=5, scoring="balanced_accuracy").mean()
        for k in (1, 3)
    )
    assert twice > once + 0.2


def test_few_components_remove_noise():
    digits = load_digits().data / 16
    noisy = digits + 0.3 * np.random.default_rng(0).normal(size=digits.shape)
    errors = {}
    for count in (1, 10, 64):
        model = PCA(count).fit(noisy[::2])
        errors[count] = np.mean((model.inverse_transform(model.transform(noisy[1::2])) - digits[1::2]) ** 2)
    assert errors[10] < 0.6 * errors[64] and errors[10] < errors[1]


def test_a_classifier_notices_new_rows_of_another_distribution():
    rng = np.random.default_rng(0)
    X, same, turned = rng.normal(size=(3, 300, 2))
    turned[:, 1] = turned[:, 0] + 0.3 * turned[:, 1]  # equal columns, another dependence
    model = RandomForestClassifier(50, random_state=0)
    assert (
        classifier_two_sample_test(X, turned, model).p_value
        < 1e-4
        < 0.01
        < classifier_two_sample_test(X, same, model).p_value
    )
