"""Fisher's directions against their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.covariance import ledoit_wolf_shrinkage

from learnable.discriminant_analysis import FisherDiscriminant, LinearDiscriminantAnalysis
from tests.discriminant_analysis.test_discriminants import draw


def scatters(X, y):
    """Within and between, as defined: E-082 and E-084 are right here."""
    mean = X.mean(axis=0)
    within = sum((X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0)) for k in np.unique(y))
    apart = [
        np.outer(X[y == k].mean(axis=0) - mean, X[y == k].mean(axis=0) - mean) * (y == k).sum() for k in np.unique(y)
    ]
    return within, sum(apart)


def ratio(w, within, between):
    return (w @ between @ w) / (w @ within @ w)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_two_classes(seed):
    """DIS-05: w is proportional to S_w^-1 (mu_2 - mu_1), J its eigenvalue, and no other direction does better."""
    X, y = draw(seed, classes=2)
    model = FisherDiscriminant().fit(X, y)
    within, between = scatters(X, y)
    w = model.scalings_[:, 0]
    closed = np.linalg.solve(within, model.means_[1] - model.means_[0])
    assert abs(closed @ w) == pytest.approx(np.linalg.norm(closed) * np.linalg.norm(w))
    assert model.criterion_[0] == pytest.approx(ratio(w, within, between))
    assert model.criterion_[0] == pytest.approx(np.linalg.eigvals(np.linalg.solve(within, between)).real.max())
    for other in np.random.default_rng(seed).normal(size=(20, X.shape[1])):
        assert ratio(other, within, between) <= model.criterion_[0] * (1 + 1e-9)


def test_the_rule_is_the_nearer_projected_mean():
    """DIS-06: smaller |w'(x - mu_i)|; the same as LDA with equal priors (E-083: for the decision, not the distance)."""
    X, y = draw(3, classes=2)
    model = FisherDiscriminant().fit(X, y)
    w = model.scalings_[:, 0]
    distance = np.abs((X[:, None] - model.means_) @ w)
    np.testing.assert_array_equal(model.predict(X), distance.argmin(axis=1))
    equal = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), equal.predict(X))
    np.testing.assert_allclose(model.decision_function(X), equal.decision_function(X), rtol=1e-8, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 5))
def test_several_classes(seed, columns, classes):
    """DIS-07, E-085, E-087: uncorrelated projections, at most K - 1 eigenvalues, their sum is tr(S_w^-1 S_b)."""
    X, y = draw(seed, columns=columns, classes=classes)
    model = FisherDiscriminant().fit(X, y)
    within, between = scatters(X, y)
    assert model.criterion_.shape == (min(columns, classes - 1),) and model.transform(X).shape[1] == len(
        model.criterion_
    )
    assert model.criterion_.sum() == pytest.approx(np.trace(np.linalg.solve(within, between)))
    assert model.explained_variance_ratio_.sum() == pytest.approx(1)
    assert (np.diff(model.criterion_) <= 1e-12).all()
    projected = model.scalings_.T @ within @ model.scalings_ / len(X)
    np.testing.assert_allclose(projected, np.eye(len(model.criterion_)), atol=1e-8)
    between_projected = model.scalings_.T @ between @ model.scalings_ / len(X)
    np.testing.assert_allclose(between_projected, np.diag(model.criterion_), atol=1e-7 * model.criterion_.max())


def test_nearest_projected_mean_is_lda_with_equal_priors():
    """DIS-08: with all directions; fewer lose something but keep the best."""
    X, y = draw(5, classes=4, columns=6, rows=200)
    equal = LinearDiscriminantAnalysis(priors=[0.25] * 4).fit(X, y)
    full = FisherDiscriminant().fit(X, y)
    np.testing.assert_array_equal(full.predict(X), equal.predict(X))
    one = FisherDiscriminant(n_components=1).fit(X, y)
    np.testing.assert_allclose(one.scalings_[:, 0], full.scalings_[:, 0])
    assert one.explained_variance_ratio_.sum() == pytest.approx(full.explained_variance_ratio_[0])


@pytest.mark.parametrize("shrinkage", [0.01, 0.3, 1.0])
def test_shrinkage(shrinkage):
    """DIS-09, E-086: (1 - l) S + l I; with more columns than rows too."""
    for X, y in (draw(6), (draw(6, columns=80)[0][::5], draw(6, columns=80)[1][::5])):
        within, between = scatters(X, y)
        covariance = (1 - shrinkage) * within / len(X) + shrinkage * np.eye(X.shape[1])
        model = FisherDiscriminant(shrinkage=shrinkage).fit(X, y)
        eigenvalues = np.sort(np.linalg.eigvals(np.linalg.solve(covariance, between / len(X))).real)[::-1]
        np.testing.assert_allclose(model.criterion_, eigenvalues[: len(model.criterion_)], rtol=1e-6)


@pytest.mark.parametrize("columns", [4, 80])
def test_shrinkage_by_the_lemma_of_ledoit_and_wolf(columns):
    """The strength of scikit-learn for the rows about their class means, also where columns outnumber rows."""
    X, y = (rows[::5] for rows in draw(6, columns=columns))
    within, between = scatters(X, y)
    strength = ledoit_wolf_shrinkage(X - np.array([X[y == k].mean(axis=0) for k in y]), assume_centered=True)
    covariance = (1 - strength) * within / len(X) + strength * np.trace(within) / len(X) / columns * np.eye(columns)
    model = FisherDiscriminant(shrinkage="auto").fit(X, y)
    eigenvalues = np.sort(np.linalg.eigvals(np.linalg.solve(covariance, between / len(X))).real)[::-1]
    np.testing.assert_allclose(model.criterion_, eigenvalues[: len(model.criterion_)], rtol=1e-6)
    plain = FisherDiscriminant(shrinkage=None).fit(X, y)
    np.testing.assert_array_equal(plain.scalings_, FisherDiscriminant().fit(X, y).scalings_)


def test_more_columns_than_rows_use_the_pseudo_inverse():
    """DIS-09: directions outside the scatter within classes are left out."""
    X, y = draw(7, columns=50, rows=5, classes=2)
    X, y = X[::4], y[::4]
    assert len(X) < X.shape[1]
    model = FisherDiscriminant().fit(X, y)
    unit = X.std(axis=0)
    within, _ = scatters(X / unit, y)
    closed = np.linalg.pinv(within, rcond=1e-10, hermitian=True) @ np.diff(model.means_ / unit, axis=0)[0] / unit
    w = model.scalings_[:, 0]
    assert abs(closed @ w) == pytest.approx(np.linalg.norm(closed) * np.linalg.norm(w))
