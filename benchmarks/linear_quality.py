"""Quality figures of linear models, from their coefficients alone, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def weights(output: Any) -> tuple[Array, float]:
    """The coefficients and the intercept of an output for one target."""
    coef = np.asarray(output["coef"], dtype=np.float64).ravel()
    return coef, float(np.asarray(output.get("intercept", 0.0), dtype=np.float64).ravel()[0])


def mean_squared_error(data: Any, output: Any) -> float:
    """The mean squared residual on the data."""
    w, b = weights(output)
    return float(np.mean((data["y"] - data["X"] @ w - b) ** 2))


def elastic_gaps(X: Any, y: Array, W: Array, b: Array | None, l1: Array, l2: Array) -> Array:
    """Duality duality_gaps of   mean (y - Xw - b)^2 / 2 + l1 |w|_1 + l2 |w|^2 / 2   over its value at w = 0.

    One gap for each column of W. b is None for a model without an intercept. The dual point is the residual, centred
    if there is an intercept. It proves two bounds, and the better one is used for all contenders: scaled by the
    best feasible factor, with the square as rows added to X; or as it is, with the square inside the conjugate
    (|X'r| / n - l1)+^2 / (2 l2). The first is loose near an optimum with l2 > 0, the second is not there without it.
    """
    residual = y[:, None] - X @ W - (0 if b is None else b)
    point = residual if b is None else residual - residual.mean(axis=0)
    target = y if b is None else y - y.mean()
    size = (point**2).mean(axis=0) + l2 * (W**2).sum(axis=0)
    gradient = X.T @ point / len(y)
    steepest = np.abs(gradient - l2 * W).max(axis=0)
    overlap = target @ point / len(y)
    scale = np.minimum(l1 / np.maximum(steepest, 1e-300), overlap / size)
    primal = (residual**2).mean(axis=0) / 2 + l1 * np.abs(W).sum(axis=0) + l2 / 2 * (W**2).sum(axis=0)
    scaled = scale * overlap - scale**2 / 2 * size
    beyond = (np.maximum(np.abs(gradient) - l1, 0) ** 2).sum(axis=0)
    conjugate = np.divide(beyond, 2 * l2, out=np.full(len(l2), np.inf), where=l2 > 0)
    dual = np.maximum(scaled, overlap - (point**2).mean(axis=0) / 2 - conjugate)
    duality_gaps: Array = (primal - dual) / ((target**2).mean() / 2)
    return duality_gaps


def elastic_gap(data: Any, output: Any) -> float:
    """The relative duality gap of one elastic-net fit; data hold alpha and l1_ratio."""
    w, b = weights(output)
    alpha, ratio = data["alpha"], data["l1_ratio"]
    penalty = np.array([alpha * ratio]), np.array([alpha * (1 - ratio)])
    return float(elastic_gaps(data["X"], data["y"], w[:, None], np.array([b]), *penalty)[0])


def elastic_path_gap(data: Any, output: Any) -> float:
    """The largest relative duality gap along a path without an intercept."""
    alphas = np.asarray(output["alphas"], dtype=np.float64)
    W = np.asarray(output["coefs"], dtype=np.float64)
    if "expected" in data and not np.allclose(np.sort(alphas), np.sort(data["expected"])):
        return np.nan
    ratio = data["l1_ratio"]
    return float(elastic_gaps(data["X"], data["y"], W, None, alphas * ratio, alphas * (1 - ratio)).max())


class Ridges:
    """Exact ridge solutions of one problem for any alpha, by one eigen-decomposition."""

    def __init__(self, X: Array, y: Array) -> None:
        n = len(y)
        self.mean_x, self.mean_y = X.mean(axis=0), y.mean()
        gram = X.T @ X - n * np.outer(self.mean_x, self.mean_x)
        self.moment = X.T @ y - n * self.mean_x * self.mean_y
        self.values, self.vectors = np.linalg.eigh(gram)
        self.X, self.y = X, y

    def solve(self, alpha: float) -> tuple[Array, float]:
        """The weights and the intercept that minimise   |y - Xw - b|^2 + alpha |w|^2."""
        w = self.vectors @ ((self.vectors.T @ self.moment) / (self.values + alpha))
        return w, self.mean_y - self.mean_x @ w

    def objective(self, w: Array, b: float, alpha: float) -> float:
        """The value that solve minimises."""
        return float(((self.y - self.X @ w - b) ** 2).sum() + alpha * (w @ w))

    def excess(self, w: Array, b: float, alpha: float) -> float:
        """The relative excess of the objective over the optimum."""
        best = self.objective(*self.solve(alpha), alpha)
        return self.objective(w, b, alpha) / best - 1

    def leave_one_out(self, alphas: Array) -> Array:
        """The exact leave-one-out mean squared error for each alpha."""
        scores = (self.X - self.mean_x) @ self.vectors
        errors = []
        for alpha in alphas:
            w, b = self.solve(alpha)
            leverage = (scores**2) @ (1 / (self.values + alpha)) + 1 / len(self.y)
            errors.append(np.mean(((self.y - self.X @ w - b) / (1 - leverage)) ** 2))
        return np.array(errors)
