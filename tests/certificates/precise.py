"""Problems that are badly scaled, collinear or nearly separable, and solvers in extended precision."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.core import Certificate, ConvergenceWarning

EXTENDED = np.longdouble
EPS = float(np.finfo(np.float64).eps)


FACTOR = 2.0  # by which a certificate may understate what it states


@dataclass(frozen=True)
class Finding:
    """The true value of what a certificate states beside it; `rounding` is what no evaluation in doubles can know."""

    true: float
    stated: Certificate
    rounding: float = 0.0

    def lie(self) -> str:
        """How the certificate is wrong: the truth is more than a factor of its value and rounding beyond it."""
        value = self.stated.value
        if self.true <= FACTOR * value + self.rounding:
            return ""
        return f"{self.true:.2g}, stated {value:.2g} (rounding {self.rounding:.1g})"


def columns(draws: np.random.Generator, kind: int, rows: int, count: int) -> np.ndarray:
    """Columns that are ordinary, of other sizes, nearly collinear, far from zero, or all of that."""
    X = draws.standard_normal((rows, count))
    near = X[:, 0] + 10.0 ** -draws.integers(2, 8) * draws.standard_normal(rows)
    if kind in (2, 4) and count > 1:
        X[:, -1] = near
    if kind in (1, 4):
        X *= 10.0 ** draws.integers(-4, 5, count)
    if kind in (3, 4):
        X += 10.0 ** draws.integers(0, 5 if kind == 3 else 3)
    return X


def regression(seed: int, rows: int = 40, count: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Columns and a target that follows them up to noise of any size."""
    draws = np.random.default_rng(seed)
    X = columns(draws, seed % 5, rows, count)
    direction = (X - X.mean(axis=0)) / X.std(axis=0) @ draws.standard_normal(count)
    return X, direction + 10.0 ** -draws.integers(0, 5) * draws.standard_normal(rows)


def several(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns and two targets."""
    X, y = regression(seed)
    return X, np.column_stack([y, np.roll(y, 1) - y])


def counted(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns and positive whole targets."""
    X, y = regression(seed)
    return X, np.random.default_rng(seed).poisson(np.exp(np.clip(y, -2, 2))) + 1.0


def classes(seed: int, count: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Columns and classes that they nearly separate: the noise at the boundary is small, and one row is on its side."""
    draws = np.random.default_rng(seed)
    X = columns(draws, seed % 5, 40, 3)
    score = (X - X.mean(axis=0)) / X.std(axis=0) @ draws.standard_normal(3) + 0.3 * draws.standard_normal(40)
    y = np.digitize(score, np.quantile(score, np.arange(1, count) / count))
    y[np.argmax(score)] = 0
    return X, y


def fitted(model: Any, *data: Any) -> Any:
    """The model, fitted; that a certificate does not hold is what is examined here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*data)


def extended(*arrays: Any) -> list[Any]:
    """The arrays in extended precision."""
    return [np.asarray(array).astype(EXTENDED) for array in arrays]


def solved(A: Any, b: Any) -> Any:
    """The solutions of systems with scaled diagonals, by elimination with pivots in extended precision."""
    A, b = A.copy(), b.reshape(len(A), -1).copy()
    for k in range(len(A)):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, pivot]], b[[k, pivot]] = A[[pivot, k]], b[[pivot, k]]
        if A[k, k] == 0:
            A[k, k] = EXTENDED(np.inf)  # a direction without effect is left alone
        for j in range(k + 1, len(A)):
            factor = A[j, k] / A[k, k]
            A[j, k:] -= factor * A[k, k:]
            b[j] -= factor * b[k]
    for k in reversed(range(len(A))):
        b[k] = (b[k] - A[k, k + 1 :] @ b[k + 1 :]) / A[k, k]
    return b


def scaled_solution(H: Any, g: Any) -> Any:
    """The solution of H d = g for a positive matrix whose columns may be of very different sizes."""
    size = np.sqrt(np.maximum(H.diagonal(), EXTENDED(1e-4000)))
    return solved(H / size / size[:, None], g / size)[:, 0] / size


def least(value: Callable[[Any], Any], derivatives: Callable[[Any], Any], start: Any) -> Any:
    """The minimum of a convex function by Newton's method with halved steps, from `start`."""
    here, now = start, value(start)
    for _ in range(60):
        gradient, hessian = derivatives(here)
        ridge = EXTENDED(1e-17) * np.diag(np.maximum(hessian.diagonal(), EXTENDED(1e-300)))
        step = scaled_solution(hessian + ridge, gradient)
        for halving in range(30):
            trial = here - step / 2**halving
            found = value(trial)
            if found < now:
                break
        else:
            break
        here, now = trial, found
    return now


def signed_minimum(X: Any, y: Any, alpha: float, l1_ratio: float, positive: bool = False) -> Any:
    """The minimum of the elastic net on centred columns: the best of all patterns of signs, each solved by itself."""
    n, best = len(y), None
    objective = elastic_net(X, y, alpha, l1_ratio)
    for signs in itertools.product((0, 1) if positive else (-1, 0, 1), repeat=X.shape[1]):
        chosen = np.flatnonzero(signs)
        coef = np.zeros(X.shape[1], dtype=EXTENDED)
        if len(chosen):
            part = X[:, chosen]
            hessian = part.T @ part / n + EXTENDED(alpha) * EXTENDED(1 - l1_ratio) * np.eye(len(chosen))
            pull = part.T @ y / n - EXTENDED(alpha) * EXTENDED(l1_ratio) * np.array(signs)[chosen]
            coef[chosen] = scaled_solution(hessian, pull)
        if positive and (coef < 0).any():
            continue
        found = objective(coef)
        best = found if best is None or found < best else best
    return best


def elastic_net(X: Any, y: Any, alpha: float, l1_ratio: float) -> Callable[[Any], Any]:
    """mean (y - Xw)^2 / 2 + alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)."""
    a, share = EXTENDED(alpha), EXTENDED(l1_ratio)

    def value(coef: Any) -> Any:
        residual = y - X @ coef
        return residual @ residual / (2 * len(y)) + a * (share * np.abs(coef).sum() + (1 - share) * coef @ coef / 2)

    return value
