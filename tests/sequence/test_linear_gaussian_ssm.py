"""Kalman filter and smoother against the dense joint normal distribution and statsmodels; EM against the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

import learnable
from learnable import DataError, LinearGaussianSSM, ParameterError

NAMES = (
    "transition_matrix", "transition_offset", "transition_covariance", "observation_matrix", "observation_offset",
    "observation_covariance", "initial_mean", "initial_covariance",
)  # fmt: skip


def covariance(rng: np.random.Generator, size: int, rank: int | None = None) -> np.ndarray:
    root = rng.standard_normal((size, rank or size + 2))
    return root @ root.T / 3


def made(n: int = 2, p: int = 3, seed: int = 0, **options: Any) -> LinearGaussianSSM:
    """A model of random parameters, whose transition noise is singular."""
    rng = np.random.default_rng(seed)
    values = (
        0.6 * np.linalg.qr(rng.standard_normal((n, n)))[0], rng.standard_normal(n), covariance(rng, n, 1),
        rng.standard_normal((p, n)), rng.standard_normal(p), covariance(rng, p), rng.standard_normal(n),
        covariance(rng, n),
    )  # fmt: skip
    return LinearGaussianSSM(n, **dict(zip(NAMES, values, strict=True)), **options)


def rows(T: int = 6, p: int = 3, seed: int = 1) -> np.ndarray:
    """Rows with missing entries, and one without any."""
    X = 2 * np.random.default_rng(seed).standard_normal((T, 3))
    X[1, 0] = X[3, 1] = X[3, 2] = np.nan
    X[2] = np.nan
    return X[:, :p]


def dense(model: LinearGaussianSSM, T: int) -> tuple[np.ndarray, ...]:
    """Means and covariances of all states, and of all rows with all states, as one normal distribution."""
    A, b, Q, C, d, R, m, P = (np.asarray(getattr(model, name)) for name in NAMES)
    n = len(A)
    mean, cov = np.zeros((T, n)), np.zeros((T, n, T, n))
    mean[0], cov[0, :, 0] = m, P
    for t in range(1, T):
        mean[t] = A @ mean[t - 1] + b
        for s in range(t):
            cov[t, :, s] = A @ cov[t - 1, :, s]
            cov[s, :, t] = cov[t, :, s].T
        cov[t, :, t] = A @ cov[t - 1, :, t - 1] @ A.T + Q
    flat = cov.reshape(T * n, T * n)
    wide = np.kron(np.eye(T), C)
    return mean, flat, (mean @ C.T + d).ravel(), wide @ flat @ wide.T + np.kron(np.eye(T), R), wide @ flat


def conditioned(model: LinearGaussianSSM, X: np.ndarray, T: int) -> tuple[float, ...]:
    """Log likelihood, and moments of T states and their rows given those of `X`, by dense algebra."""
    mean, states, row_mean, row_cov, cross = dense(model, T)
    x = np.full(T * X.shape[1], np.nan)
    x[: X.size] = X.ravel()
    seen = ~np.isnan(x)
    inverse, off = np.linalg.inv(row_cov[np.ix_(seen, seen)]), x[seen] - row_mean[seen]
    gain, row_gain = cross[seen].T @ inverse, row_cov[:, seen] @ inverse
    found = stats.multivariate_normal(row_mean[seen], row_cov[np.ix_(seen, seen)]).logpdf(x[seen])
    return (
        float(found), mean + (gain @ off).reshape(T, -1), states - gain @ cross[seen],
        (row_mean + row_gain @ off).reshape(T, -1), row_cov - row_gain @ row_cov[seen],
    )  # fmt: skip


@pytest.mark.parametrize(("n", "p"), [(1, 1), (2, 3), (4, 2)])
def test_filter_and_smoother_are_those_of_the_joint_distribution(n, p):
    model, X = made(n, p), rows(p=p)
    model.fit(X)
    T = len(X)
    likelihood, mean, cov, _, _ = conditioned(model, X, T)
    assert np.isclose(model.score(X), likelihood, rtol=1e-10)
    means, covariances = model.smooth(X)
    np.testing.assert_allclose(means, mean, atol=1e-9)
    for t in range(T):
        block = slice(t * n, (t + 1) * n)
        np.testing.assert_allclose(covariances[t], cov[block, block], atol=1e-9)
        so_far = conditioned(model, X[: t + 1], t + 1)
        filtered = model.filter(X)
        np.testing.assert_allclose(filtered[0][t], so_far[1][t], atol=1e-9)
        np.testing.assert_allclose(filtered[1][t], so_far[2][block, block], atol=1e-9)


def test_forecasts_and_missing_entries_are_those_of_the_joint_distribution():
    model, X = made(), rows()
    model.fit(X)
    _, _, _, row_means, row_cov = conditioned(model, X, len(X) + 3)
    means, covariances = model.forecast(X, steps=3)
    np.testing.assert_allclose(means[0], row_means[-3:], atol=1e-9)
    for h in range(3):
        block = slice((len(X) + h) * 3, (len(X) + h + 1) * 3)
        np.testing.assert_allclose(covariances[0, h], row_cov[block, block], atol=1e-9)
    np.testing.assert_allclose(model.impute(X), row_means[:-3], atol=1e-9)
    several = model.forecast(np.vstack([X, X[:4]]), [6, 4], steps=2)[0]
    np.testing.assert_allclose(several[1], model.forecast(X[:4], steps=2)[0][0], atol=1e-12)


def test_statsmodels_agrees_on_a_long_series():
    model = made(3, 2, seed=3)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2)).cumsum(axis=0)
    X[rng.random(X.shape) < 0.2] = np.nan
    model.fit(X)
    peer = KalmanSmoother(k_endog=2, k_states=3, k_posdef=3)
    peer.bind(X)
    A, b, Q, C, d, R, m, P = (np.asarray(getattr(model, name)) for name in NAMES)
    peer["transition"], peer["state_intercept"], peer["state_cov"] = A, b[:, None], Q
    peer["design"], peer["obs_intercept"], peer["obs_cov"], peer["selection"] = C, d[:, None], R, np.eye(3)
    peer.initialize_known(m, P)
    found = peer.smooth()
    assert np.isclose(model.score(X), found.llf, rtol=1e-10)
    means, covariances = model.smooth(X)
    np.testing.assert_allclose(means, found.smoothed_state.T, atol=1e-8)
    np.testing.assert_allclose(covariances, np.moveaxis(found.smoothed_state_cov, 2, 0), atol=1e-8)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_em_ends_where_the_gradient_of_the_likelihood_is_zero(covariance_type):
    noise = [[0.6, 0.2, 0.0], [0.2, 0.5, -0.1], [0.0, -0.1, 0.7]]
    true = LinearGaussianSSM(
        1, transition_matrix=[[0.8]], transition_covariance=[[1.0]], observation_matrix=[[1.0], [0.8], [-0.6]],
        observation_offset=[1.0, 0.0, 2.0], observation_covariance=noise, initial_mean=[0.0],
        initial_covariance=[[2.0]],
    )  # fmt: skip
    X, _ = true.fit(rows()).sample(150, random_state=0)
    X[10:20, 1] = np.nan
    X[30] = X[71, :2] = np.nan
    model = LinearGaussianSSM(
        1, covariance_type=covariance_type, n_iter=3000, tol=1e-6, min_covar=0, transition_covariance=[[1.0]],
        initial_covariance=[[2.0]], random_state=0,
    ).fit(X, [60, 90])  # fmt: skip
    assert (np.diff(model.history_) > -1e-7 * abs(model.history_[-1])).all()
    assert np.isclose(model.history_[-1], model.score(X, [60, 90]), rtol=1e-6)
    best = model.score(X, [60, 90])
    for name in NAMES:
        if name in ("transition_offset", "transition_covariance", "initial_covariance"):
            continue
        value = getattr(model, f"{name}_")
        for place in np.ndindex(value.shape):
            if covariance_type == "diag" and name == "observation_covariance" and place[0] != place[1]:
                continue
            step = 1e-4 * max(abs(value[place]), 1e-2)
            scores = []
            for sign in (-1, 1):
                moved = value.copy()
                moved[place] += sign * step
                if name == "observation_covariance" and place[0] != place[1]:
                    moved[place[::-1]] += sign * step
                setattr(model, f"{name}_", moved)
                scores.append(model.score(X, [60, 90]) - best)
            setattr(model, f"{name}_", value)
            gradient, curvature = (scores[1] - scores[0]) / 2, -scores[0] - scores[1]
            assert gradient**2 <= 2 * curvature * 1e-4, name  # a Newton step would gain at most 1e-4


def test_the_local_level_of_the_nile_is_that_of_durbin_and_koopman():
    nile = np.array([
        1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
        1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969,
        831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865,
        845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749, 838, 1050,
        918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740,
    ], dtype=float)[:, None]  # fmt: skip
    level = LinearGaussianSSM(
        1, transition_matrix=[[1.0]], observation_matrix=[[1.0]], observation_offset=[0.0], initial_mean=[0.0],
        initial_covariance=[[1e7]], transition_covariance=[[1000.0]], observation_covariance=[[1000.0]],
        estimate=["transition_covariance", "observation_covariance"], n_iter=5000, tol=1e-7, min_covar=0,
    ).fit(nile)  # fmt: skip
    assert np.isclose(level.observation_covariance_[0, 0], 15099, rtol=2e-3)
    assert np.isclose(level.transition_covariance_[0, 0], 1469.1, rtol=5e-3)
    first = stats.norm(0, np.sqrt(1e7 + level.observation_covariance_[0, 0])).logpdf(nile[0, 0])  # which they leave out
    assert np.isclose(level.score(nile) - first, -632.54, atol=0.01)


def test_weights_are_copies():
    X = rows(30)
    heavy = LinearGaussianSSM(2, n_iter=2000, tol=1e-3, random_state=0).fit(X, [12, 18], sample_weight=[3.0, 1.0])
    parts = np.vstack([X[:12]] * 3 + [X[12:]])
    copies = LinearGaussianSSM(2, n_iter=2000, tol=1e-3, random_state=0).fit(parts, [12, 12, 12, 18])
    np.testing.assert_allclose(heavy.history_, copies.history_, rtol=1e-8)
    np.testing.assert_allclose(heavy.observation_matrix_, copies.observation_matrix_, rtol=1e-5)


def test_samples_have_the_moments_of_the_model(tmp_path):
    model = made(2, 2, seed=2).fit(rows(p=2))
    drawn = np.stack([model.sample(3, random_state=seed)[0] for seed in range(4000)])
    _, _, mean, cov, _ = dense(model, 3)
    spread = np.sqrt(cov.diagonal())
    assert (np.abs(drawn.reshape(4000, -1).mean(axis=0) - mean) < 4.5 * spread / np.sqrt(4000)).all()
    np.testing.assert_allclose(np.cov(drawn.reshape(4000, -1).T), cov, atol=0.12 * spread.max() ** 2)
    learnable.save(model, tmp_path / "model")
    assert np.array_equal(learnable.load(tmp_path / "model").predict(rows(p=2)), model.predict(rows(p=2)))


def test_a_trajectory_is_followed_through_missing_measurements():
    rng = np.random.default_rng(0)
    speed = np.cumsum(0.1 * rng.standard_normal((120, 2)), axis=0)
    place = np.cumsum(speed, axis=0)
    X = place + rng.standard_normal((120, 2))
    X[50:60] = np.nan
    A = np.kron([[1.0, 1.0], [0.0, 1.0]], np.eye(2))
    tracker = LinearGaussianSSM(
        4, transition_matrix=A, transition_covariance=np.diag([1e-8, 1e-8, 0.01, 0.01]),
        observation_matrix=np.eye(2, 4), observation_offset=[0.0, 0.0], initial_mean=np.zeros(4),
        initial_covariance=np.eye(4), n_iter=200,
    ).fit(X)  # fmt: skip
    smooth = tracker.predict(X)[:, :2]
    seen = ~np.isnan(X[:, 0])
    assert np.abs(smooth - place)[seen].mean() < 0.6 * np.abs(X - place)[seen].mean()
    assert np.abs(smooth - place)[~seen].max() < 4
    np.testing.assert_allclose(tracker.observation_covariance_, np.eye(2), atol=0.35)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match=r"transition_matrix must have the shape \(2, 2\)"):
        LinearGaussianSSM(2, transition_matrix=[[1.0]]).fit(rows())
    with pytest.raises(ParameterError, match="must be symmetric, and have no eigenvalue below 0"):
        LinearGaussianSSM(1, initial_covariance=[[-1.0]]).fit(rows())
    with pytest.raises(ParameterError, match="estimate may hold transition_matrix"):
        LinearGaussianSSM(1, estimate=["speed"]).fit(rows())
    zero = [[0.0]]
    model = LinearGaussianSSM(1, observation_covariance=zero, initial_covariance=zero, transition_covariance=zero)
    with pytest.raises(DataError, match="not positive definite"):
        model.fit(rows(p=1))


def test_the_gradient_agrees_with_direct_maximisation_for_one_parameter():
    X = made(1, 1, seed=7).fit(rows(p=1)).sample(200, random_state=1)[0]
    options: dict[str, Any] = {
        "transition_matrix": [[0.7]], "transition_covariance": [[1.0]], "observation_matrix": [[1.0]],
        "observation_offset": [0.0], "initial_mean": [0.0], "initial_covariance": [[1.0]],
    }  # fmt: skip
    model = LinearGaussianSSM(1, **options, min_covar=0, n_iter=2000, tol=1e-9).fit(X)

    def loss(log_noise: float) -> float:
        fixed = LinearGaussianSSM(1, **options, observation_covariance=[[np.exp(log_noise)]])
        return -fixed.fit(X).score(X)

    best = optimize.minimize_scalar(loss, bounds=(-8, 5), method="bounded", options={"xatol": 1e-10})
    assert np.isclose(model.score(X), -best.fun, rtol=1e-9)
