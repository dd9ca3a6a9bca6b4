"""The table of conventions for alpha in textbooks: the call in it minimises the textbook's objective."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from learnable.linear_model import ElasticNet, Lasso, Ridge

RNG = np.random.default_rng(0)
N = 40
X = RNG.normal(size=(N, 6))
X -= X.mean(axis=0)
Y = X @ [2.0, -1.0, 0.5, 0.0, 0.0, 0.1] + RNG.normal(size=N)
Y -= Y.mean()
LAMBDA, MIXING = 7.0, 0.3
Model = Ridge | Lasso | ElasticNet

# model, factor of |r|^2, weight of |w|^2, weight of |w|_1, all as in the textbook
OBJECTIVES: dict[str, tuple[Callable[[], Model], float, float, float]] = {
    "sum, ridge": (lambda: Ridge(LAMBDA), 1, LAMBDA, 0),
    "halves, ridge": (lambda: Ridge(LAMBDA), 1 / 2, LAMBDA / 2, 0),
    "mean, ridge": (lambda: Ridge(N * LAMBDA), 1 / N, LAMBDA, 0),
    "half mean, ridge": (lambda: Ridge(N * LAMBDA), 1 / (2 * N), LAMBDA / 2, 0),
    "half mean, lasso": (lambda: Lasso(LAMBDA / 20, tol=1e-14), 1 / (2 * N), 0, LAMBDA / 20),
    "half, lasso": (lambda: Lasso(LAMBDA / N, tol=1e-14), 1 / 2, 0, LAMBDA),
    "sum, lasso": (lambda: Lasso(LAMBDA / (2 * N), tol=1e-14), 1, 0, LAMBDA),
    "two penalties": (
        lambda: ElasticNet(LAMBDA / (2 * N) + 3 / N, l1_ratio=LAMBDA / (LAMBDA + 2 * 3), tol=1e-14),
        1, 3, LAMBDA,
    ),
    "penalty and mixing parameter": (
        lambda: ElasticNet(LAMBDA * (2 - MIXING) / (2 * N), l1_ratio=MIXING / (2 - MIXING), tol=1e-14),
        1, LAMBDA * (1 - MIXING), LAMBDA * MIXING,
    ),
}  # fmt: skip


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_call_is_optimal_for_the_objective(objective: str) -> None:
    make, fit, squared, absolute = OBJECTIVES[objective]
    w = make().fit(X, Y).coef_
    gradient = -2 * fit * X.T @ (Y - X @ w) + 2 * squared * w
    violation = np.where(w != 0, np.abs(gradient + absolute * np.sign(w)), np.maximum(np.abs(gradient) - absolute, 0))
    assert violation.max() <= 1e-5 * np.abs(2 * fit * X.T @ Y).max()
    assert (w != 0).any()
