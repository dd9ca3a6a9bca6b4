"""Gaussian processes: the gradient of the marginal likelihood by the definition, with dense matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import learnable
from learnable.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from tests.certificates.precise import Finding, classes, fitted, regression

STEP = 1e-4


def projected_gradient(name: str, seed: int) -> Finding:
    """The largest entry of the gradient within the bounds, by differences of the likelihood."""
    X, y = regression(seed, rows=40) if name.endswith("Regressor") else classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel = ConstantKernel(2.0, (1e-2, 1e2)) * RBF(1.0)
    if name.endswith("Regressor"):
        model = fitted(
            learnable.GaussianProcessRegressor(kernel + WhiteKernel(0.5, (1e-2, 1e2)), normalize_y=True), X, y
        )
        centred = (y - y.mean()) / y.std()
        likelihood = partial(_exact, y=centred)
    else:
        model = fitted(learnable.GaussianProcessClassifier(kernel), X, y)
        sign = np.where(y == model.classes_[1], 1.0, -1.0)
        likelihood = partial(_laplace, sign=sign)
    theta, bounds = model.kernel_.theta, model.kernel_.bounds
    steps = STEP * np.eye(len(theta))

    def value(theta: Any) -> float:
        return float(likelihood(model.kernel_.clone_with_theta(theta)(X)))

    gradient = np.array([(value(theta + s) - value(theta - s)) / (2 * STEP) for s in steps])
    lower, upper = theta <= bounds[:, 0] + 1e-9, theta >= bounds[:, 1] - 1e-9
    inside = np.where((lower & (gradient < 0)) | (upper & (gradient > 0)), 0.0, gradient)
    return Finding(float(np.abs(inside).max()), model.certificate_, 1e-5 * max(1.0, abs(value(theta))))


def _exact(K: Any, y: Any) -> float:
    C = K + 1e-10 * np.eye(len(K))
    return float(-y @ np.linalg.solve(C, y) / 2 - np.linalg.slogdet(C)[1] / 2 - len(y) * np.log(2 * np.pi) / 2)


def _laplace(K: Any, sign: Any) -> float:
    """By Newton's method in the values of the function, without any of the shortcuts."""
    f, unit = np.zeros(len(K)), np.eye(len(K))
    for _ in range(100):
        pi = 1 / (1 + np.exp(-f))
        W = pi * (1 - pi)
        f = K @ np.linalg.solve(unit + W[:, None] * K, W * f + (sign + 1) / 2 - pi)
    pi = 1 / (1 + np.exp(-f))
    W, residual = pi * (1 - pi), (sign + 1) / 2 - pi
    value = -np.logaddexp(0, -sign * f).sum() - f @ residual / 2
    return float(value - np.linalg.slogdet(unit + W[:, None] * K)[1] / 2)
