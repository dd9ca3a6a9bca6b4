"""Gradients of trained networks by differences of their objectives, at the end and at the initial weights."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from learnable.engines.networks.full_batch import Objective
from learnable.engines.networks.training import NetworkTrainingSet
from learnable.neural_network._tabular_network import folds_of_content
from tests.certificates.precise import Finding, classes, fitted, regression

STEEP = 1e3  # norm of a gradient beyond which steps of 1e-6 are too long
HIDDEN = [learnable.Dense(3, "tanh")]
SETTINGS: dict[str, Any] = {"max_iter": 20, "precision": "float64", "schedule": "cosine"}


def trained(name: str, seed: int) -> Finding:
    """The norm of the gradient relative to that at the start, entry by entry from the values of the objective."""
    learns_numbers = name.endswith("Regressor")
    X, y = regression(seed) if learns_numbers else classes(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (y - y.mean()) / y.std() if learns_numbers else y
    cls = getattr(learnable, name)
    layers = {"layers": [learnable.GRU(3)]} if name.startswith("Sequence") else {"code": 2, "encoder": HIDDEN}
    model = fitted(cls(random_state=seed, **layers, **SETTINGS), X, y)
    plan, weights = model._fitted_plan()
    targets = X
    if name.startswith("Sequence"):
        targets = model._targets(y, len(y))
    elif name == "SharedAutoencoder":
        targets = np.column_stack([X, np.searchsorted(model.domains_, y)])
    elif name == "ContrastiveEncoder":
        targets = np.zeros((len(X), model.projection))
    data = NetworkTrainingSet(np.ascontiguousarray(X), np.ascontiguousarray(targets, dtype=float), None)
    objective = Objective(plan, data, np.arange(len(X)))
    norms = [_norm(objective, at) for at in (weights, model._fresh_weights(plan))]
    return Finding(norms[0] / norms[1], model.certificate_, 1e-5)


def generator(name: str, seed: int) -> Finding:
    """The same for texts, from the probabilities that the model gives to their symbols."""
    draws = np.random.default_rng(seed)
    texts = ["".join("abc"[code] for code in draws.integers(0, 3, size=7)) for _ in range(20)]
    model = fitted(
        getattr(learnable, name)([learnable.GRU(2)], embedding=2, context=8, random_state=seed, **SETTINGS), texts, None
    )
    plan, weights, norms = *model._fitted_plan(), []
    for at in (weights, model._fresh_weights(plan)):
        norms.append(
            np.linalg.norm(
                [
                    (_text_loss(model, at + e, texts) - _text_loss(model, at - e, texts)) / 2e-6
                    for e in 1e-6 * np.eye(len(at))
                ]
            )
        )
    return Finding(float(norms[0] / norms[1]), model.certificate_, 1e-5)


def members(name: str, seed: int) -> Finding:
    """The largest relative gradient of the members, each on the rows that it does not hold out."""
    X, y = regression(seed) if name.endswith("Regressor") else classes(seed)
    cls = getattr(learnable, name)
    model = fitted(cls(members=2, hidden_layer_sizes=(3,), max_iter=10, dropout=0.0, bins=1, random_state=seed), X, y)
    targets = y if name.endswith("Regressor") else np.searchsorted(model.classes_, y)
    fold = folds_of_content(
        np.hstack([X, np.zeros_like(X)]), targets, 0 * targets.astype(int) if y.dtype.kind == "f" else targets
    )
    scaled = (targets - model.target_mean_) / model.target_scale_ if name.endswith("Regressor") else targets
    inputs, ratios = model._inputs(model._read(X)).astype(float), []
    for number, one in enumerate(model.estimators_):
        rows = fold != number
        plan, weights = one._fitted_plan()
        known = np.ascontiguousarray(one._targets(scaled[rows], rows.sum()), dtype=float)
        objective = Objective(plan, NetworkTrainingSet(inputs[rows], known, None), np.arange(rows.sum()))
        norms = [_norm(objective, at.astype(float)) for at in (weights, one._fresh_weights(plan))]
        ratios.append(norms[0] / norms[1])
    return Finding(float(max(ratios)), model.certificate_, 1e-3)


def _text_loss(model: Any, weights: np.ndarray, texts: list[str]) -> float:
    """Minus the mean log-probability of a symbol, where all texts have 7 symbols and an end."""
    model.weights_ = weights
    return -float(model.score_samples(texts).mean()) / 8


def _norm(objective: Objective, at: np.ndarray) -> float:
    """The norm of the gradient; where it is large, as beside codes of length 0, its curvature needs smaller steps."""
    norm = _difference_norm(objective, at, 1e-6)
    return _difference_norm(objective, at, 1e-6 / norm) if norm > STEEP else norm


def _difference_norm(objective: Objective, at: np.ndarray, step: float) -> float:
    moves = step * np.eye(len(at))[: objective.plan.size]
    return float(np.linalg.norm([(objective(at + e)[0] - objective(at - e)[0]) / (2 * step) for e in moves]))


def passes(name: str, seed: int) -> Finding:
    """The passes over the rows that were requested and not done."""
    X, _ = classes(seed)
    model = fitted(getattr(learnable, name)(n_components=3, n_iter=4, random_state=seed), (X.mean(axis=0) < X) * 1.0)
    return Finding(float(4 - len(model.trace_.rows)), model.certificate_, 0.0)
