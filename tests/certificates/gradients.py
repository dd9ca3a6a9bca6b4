"""Gradients of what is not convex, or was found by stochastic steps, in extended precision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import learnable
from learnable.parts.layers import Dense
from tests.certificates.precise import EPS, EXTENDED, Finding, classes, extended, fitted, regression, solved


def evidence(name: str, seed: int) -> Finding:
    """The gradient of the log evidence by the logarithms of the precisions, from its definition."""
    X, y = regression(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    cls = getattr(learnable, name)
    priors = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0.0)
    model = fitted(cls(max_iter=3000, **priors), X, y)
    Z, t = extended(X - X.mean(axis=0), y - y.mean())
    alpha, precision = EXTENDED(model.alpha_), extended(np.broadcast_to(model.lambda_, Z.shape[1]))[0]
    kept = np.flatnonzero(model.coef_)
    Z, precision = Z[:, kept], precision[kept]
    H = alpha * Z.T @ Z + np.diag(precision)
    inverse = solved(H, np.eye(len(H), dtype=EXTENDED))
    mean = inverse @ (alpha * Z.T @ t)
    residual = t - Z @ mean
    by_noise = len(y) - alpha * (residual @ residual) - alpha * np.trace(Z.T @ Z @ inverse)
    by_weight = 1 - precision * (mean**2 + np.diag(inverse))
    by_weight = by_weight.sum(keepdims=True) if name == "BayesianRidge" else by_weight
    length = np.sqrt(by_noise**2 + by_weight @ by_weight) / 2 / len(y)
    felt = float(1e3 * EPS * np.linalg.cond(np.asarray(H, float)))
    return Finding(float(length), model.certificate_, felt + 1e3 * EPS * float(alpha * (t @ t)) / len(y))


def network(name: str, seed: int) -> Finding:
    """L-BFGS: the largest entry of the gradient by back-propagation through one hidden layer."""
    X, y = regression(seed) if name == "MLPRegressor" else classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    given: dict[str, Any] = {"hidden_layer_sizes": (4,), "activation": "tanh", "solver": "lbfgs", "alpha": 1e-2}
    model = fitted(getattr(learnable, name)(max_iter=5000, random_state=seed, **given), X, y)
    n, (W, V), (a, b) = len(y), extended(*model.coefs_), extended(*model.intercepts_)
    Z = extended(X)[0]
    hidden = np.tanh(Z @ W + a)
    z = (hidden @ V + b)[:, 0]
    if name == "MLPRegressor":
        off = (z - extended(y)[0]) / n
    else:
        off = (1 / (1 + np.exp(-z)) - (y == model.classes_[1])) / n
    back = off[:, None] * V.T * (1 - hidden**2)
    share = EXTENDED(model.alpha) / n
    parts = [Z.T @ back + share * W, hidden.T @ off[:, None] + share * V, back.sum(axis=0), off.sum(keepdims=True)]
    return Finding(float(max(np.abs(part).max() for part in parts)), model.certificate_, 1e-13 * (1 + np.abs(y).max()))


def trained(name: str, seed: int) -> Finding:
    """Minibatches: the norm of the gradient at the end beside that at the start, where a tiny rate leaves weights."""
    X, y = regression(seed) if name == "NetworkRegressor" else classes(seed, 3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    cls, norms = getattr(learnable, name), []
    options: dict[str, Any] = {"precision": "float64", "random_state": seed, "alpha": 1e-2}
    model = fitted(cls([Dense(4, "tanh")], max_iter=200, learning_rate_init=0.02, **options), X, y)
    start = fitted(cls([Dense(4, "tanh")], max_iter=1, learning_rate_init=1e-30, **options), X, y)
    Z, n = extended(X)[0], len(y)
    target = extended(y)[0][:, None] if name == "NetworkRegressor" else y[:, None] == model.classes_
    for one in (model, start):
        (W, a), (V, b) = (extended(*one.layer_weights(layer)[0].values()) for layer in (0, 1))
        hidden = np.tanh(Z @ W + a)
        z = hidden @ V + b
        if name == "NetworkClassifier":
            z = np.exp(z - z.max(axis=1, keepdims=True))
            z = z / z.sum(axis=1, keepdims=True)
        off = (z - target) / n
        back = off @ V.T * (1 - hidden**2)
        share = EXTENDED(model.alpha)
        parts = [Z.T @ back + share * W, hidden.T @ off + share * V, back.sum(axis=0), off.sum(axis=0)]
        norms.append(np.sqrt(sum((part**2).sum() for part in parts)))
    return Finding(float(norms[0] / norms[1]), model.certificate_, 1e-12)


def _stated_gradient(model: Any) -> float:
    return float(model.certificate_.claim.removesuffix(".").rpartition(" ")[2])


def stochastic(name: str, seed: int) -> list[Finding]:
    """The gradient that the certificate names, and the gains of the last epochs over the best before."""
    X, y = regression(seed) if name.endswith("Regressor") else classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = y / np.abs(y).max() if name.endswith("Regressor") else y
    cls = getattr(learnable, name)
    model = fitted(cls(random_state=0), *((X,) if name == "SGDOneClassSVM" else (X, y)))
    proof = model.certificate_
    if proof.kind != "gain per epoch":
        return []
    merits = [row["objective"] for row in model.trace_.rows]
    gains = [min(merits[:k]) - merits[k] for k in range(1, len(merits))][-5:]
    found = [Finding(max(max(gains, default=0.0), 0.0), proof, 1e-12)]
    if name in ("SGDRegressor", "SGDClassifier"):
        found.append(_gradient_of_sgd(name, model, X, y))
    return found


def _gradient_of_sgd(name: str, model: Any, X: Any, y: Any) -> Finding:
    """Squared errors and hinges, with half the squares of the coefficients; nothing is said of a kink but its range."""
    Z, target = extended(X, y if name == "SGDRegressor" else np.where(y == model.classes_[1], 1.0, -1.0))
    coef, b = extended(np.ravel(model.coef_), np.ravel(model.intercept_))
    z = Z @ coef + b
    row = (z - target) if name == "SGDRegressor" else np.where(target * z < 1, -target, 0)
    entries = np.append(Z.T @ row / len(y) + EXTENDED(model.alpha) * coef, row.mean())
    stated = _stated_gradient(model)
    return Finding(float(np.abs(entries).max()), replace(model.certificate_, value=stated), 1e-3 * stated)


def correlation(name: str, seed: int) -> Finding:
    """No column, nor the intercept, correlates with the errors."""
    X, y = regression(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.GradientDescentRegressor(max_iter=200_000), X, y)
    Z, t = extended(X, y)
    residual = t - Z @ extended(model.coef_)[0] - EXTENDED(float(np.ravel(model.intercept_)[0]))
    unit = np.sqrt(((t - t.mean()) ** 2).mean())
    entries = np.append((Z * residual[:, None]).mean(axis=0), residual.mean()) / unit
    return Finding(float(np.abs(entries).max()), model.certificate_, 1e-12)


def softmax_correlation(name: str, seed: int) -> Finding:
    """No column, nor an intercept, correlates with the errors of a class, beside the penalty."""
    X, y = classes(seed, 3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.GradientDescentClassifier(max_iter=100_000), X, y)
    Z, hot = extended(X, y[:, None] == np.arange(3))
    W, b = extended(model.coef_, model.intercept_)
    z = np.exp(Z @ W.T + b)
    off = z / z.sum(axis=1, keepdims=True) - hot
    unit = np.sqrt(((EXTENDED(1) / 3 - hot) ** 2).sum(axis=1).mean())
    entries = np.append(off.T @ Z / len(y) + EXTENDED(model.alpha) * W, off.mean(axis=0)) / unit
    return Finding(float(np.abs(entries).max()), model.certificate_, 1e-12)


def component_weights(name: str, seed: int) -> Finding:
    """Scores of the components have products with the residual of at most this, beside what could be."""
    X, y = regression(seed)
    model = fitted(learnable.PrincipalComponentRegression(n_components=2), X, y)
    Z, t = extended(X - X.mean(axis=0), y - y.mean())
    spread = np.sqrt((Z**2).mean(axis=0)) if model.scale else np.ones(Z.shape[1], dtype=EXTENDED)
    S = Z / spread
    coef = extended(model.coef_)[0]
    residual = t - Z @ coef
    basis = (coef * spread)[:, None]  # the fit lies in the span of the components: its own direction must be exact
    score = S @ basis
    off = np.abs(score.T @ residual)[0] / (np.sqrt((S**2).sum()) * np.sqrt((basis**2).sum()) * np.sqrt(t @ t))
    return Finding(float(off), model.certificate_, 64 * EPS)


def stages(name: str, seed: int) -> Finding:
    """Forward stagewise steps taken again: how far the chosen column's correlation was from the largest."""
    X, y = regression(seed)
    model = fitted(learnable.StagewiseRegressor(n_steps=60), X, y)
    Z, residual = extended(X - X.mean(axis=0), y - y.mean())
    spread = np.sqrt((Z**2).mean(axis=0))
    unit = np.sqrt(residual @ residual)
    worst = EXTENDED(0)
    for move in model.moves_:
        size = np.abs(Z.T @ residual) / (spread * np.sqrt(len(y)) * unit)
        chosen = abs(int(move)) - 1
        worst = max(worst, size.max() - size[chosen])
        residual = residual - np.sign(move) * EXTENDED(model.steps_[chosen]) * Z[:, chosen]
    return Finding(float(worst), model.certificate_, 1e-12)


def factorisation(name: str, seed: int) -> Finding:
    """The last round against the one before, beside the loss of factors of zero, by the objectives of the trace."""
    X, y = regression(seed) if name.endswith("Regressor") else classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(getattr(learnable, name)(random_state=0), X, y)
    objective = [row["objective"] for row in model.trace_.rows]
    first = np.log(2) if name.endswith("Classifier") else (y @ y) / len(y) / 2
    return Finding(max((objective[-2] - objective[-1]) / first, 0.0), model.certificate_, 1e-12)
