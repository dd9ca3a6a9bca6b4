"""Certificates of models fitted to single precision speak of the coefficients as these are stored."""

from contextlib import nullcontext

import numpy as np
import pytest

from learnable.core import ConvergenceWarning
from learnable.linear_model import (
    ElasticNetCV,
    Lasso,
    MultiTaskLasso,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)

RNG = np.random.default_rng(0)
FAR = (1000 + RNG.normal(size=(500, 6))).astype(np.float32)
TWINS = (RNG.normal(size=(500, 1)) + 1e-3 * RNG.normal(size=(500, 6))).astype(np.float32)
NOISE = RNG.normal(size=500).astype(np.float32).astype(np.float64)
STEEP = (1000 * (TWINS @ [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) + 1e-3 * NOISE).astype(np.float32).astype(np.float64)


def ridge_objectives(X, y, coef, constant, alpha):
    """The objective of a ridge regression, and that of the best coefficients."""
    X, coef = X.astype(np.float64), coef.astype(np.float64)
    centred = X - X.mean(axis=0)
    best = np.linalg.solve(centred.T @ centred + alpha * np.eye(X.shape[1]), centred.T @ (y - y.mean()))
    least = np.square(y - y.mean() - centred @ best).sum() + alpha * best @ best
    return np.square(y - X @ coef - constant).sum() + alpha * coef @ coef, least


@pytest.mark.parametrize(("X", "y"), [(FAR, NOISE), (TWINS, STEEP), (TWINS + np.float32(1000), STEEP)])
@pytest.mark.parametrize("model", [Ridge(alpha=1e-6), RidgeCV(alphas=(1e-6,))], ids=["Ridge", "RidgeCV"])
def test_a_gap_is_that_of_the_rounded_coefficients(model, X, y):
    uncertain = pytest.warns(ConvergenceWarning, match="rounding limits") if X is TWINS else nullcontext()
    with uncertain:
        model = model.clone().fit(X, y)
    found, least = ridge_objectives(X, y, model.coef_, model.intercept_, 1e-6)
    assert model.coef_.dtype == np.float32
    assert found - least <= model.certificate_.value * found + 1e-12 * least
    assert model.certificate_.value <= 1.5 * (found - least) / found + 1e-12
    assert model.certificate_.holds == (X is not TWINS)  # no single precision is enough for these


@pytest.mark.parametrize("noise", [1.0, 1e-3, 0.0])
def test_what_single_precision_can_hold_is_enough(noise):
    X = (FAR - np.float32(1000)) * np.float32(2)
    y = X.astype(np.float64) @ np.arange(1.0, 7.0) + noise * NOISE
    assert Ridge(alpha=1e-3).fit(X, y).certificate_.holds


def test_a_gap_of_classes_too():
    target = np.where(NOISE > 0, 1.0, -1.0)
    model = RidgeClassifier(alpha=1e-3).fit(FAR, NOISE > 0)
    found, least = ridge_objectives(FAR, target, model.coef_, model.intercept_[0], 1e-3)
    assert found - least <= model.certificate_.value * found + 1e-12 * least
    assert model.certificate_.holds


@pytest.mark.parametrize("model", [Lasso(alpha=0.1, tol=1e-12), ElasticNetCV(alphas=[0.1], l1_ratio=1.0, tol=1e-12)])
def test_a_gap_of_the_lasso_too(model):
    y = (FAR @ np.arange(6.0) + NOISE).astype(np.float32).astype(np.float64)
    best = Lasso(alpha=0.1, tol=1e-15).fit(FAR.astype(np.float64), y)
    model = model.clone().fit(FAR, y)
    found, least = (
        np.square(y - FAR.astype(np.float64) @ coef - fit.intercept_).mean() / 2 + 0.1 * np.abs(coef).sum()
        for fit in (model, best)
        for coef in [fit.coef_.astype(np.float64)]
    )
    assert found - least <= model.certificate_.value + 1e-12
    assert model.certificate_.value <= 1e-9  # the constant suits the rounded coefficients


def test_several_targets_have_the_gap_of_their_objective():
    Y = np.column_stack([NOISE, FAR[:, 0] - 1000])
    model = MultiTaskLasso(alpha=0.01, tol=1e-12).fit(FAR, Y)
    best = MultiTaskLasso(alpha=0.01, tol=1e-15).fit(FAR.astype(np.float64), Y)
    found, least = (
        np.square(Y - FAR.astype(np.float64) @ coef.T - fit.intercept_).sum() / 1000
        + 0.01 * np.linalg.norm(coef, axis=0).sum()
        for fit in (model, best)
        for coef in [fit.coef_.astype(np.float64)]
    )
    assert found - least <= model.certificate_.value + 1e-12


@pytest.mark.parametrize("X", [TWINS, TWINS + np.float32(1000)], ids=["near", "far"])
def test_a_gap_of_quantiles_too(X):
    model, best = (QuantileRegressor(alpha=0).fit(X.astype(dtype), STEEP) for dtype in (np.float32, np.float64))
    found, least = (
        np.abs(STEEP - X.astype(np.float64) @ fit.coef_.astype(np.float64) - fit.intercept_).mean()
        for fit in (model, best)
    )
    unit = np.abs(STEEP - np.median(STEEP)).mean()
    assert found - least <= model.certificate_.value * unit
    assert model.certificate_.holds


@pytest.mark.parametrize(
    "model",
    [Lasso(alpha=0.01, tol=1e-10), ElasticNetCV(alphas=[0.01], tol=1e-10), MultiTaskLasso(alpha=0.01, tol=1e-10)],
)
def test_columns_far_from_zero_need_only_a_precise_intercept(model):
    X = (1e6 + RNG.normal(size=(60, 4))).astype(np.float32)
    y = X @ np.array([2.0, 1.0, 0.0, 0.0]) - 3e6 + NOISE[:60]
    model = model.clone().fit(X, np.column_stack([y, y]) if isinstance(model, MultiTaskLasso) else y)
    assert model.coef_.dtype == np.float32
    assert model.certificate_.holds
