"""Residuals of labels on graphs, computed again."""

from __future__ import annotations

import numpy as np

import learnable
from tests.certificates.precise import EPS, Finding, classes, columns, extended, fitted


def residual(name: str, seed: int) -> Finding:
    """The largest residual of the equations of the graph, with similarities as they are."""
    draws = np.random.default_rng(seed)
    X = columns(draws, 0, 30, 3)
    y = np.where(draws.random(30) < 0.3, (X[:, 0] > 0).astype(int), -1)
    y[:2] = 0, 1
    model = fitted(getattr(learnable, name)(gamma=1.0), X, y)
    W = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(W, 0.0)
    Y = (y[:, None] == model.classes_).astype(float)
    F = model.label_distributions_
    if name == "LabelPropagation":
        free = y < 0
        off = F[free] - (W / W.sum(axis=1, keepdims=True))[free] @ F
    else:
        half = np.sqrt(W.sum(axis=0))
        system = np.eye(30) - 0.2 * W / half / half[:, None]
        plain = np.linalg.solve(system, 0.8 * Y)
        off = F - plain / plain.sum(axis=1, keepdims=True)
    return Finding(float(np.abs(off).max()), model.certificate_, 1000 * EPS)


def expectations_change(name: str, seed: int) -> Finding:
    """The mean change of the probabilities by one more iteration of EM with labels, from its definition."""
    X, truth = classes(seed)
    codes = np.unique(truth, return_inverse=True)[1]
    y = np.where(np.arange(len(X)) % 4 == 0, codes, -1)
    weight = 0.5
    model = fitted(learnable.SemiSupervisedEM(learnable.GaussianNB(var_smoothing=0.0), unlabelled_weight=weight), X, y)
    Z, p = extended(X, model.label_distributions_)
    own = np.where(y >= 0, 1.0, weight)
    w = p * own[:, None]
    total = w.sum(axis=0)
    mean = (w.T @ Z) / total[:, None]
    variance = np.stack([w[:, k] @ (Z - mean[k]) ** 2 / total[k] for k in range(w.shape[1])])
    joint = np.log(total / total.sum()) - 0.5 * np.stack(
        [((Z - mean[k]) ** 2 / variance[k] + np.log(variance[k])).sum(axis=1) for k in range(w.shape[1])], axis=1
    )
    after = np.exp(joint - joint.max(axis=1, keepdims=True))
    after = np.where((y >= 0)[:, None], p, after / after.sum(axis=1, keepdims=True))
    change = float((own @ np.abs(after - p).sum(axis=1)) / own.sum())
    return Finding(change, model.certificate_, 1e-12)
