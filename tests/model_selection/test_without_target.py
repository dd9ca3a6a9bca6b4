"""Models without a target under cross-validation (RES-16): clusters, mixtures and densities on held-out rows."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from learnable import GridSearchCV, KFold, cross_val_score, make_blobs, validation_curve
from learnable.metrics import mean_log_likelihood

X, _ = make_blobs(240, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.8, random_state=0)
FOLDS = KFold(5, shuffle=True, random_state=0)


def held_out_inertia(k):
    """Squared distances of held-out rows to the nearest of k centres, by hand."""
    found = []
    for train, test in FOLDS.split(X):
        centres = KMeans(k, n_init=4, random_state=0).fit(X[train]).cluster_centers_
        found.append(((X[test][:, None] - centres) ** 2).sum(axis=2).min(axis=1).sum())
    return np.array(found)


def test_clusters_are_scored_by_the_inertia_of_held_out_rows():
    counts = np.arange(1, 7)
    _, scores = validation_curve(
        KMeans(n_init=4, random_state=0), X, param_name="n_clusters", param_range=counts, cv=FOLDS
    )
    np.testing.assert_allclose(-scores[2], held_out_inertia(3))
    np.testing.assert_allclose(-scores[0], held_out_inertia(1))
    inertia = -scores.mean(axis=1)
    gains = -np.diff(inertia) / inertia[0]
    assert gains[:2].min() > 0.2 and np.abs(gains[2:]).max() < 0.05, "after three clusters there is little to gain"


def test_mixtures_are_scored_by_the_likelihood_of_held_out_rows():
    search = GridSearchCV(
        GaussianMixture(n_init=2, random_state=0), {"n_components": [1, 2, 3, 4, 5]}, cv=FOLDS, rule="one_se",
        simplest="-n_components",
    ).fit(X)  # fmt: skip
    assert search.best_params_ == {"n_components": 3}
    by_hand = [
        mean_log_likelihood(GaussianMixture(3, n_init=2, random_state=0).fit(X[train]).score_samples(X[test]))
        for train, test in FOLDS.split(X)
    ]
    scores = cross_val_score(GaussianMixture(3, n_init=2, random_state=0), X, cv=FOLDS)
    np.testing.assert_allclose(scores, by_hand)


def test_bandwidths_are_scored_by_the_likelihood_of_held_out_rows():
    widths = np.array([0.02, 0.1, 0.4, 1.0, 4.0])
    search = GridSearchCV(KernelDensity(), {"bandwidth": widths}, cv=FOLDS).fit(X)
    by_hand = [
        np.mean([KernelDensity(bandwidth=width).fit(X[train]).score(X[test]) for train, test in FOLDS.split(X)])
        for width in widths
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand)
    assert search.best_params_["bandwidth"] == widths[np.argmax(by_hand)] == 0.4
