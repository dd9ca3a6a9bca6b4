"""Recommenders: objectives of factors and biases, by their definitions over all pairs in extended precision."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EXTENDED, Finding, extended, fitted

ROUNDING = 1e-9  # of the relative change of an objective between iterations


def rated(seed: int) -> tuple[Any, np.ndarray]:
    """Users and items with few or many ratings each, which are of any size and far from zero."""
    draws = np.random.default_rng(seed)
    dense = draws.random((15, 8)) < draws.uniform(0.2, 0.9, 8)
    dense[0], dense[:, 0] = True, True
    user, item = np.nonzero(dense)
    parts = draws.standard_normal((15, 2)) @ draws.standard_normal((2, 8))
    ratings = parts[user, item] + 10.0 ** -draws.integers(0, 5) * draws.standard_normal(len(user))
    ratings = ratings * 10.0 ** draws.integers(-3, 4) + 10.0 ** draws.integers(0, 4) * (seed % 2)
    return np.column_stack([user, item]), ratings


def biases(name: str, seed: int) -> Finding:
    """The biases beside those of one more iteration, the largest change relative to the spread."""
    X, y = rated(seed)
    model = fitted(learnable.BaselineOnly(reg_u=0.5, reg_i=0.1, tol=1e-6), X, y)
    before = fitted(learnable.BaselineOnly(reg_u=0.5, reg_i=0.1, tol=1e-6, max_iter=max(model.n_iter_ - 1, 1)), X, y)
    (user, item), (t, b) = X.T, extended(y, before.user_biases_)
    mean, moved = t.mean(), EXTENDED(0)
    if model.n_iter_ == 1:
        b = np.zeros_like(b)
    c = _bias(item, t - mean - b[user], EXTENDED(0.1))
    after = _bias(user, t - mean - c[item], EXTENDED(0.5))
    moved = np.abs(after - b).max() / np.ptp(t)
    return Finding(float(moved), model.certificate_, 1e-12 + 1e-13 * float(np.abs(t).max() / np.ptp(t)))


def _bias(own: Any, residual: Any, penalty: Any) -> Any:
    sums = [(residual[own == k].sum(), (own == k).sum()) for k in range(own.max() + 1)]
    return np.array([total / (count + penalty) for total, count in sums], dtype=EXTENDED)


def confidences(name: str, seed: int) -> list[Finding]:
    """No iteration raised the objective over all pairs, and with a tolerance the last one lowered it by so much."""
    X, y = rated(seed)
    y = y - y.min() + 0.1 * np.ptp(y)
    y = y / y.max() * 10.0 ** np.random.default_rng(seed).integers(-2, 4)
    options: dict[str, Any] = {"reg": 10.0 ** -(seed % 4), "random_state": seed}

    def objective(count: int) -> Any:
        model = fitted(learnable.AlternatingLeastSquares(3, max_iter=count, **options), X, y)
        P, Q, R = extended(model.user_factors_, model.item_factors_, np.asarray(model.ratings_.todense()))
        penalty = EXTENDED(options["reg"]) * ((P**2).sum() + (Q**2).sum())
        return ((1 + R) * ((R > 0) - P @ Q.T) ** 2).sum() + penalty

    values = [objective(count) for count in range(1, 7)]
    rises = [float((after - before) / before) for before, after in itertools.pairwise(values)]
    whole = fitted(learnable.AlternatingLeastSquares(3, max_iter=6, **options), X, y)
    ended = fitted(learnable.AlternatingLeastSquares(3, max_iter=200, tol=1e-3, **options), X, y)
    last = ended.n_iter_
    fall = float(1 - objective(last) / objective(last - 1))
    return [
        Finding(max(*rises, 0.0), whole.certificate_, ROUNDING),
        Finding(fall, ended.certificate_, ROUNDING),
    ]


def factors(name: str, seed: int) -> Finding:
    """Alternating least squares: how much the last iteration changed half the squared error and the penalty."""
    X, y = rated(seed)
    options: dict[str, Any] = {"solver": "als", "reg": 10.0 ** -(seed % 4), "tol": 1e-4, "random_state": seed}
    user, item = X.T

    def objective(count: int) -> tuple[Any, Any]:
        model = fitted(learnable.MatrixFactorization(2, max_iter=count, **options), X, y)
        t, P, Q, b, c = extended(y, model.user_factors_, model.item_factors_, model.user_biases_, model.item_biases_)
        error = t - t.mean() - b[user] - c[item] - (P[user] * Q[item]).sum(axis=1)
        size = sum((part**2).sum() for part in (P, Q, b, c))
        return (error @ error + EXTENDED(options["reg"]) * size) / 2, model

    here, model = objective(1000)
    before, _ = objective(max(model.n_iter_ - 1, 1))
    if model.n_iter_ == 1:
        return Finding(0.0, model.certificate_)
    felt = float(1e-15 * (np.abs(y).max() ** 2 * len(y)) / here)
    return Finding(float(abs(1 - here / before)), model.certificate_, ROUNDING + felt)
