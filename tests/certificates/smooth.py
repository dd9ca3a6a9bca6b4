"""Smooth losses: gradients in extended precision, and the objective beside its minimum by Newton's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EPS, EXTENDED, Finding, classes, counted, extended, fitted, least, regression

Rows = Callable[[Any], tuple[Any, Any, Any]]
"""Of scores: the loss, its derivative and its curvature, row by row."""


@dataclass(frozen=True)
class Smooth:
    """sum of the losses of the scores X w + b + alpha |w|^2 / 2, in extended precision."""

    X: Any
    rows: Rows
    alpha: Any

    def table(self) -> Any:
        return np.column_stack([self.X, np.ones(len(self.X), dtype=EXTENDED)])

    def value(self, theta: Any) -> Any:
        with np.errstate(all="ignore"):
            return self.rows(self.table() @ theta)[0].sum() + self.alpha * theta[:-1] @ theta[:-1] / 2

    def derivatives(self, theta: Any) -> tuple[Any, Any]:
        table = self.table()
        _, gradient, curvature = self.rows(table @ theta)
        kept = np.append(np.full(len(theta) - 1, self.alpha), EXTENDED(0))
        return table.T @ gradient + kept * theta, (table.T * curvature) @ table + np.diag(kept)

    def largest_entry(self, theta: Any) -> tuple[float, float]:
        """The largest product of a column with the row gradients beside their norms, and what rounding adds."""
        table = self.table()
        _, gradient, curvature = self.rows(table @ theta)
        kept = self.alpha * np.append(theta[:-1], EXTENDED(0))
        scale = np.sqrt((table**2).sum(axis=0)) * np.sqrt(gradient @ gradient) + np.abs(kept)
        felt = 32 * EPS * (np.abs(curvature) * (np.abs(table) @ np.abs(theta)) + np.abs(gradient))
        blur = np.abs(table).T @ felt
        return float((np.abs(table.T @ gradient + kept) / scale).max()), float((blur / scale).max())


def findings(problem: Smooth, coef: Any, intercept: Any, model: Any) -> list[Finding]:
    """The gradient beside the stated one; and how far the objective is above its minimum, beside that of no columns."""
    theta = np.append(extended(coef)[0], EXTENDED(float(intercept)))
    entry, blur = problem.largest_entry(theta)
    here, best = problem.value(theta), least(problem.value, problem.derivatives, theta)
    nothing = problem.value(np.append(np.zeros(len(theta) - 1, dtype=EXTENDED), theta[-1]))
    excess = float(abs(here - best) / max(abs(nothing), abs(here)))
    return [Finding(entry, model.certificate_, blur), Finding(excess, model.certificate_, 64 * EPS)]


def _logistic(sign: Any) -> Rows:
    def rows(z: Any) -> tuple[Any, Any, Any]:
        m = sign * z
        loss = np.logaddexp(EXTENDED(0), -m)
        below = np.exp(-np.logaddexp(EXTENDED(0), m))
        return loss, -sign * below, below * (1 - below)

    return rows


def logistic(name: str, seed: int) -> list[Finding]:
    """Two classes that the columns nearly separate, at strong and weak penalties."""
    X, y = classes(seed)
    C = 10.0 ** np.random.default_rng(seed).integers(-2, 5)
    if name.endswith("CV"):
        model = fitted(learnable.LogisticRegressionCV(Cs=[C, 10 * C], cv=3), X, y)
        C = float(np.ravel(model.C_)[0])
    else:
        model = fitted(learnable.LogisticRegression(C=C), X, y)
    sign = extended(np.where(y == model.classes_[1], 1.0, -1.0))[0]
    problem = Smooth(extended(X)[0], _logistic(sign), EXTENDED(1) / EXTENDED(C))
    return findings(problem, model.coef_[0], model.intercept_[0], model)


def generalised(name: str, seed: int) -> list[Finding]:
    """Counts and positive targets; the deviance of the family under the log link."""
    X, y = counted(seed)
    alpha = 10.0 ** np.random.default_rng(seed).integers(-6, 1)
    power = {"PoissonRegressor": 1.0, "GammaRegressor": 2.0, "TweedieRegressor": 1.5}[name]
    given = {"power": power, "link": "log"} if name == "TweedieRegressor" else {}
    model = fitted(getattr(learnable, name)(alpha=alpha, max_iter=1000, **given), X, y)
    target, p, n = extended(y)[0], EXTENDED(power), EXTENDED(len(y))

    def rows(z: Any) -> tuple[Any, Any, Any]:
        mean = np.exp(z)
        left = {1.0: mean - target * z, 2.0: target / mean + z}.get(power)
        loss = left if left is not None else mean ** (2 - p) / (2 - p) - target * mean ** (1 - p) / (1 - p)
        curvature = (2 - p) * mean ** (2 - p) - (1 - p) * target * mean ** (1 - p)
        return loss / n, (mean - target) * mean ** (1 - p) / n, curvature / n

    return findings(Smooth(extended(X)[0], rows, EXTENDED(alpha)), model.coef_, model.intercept_, model)


def robust(name: str, seed: int) -> list[Finding]:
    """Losses whose gradients are bounded, with one far row."""
    X, y = regression(seed)
    y[3] += 100 * np.abs(y).max()
    alpha, n = 10.0 ** np.random.default_rng(seed).integers(-6, 1), EXTENDED(len(y))
    target = extended(y)[0]
    if name == "LogCoshRegressor":
        model = fitted(learnable.LogCoshRegressor(alpha=alpha), X, y)
        problem = Smooth(extended(X)[0], _log_cosh(target, n), EXTENDED(alpha))
    else:
        model = fitted(learnable.HuberRegressor(alpha=alpha, max_iter=1000), X, y)
        problem = Smooth(extended(X)[0], _huber(target, EXTENDED(model.epsilon), n), 2 * EXTENDED(alpha) / n)
    return findings(problem, model.coef_, model.intercept_, model)


def _log_cosh(y: Any, n: Any) -> Rows:
    def rows(z: Any) -> tuple[Any, Any, Any]:
        u = y - z
        loss = np.abs(u) + np.log1p(np.exp(-2 * np.abs(u)))
        return loss / n, -np.tanh(u) / n, (1 - np.tanh(u) ** 2) / n

    return rows


def _huber(y: Any, epsilon: Any, n: Any) -> Rows:
    """The scale that is best for the residuals is found by halving; the curvature is that at this scale."""

    def rows(z: Any) -> tuple[Any, Any, Any]:
        size = np.abs(y - z)
        low, high = EXTENDED(0), size.max() + EXTENDED(1e-300)
        for _ in range(200):  # where the squares of what is clipped sum to the number of rows
            middle = (low + high) / 2
            if (np.minimum(size, epsilon * middle) ** 2).sum() > n * middle**2:
                low = middle
            else:
                high = middle
        scale = (low + high) / 2
        u = (y - z) / scale
        inside = np.abs(u) <= epsilon
        loss = scale + scale * np.where(inside, u**2, 2 * epsilon * np.abs(u) - epsilon**2)
        gradient = -np.where(inside, 2 * u, 2 * epsilon * np.sign(u))
        return loss / n, gradient / n, np.where(inside, 2 / scale, 2 * epsilon / size) / n

    return rows


def student(name: str, seed: int) -> list[Finding]:
    """The derivatives of the likelihood by coefficients, intercept and scale."""
    X, y = regression(seed)
    y[3] += 100 * np.abs(y).max()
    model = fitted(learnable.StudentTRegressor(), X, y)
    X, y = extended(X, y)
    d, c = EXTENDED(model.degrees_), EXTENDED(model.scale_)

    def rows(z: Any) -> tuple[Any, Any, Any]:
        r = (y - z) / c
        return (d + 1) / 2 * np.log1p(r**2 / d), -(d + 1) * r / (d + r**2) / c, (d + 1) / (d + r**2) / c**2

    theta = np.append(extended(model.coef_)[0], EXTENDED(model.intercept_))
    problem = Smooth(X, rows, EXTENDED(0))
    entry, blur = problem.largest_entry(theta)
    r = (y - problem.table() @ theta) / c
    terms = (d + 1) * r**2 / (d + r**2)
    by_scale = float(abs(terms.sum() - len(y)) / (terms.sum() + len(y)))
    return [Finding(entry, model.certificate_, blur), Finding(by_scale, model.certificate_, max(blur, 64 * EPS))]


def kernel_logistic(name: str, seed: int) -> list[Finding]:
    """The objective above its minimum, over dual coefficients and intercept, relative to the loss of f = 0."""
    X, y = classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    alpha = 10.0 ** np.random.default_rng(seed).integers(-3, 2)
    model = fitted(learnable.KernelLogisticRegression(alpha=alpha, kernel="rbf", gamma=0.5), X, y)
    Z = extended(X)[0]
    K = np.exp(-EXTENDED(0.5) * ((Z[:, None] - Z) ** 2).sum(axis=2))
    sign = extended(np.where(y == model.classes_[1], 1.0, -1.0))[0]
    rows = _logistic(sign)
    b, dual = EXTENDED(float(model.intercept_[0])), extended(model.dual_coef_[:, 0])[0]

    def value(theta: Any) -> Any:
        f = K @ theta[:-1]
        return rows(f + theta[-1])[0].sum() + EXTENDED(alpha) * theta[:-1] @ f / 2

    def derivatives(theta: Any) -> tuple[Any, Any]:
        _, gradient, curvature = rows(K @ theta[:-1] + theta[-1])
        J = np.column_stack([K, np.ones(len(K), dtype=EXTENDED)])
        kept = np.zeros((len(theta), len(theta)), dtype=EXTENDED)
        kept[:-1, :-1] = EXTENDED(alpha) * K
        return J.T @ gradient + kept @ theta, (J.T * curvature) @ J + kept

    theta = np.append(dual, b)
    excess = float((value(theta) - least(value, derivatives, theta)) / (len(y) * np.log(EXTENDED(2))))
    return [Finding(excess, model.certificate_, 64 * EPS)]
