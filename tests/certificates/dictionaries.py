"""Dictionaries, sparse components and topics: what the last iterations changed, computed again."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EXTENDED, Finding, columns, extended, fitted


def _rows(seed: int) -> Any:
    X = columns(np.random.default_rng(seed), seed % 5, 60, 4)
    X = X + 3 * X.std(axis=0) * (np.arange(60) % 3)[:, None]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def pursuits(name: str, seed: int) -> Finding:
    """The decrease of the last iteration, of errors that are computed from codes and atoms of the best dictionary.

    One atom in each code: its best coefficient is a projection, and the best atom the one with the longest.
    """
    X = _rows(seed)
    model = fitted(learnable.KSVD(6, transform_n_nonzero_coefs=1, random_state=seed, max_iter=200), X)
    before = fitted(
        learnable.KSVD(6, transform_n_nonzero_coefs=1, random_state=seed, max_iter=max(model.n_iter_ - 1, 1)), X
    )
    Z, D = extended(X, model.components_)
    products = Z @ (D / np.sqrt((D**2).sum(axis=1, keepdims=True))).T
    error = float((Z**2).sum() - (products**2).max(axis=1).sum())
    assert error <= min(model.error_) * (1 + 1e-9), "codes of the stored atoms are no worse than those before them"
    fall = (before.error_[-1] - model.error_[-1]) / before.error_[-1] if model.n_iter_ > 1 else 0.0
    return Finding(max(float(fall), 0.0), model.certificate_, 1e-12)


def sparse_loadings(name: str, seed: int) -> Finding:
    """The fraction by which the objective fell in the last iteration: fits of one iteration less, and of all."""
    X = _rows(seed)
    options: dict[str, Any] = {"alpha": 0.5, "random_state": seed, "tol": 1e-6}
    model = fitted(learnable.SparsePCA(2, max_iter=2000, **options), X)
    if model.n_iter_ < 2:
        return Finding(0.0, model.certificate_)
    before = fitted(learnable.SparsePCA(2, max_iter=model.n_iter_ - 1, **options), X)
    fall = (EXTENDED(before.error_[-1]) - EXTENDED(model.error_[-1])) / EXTENDED(model.error_[-1])
    return Finding(max(float(fall), 0.0), model.certificate_, 1e-12)


def batches(name: str, seed: int) -> Finding:
    """The change of the atoms that the last batch made; nothing where the smoothed objective ended the fit."""
    X = _rows(seed)
    model = fitted(getattr(learnable, name)(2, batch_size=10, random_state=seed, max_iter=3), X)
    if model.certificate_.value == 0:
        return Finding(0.0, model.certificate_)
    return Finding(model.trace_.rows[-1]["criterion"], model.certificate_)
