"""Residuals of labels on graphs, computed again."""

from __future__ import annotations

import numpy as np

import learnable
from tests.certificates.precise import EPS, Finding, columns, fitted


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
