"""The minimum covariance determinant against enumeration, scikit-learn and contaminated rows."""

from itertools import combinations

import numpy as np
import pytest
from sklearn import covariance as peer

from learnable import DataError, EllipticEnvelope, EmpiricalCovariance, MinCovDet, fast_mcd


def contaminated(n=200, p=3, outliers=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:outliers] += 8
    return X


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_subset_is_the_best_of_all(p, seed):
    X = np.random.default_rng(seed).normal(size=(11, p))
    h = int(np.ceil(0.5 * (11 + p + 1)))
    smallest = min(
        np.linalg.det(np.atleast_2d(np.cov(X[list(rows)].T, bias=True))) for rows in combinations(range(11), h)
    )
    _, covariance, support, _ = fast_mcd(X, random_state=0)
    assert support.sum() == h
    assert np.linalg.det(covariance) == pytest.approx(smallest, rel=1e-9)


@pytest.mark.parametrize(("n", "p", "outliers"), [(100, 5, 40), (1300, 4, 500)])
def test_the_determinant_is_at_most_that_of_scikit_learn(n, p, outliers):
    X = contaminated(n, p, outliers)
    ours, theirs = MinCovDet(random_state=0).fit(X), peer.MinCovDet(random_state=0).fit(X)
    assert np.linalg.slogdet(ours.raw_covariance_)[1] <= np.linalg.slogdet(theirs.raw_covariance_)[1] + 1e-3
    assert ours.raw_support_.sum() == theirs.raw_support_.sum()
    assert not ours.support_[:outliers].any()


def test_outliers_do_not_move_it():
    clean = contaminated(outliers=0)
    robust = MinCovDet(random_state=0).fit(contaminated())
    plain = EmpiricalCovariance().fit(contaminated())
    assert robust.error_norm(np.cov(clean[60:].T, bias=True)) < 0.02 < plain.error_norm(np.eye(3))
    np.testing.assert_allclose(robust.mahalanobis(contaminated()), robust.dist_, rtol=1e-9)


def test_units_and_the_order_of_rows_do_not_matter():
    X = contaminated()
    scale, order = np.array([2.0**300, 1.0, 2.0**-300]), np.random.default_rng(1).permutation(len(X))
    plain, other = MinCovDet(random_state=0).fit(X), MinCovDet(random_state=0).fit((X * scale)[order])
    np.testing.assert_allclose(other.dist_, plain.dist_[order], rtol=1e-6)


def test_normal_rows_keep_their_variance():
    X = np.random.default_rng(2).normal(size=(3000, 4))
    assert np.diag(MinCovDet(random_state=0).fit(X).covariance_) == pytest.approx(1, abs=0.08)


def test_rows_in_a_plane_have_distances():
    X = contaminated()
    X[:, 2] = X[:, 0]
    model = MinCovDet(random_state=0).fit(X)
    assert "plane" in model.certificate_.claim
    assert np.isfinite(model.dist_).all()
    assert not model.support_[:60].any()


def test_equal_rows_are_refused_with_a_remedy():
    x = np.array([[0.5], [0.1], [0.1], [0.1], [0.957], [0.1], [0.1], [0.1], [0.4285], [0.1]])
    with pytest.raises(DataError, match="increase support_fraction"):
        MinCovDet().fit(x)


def test_the_envelope_holds_all_but_its_contamination():
    X = contaminated()
    model = EllipticEnvelope(contamination=0.3, random_state=0).fit(X)
    labels = model.predict(X)
    assert (labels[:60] == -1).all()
    assert (labels == -1).sum() == 60
    np.testing.assert_allclose(model.score_samples(X), -model.mahalanobis(X))
    assert model.score(X, labels) == 1.0
