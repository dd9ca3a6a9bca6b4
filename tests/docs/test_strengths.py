"""The table of strengths in other books: what it says to call solves what the book minimises."""

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
STRENGTH, SHARE = 7.0, 0.3
Model = Ridge | Lasso | ElasticNet

# model, factor of |r|^2, weight of |w|^2, weight of |w|_1, all as the book has them
BOOKS: dict[str, tuple[Callable[[], Model], float, float, float]] = {
    "sum, ridge": (lambda: Ridge(STRENGTH), 1, STRENGTH, 0),
    "halves, ridge": (lambda: Ridge(STRENGTH), 1 / 2, STRENGTH / 2, 0),
    "mean, ridge": (lambda: Ridge(N * STRENGTH), 1 / N, STRENGTH, 0),
    "half mean, ridge": (lambda: Ridge(N * STRENGTH), 1 / (2 * N), STRENGTH / 2, 0),
    "half mean, lasso": (lambda: Lasso(STRENGTH / 20, tol=1e-14), 1 / (2 * N), 0, STRENGTH / 20),
    "half, lasso": (lambda: Lasso(STRENGTH / N, tol=1e-14), 1 / 2, 0, STRENGTH),
    "sum, lasso": (lambda: Lasso(STRENGTH / (2 * N), tol=1e-14), 1, 0, STRENGTH),
    "two strengths": (
        lambda: ElasticNet(STRENGTH / (2 * N) + 3 / N, l1_ratio=STRENGTH / (STRENGTH + 2 * 3), tol=1e-14),
        1, 3, STRENGTH,
    ),
    "strength and share": (
        lambda: ElasticNet(STRENGTH * (2 - SHARE) / (2 * N), l1_ratio=SHARE / (2 - SHARE), tol=1e-14),
        1, STRENGTH * (1 - SHARE), STRENGTH * SHARE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("book", BOOKS)
def test_the_call_is_optimal_for_the_book(book: str) -> None:
    make, fit, squared, absolute = BOOKS[book]
    w = make().fit(X, Y).coef_
    slope = -2 * fit * X.T @ (Y - X @ w) + 2 * squared * w
    pull = np.where(w != 0, np.abs(slope + absolute * np.sign(w)), np.maximum(np.abs(slope) - absolute, 0))
    assert pull.max() <= 1e-5 * np.abs(2 * fit * X.T @ Y).max()
    assert (w != 0).any()
