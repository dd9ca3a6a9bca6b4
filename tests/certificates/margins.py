"""Kernel machines and linear margins: optimality conditions and duality gap from their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EPS, EXTENDED, Finding, classes, extended, fitted, least, regression

GAMMA = 0.5


def _table(seed: int, name: str) -> tuple[Any, Any, Any]:
    """Standardised columns, a target, and the kernel of the rows in extended precision."""
    X, y = regression(seed, rows=50) if name.endswith("R") else classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Z = extended(X)[0]
    return X, y, np.exp(-EXTENDED(GAMMA) * ((Z[:, None] - Z) ** 2).sum(axis=2))


def _dual(model: Any, rows: int) -> Any:
    b = np.zeros(rows, dtype=EXTENDED)
    b[model.support_] = extended(model.dual_coef_[0])[0]
    return b


def _spread(rise: Any, may_rise: Any, fall: Any, may_fall: Any) -> float:
    """By how much the best gain of a rise exceeds the least loss of a fall."""
    if not may_rise.any() or not may_fall.any():
        return 0.0
    return float(rise[may_rise].max() - fall[may_fall].min())


def violation(name: str, seed: int) -> Finding:
    """Dual variables that may rise gain no more than those that may fall lose."""
    X, y, K = _table(seed, name)
    C = 10.0 ** np.random.default_rng(seed).integers(-2, 4)
    cls = getattr(learnable, name)
    given = {"C": C} if name in ("SVC", "SVR") else {"nu": 0.2}
    model = fitted(cls(kernel="rbf", gamma=GAMMA, **given), X, *([] if name == "OneClassSVM" else [y]))
    b = _dual(model, len(X))
    f = K @ b
    true = {"SVC": _of_svc, "SVR": _of_svr, "NuSVC": _of_nu_svc, "NuSVR": _of_nu_svr, "OneClassSVM": _of_one_class}[
        name
    ]
    unit = float(np.abs(b).max() if name.startswith("NuSVC") else 1.0)
    rounding = 64 * EPS * float((np.abs(K) @ np.abs(b)).max() + np.abs(y).max()) / unit
    return Finding(max(true(model, y, b, f, C), 0.0), model.certificate_, rounding)


def _of_svc(model: Any, y: Any, b: Any, f: Any, C: float) -> float:
    sign = np.where(y == model.classes_[1], 1, -1)
    steep = sign - f
    return _spread(steep, np.where(sign > 0, b < C, b < 0), steep, np.where(sign > 0, b > 0, b > -C))


def _of_svr(model: Any, y: Any, b: Any, f: Any, C: float) -> float:
    left, width = extended(y)[0] - f, EXTENDED(model.epsilon)
    return _spread(left - np.where(b >= 0, width, -width), b < C, left - np.where(b > 0, width, -width), b > -C)


def _of_one_class(model: Any, y: Any, b: Any, f: Any, C: float) -> float:
    return _spread(-f, b < 1, -f, b > 0)


def _of_nu_svc(model: Any, y: Any, b: Any, f: Any, C: float) -> float:
    """Each class by itself, of the problem before it was scaled to a margin of one."""
    top = np.abs(b).max()
    signs = np.where(y == model.classes_[1], 1, -1)
    found = []
    for sign in (1, -1):
        own, a = signs == sign, np.abs(b) / top
        gain = -sign * f / top
        found.append(_spread(gain, own & (a < 1), gain, own & (a > 0)))
    return max(found)


def _of_nu_svr(model: Any, y: Any, b: Any, f: Any, C: float) -> float:
    left, top = extended(y)[0] - f, model.C
    found = []
    for sign in (1, -1):
        a, gain = np.maximum(sign * b, 0), sign * left
        found.append(_spread(gain, a < top, gain, a > 0))
    return max(found)


def linear_gap(name: str, seed: int) -> Finding:
    """Squared losses: the objective above its minimum by Newton's method, relative to it."""
    X, y = (regression if name == "LinearSVR" else classes)(seed)
    X = X / np.abs(X).max(axis=0)
    C = 10.0 ** np.random.default_rng(seed).integers(-2, 4)
    if name == "LinearSVR":
        model = fitted(learnable.LinearSVR(C=C, loss="squared_epsilon_insensitive", epsilon=0.1, max_iter=20_000), X, y)
        target, width = extended(y)[0], EXTENDED(0.1)
    else:
        model = fitted(learnable.LinearSVC(C=C, max_iter=20_000), X, y)
        target, width = extended(np.where(y == model.classes_[1], 1.0, -1.0))[0], None
    table = np.column_stack([extended(X)[0], np.ones(len(X), dtype=EXTENDED)])

    def parts(theta: Any) -> tuple[Any, Any]:
        z = table @ theta
        if width is None:
            left = np.maximum(1 - target * z, 0)
            return left, -target
        off = target - z
        return np.maximum(np.abs(off) - width, 0), -np.sign(off)

    def value(theta: Any) -> Any:
        left, _ = parts(theta)
        return theta @ theta / 2 + EXTENDED(C) * left @ left

    def derivatives(theta: Any) -> tuple[Any, Any]:
        left, direction = parts(theta)
        active = table[left > 0]
        return theta + 2 * EXTENDED(C) * table.T @ (left * direction), np.eye(len(theta)) + 2 * EXTENDED(
            C
        ) * active.T @ active

    theta = extended(np.append(np.ravel(model.coef_), np.ravel(model.intercept_)))[0]
    here, best = value(theta), least(value, derivatives, theta)
    return Finding(float((here - best) / here), model.certificate_, 64 * EPS)


def kernel_ridge(name: str, seed: int) -> Finding:
    """The dual coefficients solve (K + alpha) c = y for a system that differs by this, beside its largest entry."""
    X, y, K = _table(seed, "SVR")
    alpha = 10.0 ** np.random.default_rng(seed).integers(-8, 3)
    model = fitted(learnable.KernelRidge(alpha=alpha, kernel="rbf", gamma=GAMMA), X, y)
    c, target = extended(model.dual_coef_, y)
    A = K + EXTENDED(alpha) * np.eye(len(K))
    residual = np.abs(target - A @ c).max()
    largest = np.abs(A).max()
    return Finding(float(residual / (largest * np.abs(c).sum())), model.certificate_, 16 * EPS)
