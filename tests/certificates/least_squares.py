"""Penalised and plain least squares: duality gap, backward errors, paths and pursuits in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import (
    EPS,
    EXTENDED,
    Finding,
    elastic_net,
    extended,
    fitted,
    regression,
    scaled_solution,
    several,
    signed_minimum,
)
from tests.linear_model.test_certificate_values import quantile_gaps, ridge_gaps


def _centred(X: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    X, y = extended(X, y)
    return X - X.mean(axis=0), y - y.mean(axis=0), X.mean(axis=0), y.mean(axis=0)


def elastic_net_gap(name: str, seed: int) -> Finding:
    """Objective above the least of all patterns of signs; the intercept counts as it is stored."""
    X, y = regression(seed)
    draws = np.random.default_rng(seed)
    alpha, ratio = 10.0 ** draws.integers(-6, 1), float(draws.choice([1.0, 0.5, 0.1]))
    cls = getattr(learnable, name)
    if name.endswith("CV"):
        model = fitted(cls(cv=3, random_state=0), X, y)
        alpha, ratio = model.alpha_, getattr(model, "l1_ratio_", 1.0)
    else:
        ratio = 1.0 if name == "Lasso" else ratio
        model = fitted(cls(alpha=alpha, **({} if name == "Lasso" else {"l1_ratio": ratio})), X, y)
    centred, rest, mean_x, mean_y = _centred(X, y)
    coef = extended(model.coef_)[0]
    off = mean_y - mean_x @ coef - EXTENDED(float(model.intercept_))
    here = elastic_net(centred, rest, alpha, ratio)(coef) + off**2 / 2
    unit = float(rest @ rest) / len(y)
    far = float(np.abs(mean_x * coef).sum()) ** 2
    return Finding(
        float(here - signed_minimum(centred, rest, alpha, ratio)),
        model.certificate_,
        8 * EPS * unit + 4 * EPS**2 * far,
    )


def group_gap(name: str, seed: int) -> Finding:
    """Objective above that of a descent by blocks in extended precision from the same place."""
    X, Y = several(seed)
    cls = getattr(learnable, name)
    draws = np.random.default_rng(seed)
    if name.endswith("CV"):
        model = fitted(cls(cv=3, random_state=0), X, Y)
        alpha, ratio = model.alpha_, getattr(model, "l1_ratio_", 1.0)
    else:
        alpha, ratio = 10.0 ** draws.integers(-4, 1), 1.0 if name.endswith("Lasso") else 0.5
        model = fitted(cls(alpha=alpha, **({} if name.endswith("Lasso") else {"l1_ratio": ratio})), X, Y)
    centred, rest, mean_x, mean_y = _centred(X, Y)
    W = extended(model.coef_.T)[0]
    off = mean_y - mean_x @ W - extended(model.intercept_)[0]
    value = _group_objective(centred, rest, alpha, ratio)
    best = _by_blocks(centred, rest, alpha, ratio, W)
    unit = float((rest * rest).sum()) / len(X)
    return Finding(float(value(W) + (off * off).sum() / 2 - value(best)), model.certificate_, 8 * EPS * unit)


def _group_objective(X: Any, Y: Any, alpha: float, ratio: float) -> Any:
    a, share = EXTENDED(alpha), EXTENDED(ratio)

    def value(W: Any) -> Any:
        residual = Y - X @ W
        lengths = np.sqrt((W * W).sum(axis=1)).sum()
        return (residual * residual).sum() / (2 * len(X)) + a * (share * lengths + (1 - share) * (W * W).sum() / 2)

    return value


def _by_blocks(X: Any, Y: Any, alpha: float, ratio: float, W: Any, rounds: int = 300) -> Any:
    W, n = W.copy(), len(X)
    residual = Y - X @ W
    for _ in range(rounds):
        for j in range(len(W)):
            x = X[:, j]
            square = x @ x / n
            target = x @ residual / n + square * W[j]
            length = np.sqrt(target @ target)
            shrunk = max(1 - EXTENDED(alpha) * ratio / length, 0) if length > 0 else 0
            new = target * shrunk / (square + EXTENDED(alpha) * EXTENDED(1 - ratio))
            residual -= np.outer(x, new - W[j])
            W[j] = new
    return W


def ridge_gap(name: str, seed: int) -> Finding:
    """The objective above its minimum, relative to it, of the worst target."""
    true, stated = _ridge(name, seed) if name != "Ridge" else ridge_gaps(seed, np.float64)
    return Finding(true, stated, EPS)


def _ridge(name: str, seed: int) -> tuple[float, Any]:
    X, y = regression(seed)
    alpha = 10.0 ** np.random.default_rng(seed).integers(-6, 4)
    targets = y
    if "Classifier" in name:
        targets = np.where(y > np.median(y), 1.0, -1.0)
        y = targets > 0
    cls = getattr(learnable, name)
    model = fitted(cls([alpha, 10 * alpha]) if name.endswith("CV") else cls(alpha), X, y)
    alpha = getattr(model, "alpha_", alpha)
    centred, rest, mean_x, mean_y = _centred(X, targets)
    coef = extended(np.ravel(model.coef_))[0]
    off = mean_y - mean_x @ coef - EXTENDED(float(np.ravel(model.intercept_)[0]))
    gradient = centred.T @ (rest - centred @ coef) - EXTENDED(alpha) * coef
    hessian = centred.T @ centred + EXTENDED(alpha) * np.eye(len(coef))
    gain = gradient @ scaled_solution(hessian, gradient) + len(y) * off**2
    residual = rest - centred @ coef - off
    if model.certificate_.kind != "duality gap":
        return float(np.sqrt(abs(gain) / (rest @ rest))), model.certificate_
    return float(abs(gain) / (residual @ residual + EXTENDED(alpha) * coef @ coef)), model.certificate_


def quantile_gap(name: str, seed: int) -> Finding:
    true, stated = quantile_gaps(seed, np.float64)
    return Finding(true, stated, EPS)


def backward_error(name: str, seed: int) -> Finding:
    """The least of three changes of the data for which the coefficients are exactly those of least squares."""
    X, y = regression(seed)
    labels = (y > np.median(y)).astype(int)
    model = fitted(getattr(learnable, name)(), X, labels if name == "LeastSquaresClassifier" else y)
    linear = getattr(model, "regressor_", model)
    coef, intercept = np.atleast_2d(linear.coef_), np.atleast_1d(linear.intercept_)
    targets = [2.0 * labels - 1, -2.0 * labels + 1, labels, 1 - labels] if name == "LeastSquaresClassifier" else [y]
    found = [min(_least_change(X, t, *pair) for t in targets) for pair in zip(coef, intercept, strict=True)]
    return Finding(max(found), model.certificate_, max(_felt(X, targets[0], w) for w in coef))


def _least_change(X: Any, y: Any, coef: Any, intercept: Any) -> float:
    """So that the columns are orthogonal to the residual, that it vanishes, or that the target loses its part."""
    centred, rest, _, _ = _centred(X, y)
    coef = extended(coef)[0]
    residual = rest - centred @ coef
    gradient = centred.T @ residual
    lengths, size = np.sqrt((centred * centred).sum(axis=0)), np.sqrt(residual @ residual)
    if size == 0:
        return 0.0
    part = np.sqrt(np.abs(gradient @ scaled_solution(centred.T @ centred, gradient)) / (rest @ rest))
    vanishing = size / np.sqrt((lengths * coef) @ (lengths * coef))
    return float(min((np.abs(gradient) / lengths).max() / size, vanishing, part))


def path_optimality(name: str, seed: int) -> Finding:
    """The end of the path: columns that are in have one correlation with the residual, others less."""
    X, y = regression(seed)
    model = fitted(getattr(learnable, name)(**({"alpha": 1e-3} if name == "LassoLars" else {})), X, y)
    centred, rest, _, _ = _centred(X, y)
    coef = extended(np.ravel(model.coef_))[0]
    products = centred.T @ (rest - centred @ coef)
    unit = np.sqrt((centred * centred).sum(axis=0)) * np.sqrt(rest @ rest)
    alpha = EXTENDED(float(np.ravel(getattr(model, "alpha_", model.__dict__.get("alphas_", [0.0])))[-1])) * len(y)
    active = np.flatnonzero(model.coef_)
    off = np.maximum(np.abs(products) - alpha, 0)
    signs = np.sign(coef if name.startswith("Lasso") else products)  # a coefficient of LARS may change its sign
    off[active] = np.abs(products[active] - signs[active] * alpha)
    return Finding(float((off / unit).max()), model.certificate_, 8 * _felt(X, y, np.ravel(model.coef_)))


def _felt(X: Any, y: Any, coef: Any) -> float:
    """Rounding of a residual in doubles, beside the target: large coefficients of columns alike, columns far from 0."""
    lengths = np.sqrt((X.astype(float) ** 2).sum(axis=0))
    return float(8 * EPS * (lengths @ np.abs(np.asarray(coef, float)) / np.sqrt(((y - y.mean()) ** 2).sum()) + 1))


def orthogonality(name: str, seed: int) -> Finding:
    """Products of the chosen columns with the residual."""
    X, y = regression(seed)
    model = fitted(getattr(learnable, name)(), X, y)
    centred, rest, _, _ = _centred(X, y)
    coef = extended(model.coef_)[0]
    products = centred.T @ (rest - centred @ coef)
    unit = np.sqrt((centred * centred).sum(axis=0)) * np.sqrt(rest @ rest)
    true = float((np.abs(products) / unit)[np.flatnonzero(coef)].max(initial=0.0))
    return Finding(true, model.certificate_, _felt(X, y, model.coef_))
