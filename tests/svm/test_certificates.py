"""Duality gaps of every kernel machine from its definition, and data at the edge of what can be learnt."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable import ConvergenceWarning, DataError
from learnable.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

GAMMA = 0.4
SEEDS = st.integers(0, 1000)


def kernel(X, Y):
    return np.exp(-GAMMA * ((X[:, None] - Y) ** 2).sum(axis=2))


def drawn(seed, rows=60):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 2))
    return X, X[:, 0] * X[:, 1] + 0.7 * rng.standard_normal(rows)


def coefficients(model, rows):
    b = np.zeros(rows)
    b[model.support_] = model.dual_coef_[0]
    return b


@settings(max_examples=15)
@given(SEEDS, st.sampled_from([0.5, 0.8]))
def test_nu_classification(seed, nu):
    """Rescaled to a margin of 1 it is the soft margin whose C is the largest variable."""
    X, t = drawn(seed)
    y = t > np.median(t)
    model = NuSVC(nu=nu, gamma=GAMMA, tol=1e-8).fit(X, y)
    b, sign = coefficients(model, len(y)), np.where(y, 1.0, -1.0)
    f, C = kernel(X, X) @ b, np.abs(b).max()
    slack = np.maximum(0, 1 - sign * (f + model.intercept_[0]))
    primal, dual = b @ f / 2 + C * slack.sum(), np.abs(b).sum() - b @ f / 2
    assert (b * sign >= 0).all() and abs(b.sum()) <= 1e-9 * C
    assert np.abs(b).sum() == pytest.approx(nu * len(y) * C), "the sum of the variables is what nu asks for"
    gap = (primal - dual) / C**2  # of the problem before it was rescaled, to which the tolerance belongs
    assert -1e-9 <= gap <= 2e-8 * len(y) and model.certificate_.holds


@settings(max_examples=15)
@given(SEEDS, st.sampled_from([0.2, 0.6]), st.sampled_from([0.3, 5.0]))
def test_nu_regression(seed, nu, C):
    X, y = drawn(seed)
    model = NuSVR(nu=nu, C=C, gamma=GAMMA, tol=1e-8).fit(X, y)
    b = coefficients(model, len(y))
    f = kernel(X, X) @ b
    off = np.abs(y - f - model.intercept_[0])
    primal = b @ f / 2 + C * (nu * len(y) * model.epsilon_ + np.maximum(0, off - model.epsilon_).sum())
    assert np.abs(b).max() <= C * (1 + 1e-12) and abs(b.sum()) <= 1e-9 * C
    assert np.abs(b).sum() <= C * nu * len(y) * (1 + 1e-9)
    assert -1e-9 * primal <= primal - (y @ b - b @ f / 2) <= 1e-5 * primal and model.certificate_.holds


@settings(max_examples=15)
@given(SEEDS, st.sampled_from([0.05, 0.5, 0.95]))
def test_one_class(seed, nu):
    X, _ = drawn(seed)
    model = OneClassSVM(nu=nu, gamma=GAMMA, tol=1e-8).fit(X)
    b, r = coefficients(model, len(X)), model.offset_[0]
    f = kernel(X, X) @ b
    primal = b @ f / 2 - r * nu * len(X) + np.maximum(0, r - f).sum()
    assert ((b >= 0) & (b <= 1)).all() and b.sum() == pytest.approx(nu * len(X))
    assert -1e-9 <= primal + b @ f / 2 <= 1e-5 * (b @ f) and model.certificate_.holds


@settings(max_examples=10)
@given(SEEDS, st.sampled_from([0.0, 0.2]))
def test_regression_with_weights(seed, epsilon):
    X, y = drawn(seed)
    weight = np.random.default_rng(seed).uniform(0.1, 2, len(y))
    model = SVR(C=2.0, epsilon=epsilon, gamma=GAMMA, tol=1e-8).fit(X, y, weight)
    b = coefficients(model, len(y))
    f = kernel(X, X) @ b
    lost = weight @ np.maximum(0, np.abs(y - f - model.intercept_[0]) - epsilon)
    primal, dual = b @ f / 2 + 2 * lost, y @ b - epsilon * np.abs(b).sum() - b @ f / 2
    assert (np.abs(b) <= 2 * weight * (1 + 1e-12)).all()
    assert -1e-9 * primal <= primal - dual <= 1e-5 * primal and model.certificate_.holds


MACHINES = [SVC(), NuSVC(nu=0.1), SVR(), NuSVR(), OneClassSVM()]


def unusual_tables():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    return {
        "duplicated rows": np.repeat(X[:5], 4, axis=0),
        "all rows equal": np.ones((20, 3)),
        "a constant column": np.column_stack([X, np.full(20, 7.0)]),
        "more columns than rows": rng.standard_normal((20, 500)),
        "huge": X * 1e150,
        "tiny": X * 1e-150,
        "far away": X + 1e8,
    }


@pytest.mark.parametrize("table", unusual_tables())
@pytest.mark.parametrize("machine", MACHINES, ids=lambda model: type(model).__name__)
def test_unusual_tables_have_a_solution_and_a_certificate(machine, table):
    X, y = unusual_tables()[table], np.arange(20) % 2
    if isinstance(machine, NuSVC) and table in ("duplicated rows", "all rows equal"):
        with pytest.raises(DataError, match="margin has width zero"):
            machine.fit(X, y)
        return
    model = machine.fit(X, y)
    assert model.certificate_.holds and np.isfinite(model.predict(X)).all()
    assert len(model.support_) > 0


@pytest.mark.parametrize("C", [1e-8, 1e8])
@pytest.mark.parametrize("gamma", [1e-12, 1e12])
def test_regression_at_extreme_costs_and_widths(C, gamma):
    X, y = drawn(3, 40)
    model = SVR(C=C, gamma=gamma).fit(X, y)
    assert model.certificate_.holds
    if C > 1 and gamma > 1:
        assert np.abs(model.predict(X) - y).max() <= 0.1 + 2e-3, "narrow bumps follow every row up to the tube"
    if C < 1:
        assert np.ptp(model.predict(X)) <= 40 * C, "variables this small cannot move the line"


def exact_violation(K, sign, C, b):
    """The largest violation in rational numbers."""
    b, C = np.array([Fraction(value) for value in b]), Fraction(C)
    steep = sign.astype(object) - K @ b
    rise = [now < C if side > 0 else now < 0 for now, side in zip(b, sign, strict=True)]
    fall = [now > 0 if side > 0 else now > -C for now, side in zip(b, sign, strict=True)]
    return max(steep[rise]) - min(steep[fall])


@pytest.mark.parametrize("seed", [0, 2, 12, 28, 51])
def test_what_rounding_hides_is_counted_as_violated(seed):
    """Kernel values are whole numbers of ninety bits, of which floats keep the first."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-20_000, 20_000, size=(100, 5))
    sign = np.where(X[:, 0] + 10_000 * rng.normal(size=100) > 0, 1, -1)
    K = (X.astype(object) @ X.T.astype(object)) ** 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVC(kernel="poly", gamma=1.0, C=3e-14 / 10 ** (seed % 3)).fit(X, sign)
    found = exact_violation(K, sign, model.C, coefficients(model, len(X)))
    assert 0 < found <= Fraction(model.certificate_.value)
