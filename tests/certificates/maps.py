"""Maps of rows: what their last iterations changed."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import Finding, extended, fitted
from tests.certificates.rounds import _rows


def divergence(name: str, seed: int) -> Finding:
    """How much the divergence fell in an iteration at the end."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(learnable.TSNE(perplexity=10, max_iter=500, random_state=0), X)
    before = fitted(learnable.TSNE(perplexity=10, max_iter=450, random_state=0), X)
    return Finding(max(before.kl_divergence_ - model.kl_divergence_, 0.0) / 50, model.certificate_, 1e-9)


def epochs(name: str, seed: int) -> Finding:
    """The number of requested epochs that were not done, by the rows of the trace: each holds a hundredth of them."""
    X = _rows(seed)
    model = fitted(learnable.UMAP(n_neighbors=10, n_epochs=200, random_state=0), X)
    return Finding(200.0 - 2 * len(model.trace_.rows), model.certificate_)


def stress(name: str, seed: int) -> Finding:
    """What the last iteration lowered the sum of squared errors of distances by, beside the squared distances."""
    X = _rows(seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    options: dict[str, Any] = {"n_init": 1, "random_state": 0, "eps": 1e-6}
    model = fitted(learnable.MDS(2, max_iter=3000, **options), X)
    before = fitted(learnable.MDS(2, max_iter=max(model.n_iter_ - 1, 1), **options), X)
    target = _distances(X)
    made = [_distances(one.embedding_) for one in (model, before)]
    errors = [((target - far) ** 2).sum() for far in made]
    return Finding(float((errors[1] - errors[0]) / (made[0] ** 2).sum()), model.certificate_, 1e-12)


def _distances(X: Any) -> Any:
    Z = extended(X)[0]
    return np.sqrt(((Z[:, None] - Z) ** 2).sum(axis=2))


def neighbour_accuracy(name: str, seed: int) -> Finding:
    """What the last iteration gained of the mean probability that a random neighbour has the class of a row."""
    X = _rows(seed)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), np.arange(60) % 3
    model = fitted(learnable.NeighborhoodComponentsAnalysis(2, init="identity", max_iter=500), X, y)
    before = fitted(
        learnable.NeighborhoodComponentsAnalysis(2, init="identity", max_iter=max(model.n_iter_ - 1, 1)), X, y
    )
    made = []
    for one in (model, before):
        squares = _distances(X @ one.components_.T) ** 2
        np.fill_diagonal(squares, np.inf)
        P = np.exp(squares.min(axis=1)[:, None] - squares)  # of far rows all would be zero
        made.append(float(((P / P.sum(axis=1)[:, None]) * (y[:, None] == y)).sum(axis=1).mean()))
    return Finding(max(made[0] - made[1], 0.0) / made[0], model.certificate_, 1e-9)
