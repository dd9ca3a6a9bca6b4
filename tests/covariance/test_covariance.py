"""Covariances against scikit-learn, closed forms and data of a known distribution."""

import numpy as np
import pytest
from sklearn import covariance as peer

from learnable import (
    OAS,
    DataError,
    EmpiricalCovariance,
    LedoitWolf,
    ParameterError,
    ShrunkCovariance,
    empirical_covariance,
    ledoit_wolf,
    ledoit_wolf_shrinkage,
    load_iris,
    log_likelihood,
    oas,
    shrunk_covariance,
)

CLASSES = [EmpiricalCovariance, ShrunkCovariance, LedoitWolf, OAS]


def rows(n=60, p=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("shape", [(60, 5), (8, 20), (30, 1)])
def test_estimates_and_methods_are_those_of_scikit_learn(cls, centred, shape):
    X = rows(*shape)
    ours = cls(assume_centered=centred).fit(X)
    theirs = getattr(peer, cls.__name__)(assume_centered=centred).fit(X)
    size = np.abs(theirs.covariance_).max()
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9, atol=1e-10 * size)
    np.testing.assert_allclose(ours.location_, theirs.location_, rtol=1e-12, atol=1e-12)
    if shape[0] > shape[1] or cls is not EmpiricalCovariance:
        np.testing.assert_allclose(ours.precision_, theirs.precision_, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(ours.mahalanobis(X), theirs.mahalanobis(X), rtol=1e-7)
        assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)
    for norm in ("frobenius", "spectral"):
        for scaling in (True, False):
            for squared in (True, False):
                other = np.eye(shape[1])
                found = ours.error_norm(other, norm=norm, scaling=scaling, squared=squared)
                expected = theirs.error_norm(other, norm=norm, scaling=scaling, squared=squared)
                assert found == pytest.approx(expected, rel=1e-9)


def test_functions_are_those_of_scikit_learn():
    X = rows(25, 6)
    S = peer.empirical_covariance(X)
    np.testing.assert_allclose(empirical_covariance(X), S, rtol=1e-12)
    np.testing.assert_allclose(shrunk_covariance(S, 0.3), peer.shrunk_covariance(S, 0.3), rtol=1e-12)
    assert ledoit_wolf_shrinkage(X) == pytest.approx(peer.ledoit_wolf_shrinkage(X), rel=1e-10)
    for ours, theirs in ((ledoit_wolf, peer.ledoit_wolf), (oas, peer.oas)):
        np.testing.assert_allclose(ours(X)[0], theirs(X)[0], rtol=1e-9)
        assert ours(X)[1] == pytest.approx(theirs(X)[1], rel=1e-9)
    assert log_likelihood(S, np.linalg.inv(S)) == pytest.approx(peer.log_likelihood(S, np.linalg.inv(S)))


def test_shrinkage_minimises_the_expected_error():
    rng = np.random.default_rng(1)
    truth = np.diag([1.0, 2.0, 4.0, 8.0, 1.0, 3.0])
    errors = {cls: [] for cls in CLASSES}
    for _ in range(40):
        X = rng.normal(size=(10, 6)) * np.sqrt(np.diag(truth))
        for cls, found in errors.items():
            found.append(cls().fit(X).error_norm(truth))
    mean = {cls.__name__: np.mean(found) for cls, found in errors.items()}
    assert mean["OAS"] < mean["EmpiricalCovariance"]
    assert mean["LedoitWolf"] < mean["EmpiricalCovariance"]


@pytest.mark.parametrize("cls", CLASSES)
def test_units_of_columns_only_change_units(cls):
    X = rows()
    unit = 2.0**300
    plain, scaled = cls().fit(X), cls().fit(X * unit)
    np.testing.assert_allclose(scaled.covariance_ / unit / unit, plain.covariance_, rtol=1e-12)
    np.testing.assert_allclose(scaled.mahalanobis(X * unit), plain.mahalanobis(X), rtol=1e-9)


def test_columns_of_all_scales_keep_their_digits():
    X = rows()
    scale = 10.0 ** np.array([-100, -8, 0, 8, 100])
    found = EmpiricalCovariance().fit(X * scale)
    np.testing.assert_allclose(found.covariance_ / scale / scale[:, None], np.cov(X.T, bias=True), rtol=1e-10)
    np.testing.assert_allclose(found.mahalanobis(X * scale), EmpiricalCovariance().fit(X).mahalanobis(X), rtol=1e-8)


def test_a_stored_precision_is_optional():
    X = rows()
    lean = LedoitWolf(store_precision=False).fit(X)
    assert lean.precision_ is None
    np.testing.assert_allclose(lean.get_precision(), LedoitWolf().fit(X).precision_, rtol=1e-9)


def test_one_row_has_no_covariance_and_says_so():
    for cls in CLASSES:
        with pytest.warns(UserWarning, match="Only one sample"):
            assert not cls().fit([[1.0, 2.0]]).covariance_.any()


def test_distances_of_normal_rows_are_chi_squared():
    X = np.random.default_rng(2).normal(size=(4000, 3))
    distance = EmpiricalCovariance().fit(X).mahalanobis(X)
    assert distance.mean() == pytest.approx(3, abs=1e-6)  # the trace of S^-1 S
    assert (distance > 7.8147).mean() == pytest.approx(0.05, abs=0.01)


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ParameterError, match="shrinkage"):
        ShrunkCovariance(shrinkage=1.5).fit(rows())
    with pytest.raises(DataError, match="square"):
        shrunk_covariance(np.ones((2, 3)))
    with pytest.raises(DataError, match=r"log_likelihood: precision"):
        log_likelihood(np.eye(2), np.eye(3))
    with pytest.raises(NotImplementedError, match="norm"):
        EmpiricalCovariance().fit(rows()).error_norm(np.eye(5), norm="nuclear")


def test_iris():
    X = load_iris().data
    np.testing.assert_allclose(EmpiricalCovariance().fit(X).covariance_, np.cov(X.T, bias=True), rtol=1e-10)


@pytest.mark.parametrize("other", [np.eye(2), np.eye(4)[0], "text", np.full((4, 4), np.nan), None])
def test_covariances_to_compare_with_are_checked(other):
    model = EmpiricalCovariance().fit(np.random.default_rng(0).standard_normal((20, 4)))
    with pytest.raises(DataError, match=r"EmpiricalCovariance: comp_cov must"):
        model.error_norm(other)
