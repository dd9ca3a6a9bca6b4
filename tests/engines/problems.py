"""Problems of the minimise engine whose optimum is known because they were built from it."""

from __future__ import annotations

import numpy as np

from learnable.engines.minimise.problem import Model, Point, Problem
from learnable.engines.minimise.row_losses import LossRows, normalised_weights
from learnable.parts.losses import Poisson
from learnable.parts.penalties import L2


def orthogonal_to(columns: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The part of `vector` that no combination of `columns` explains."""
    basis = np.linalg.qr(columns)[0]
    return vector - basis @ (basis.T @ vector)


def poisson_with_optimum(n: int = 300, p: int = 6, seed: int = 0) -> tuple[Problem, np.ndarray, float]:
    """Unpenalised counts (not whole) whose residuals are orthogonal to the columns at the given coefficients."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-2, 2, p) + rng.normal(size=p)
    coef, intercept = rng.normal(size=p) / 3 / X.std(axis=0), 0.7
    intercept -= float(X.mean(axis=0) @ coef)
    mean = np.exp(X @ coef + intercept)
    noise = orthogonal_to(np.column_stack([np.ones(n), X]), rng.normal(size=n))
    y = mean + noise * (0.9 * mean / np.abs(noise)).min()
    return Problem.of(X, LossRows(Poisson(), y, normalised_weights(None, n)), L2(0.0), True), coef, intercept


def starting_point(problem: Problem) -> tuple[Point, Model]:
    """All zero, and the quadratic model there."""
    point = Point.of(problem, np.zeros(problem.X.shape[1]), 0.0)
    return point, Model(problem, point, caution=1.0)
