"""The data of the tasks. Every function is deterministic."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def dense(n: int, p: int, *, noise: float = 1.0, seed: int = 0) -> dict[str, Any]:
    """Independent normal columns, a linear target with a constant of 3."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X @ rng.standard_normal(p) + 3.0 + noise * rng.standard_normal(n)
    return {"X": X, "y": y}


def correlated(n: int, p: int, informative: int) -> dict[str, Any]:
    """Neighbouring columns with correlation 1/2, few of them in the target; stored by column."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    for j in range(1, p):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    w = np.zeros(p)
    w[rng.choice(p, informative, replace=False)] = rng.standard_normal(informative)
    signal = X @ w
    return {"X": X, "y": signal + signal.std() / 3 * rng.standard_normal(n)}


def text_like(n: int, p: int, words: int, informative: int) -> dict[str, Any]:
    """A sparse table like a bag of words: few common columns, many rare; rows of length 1; by column."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    popularity = 1 / (np.arange(p) + 20.0)
    columns = rng.choice(p, size=n * words, p=popularity / popularity.sum())
    rows = np.repeat(np.arange(n), words)
    counts = sparse.coo_array((np.ones(n * words), (rows, columns)), shape=(n, p)).tocsr()
    counts.data = 1 + np.log(counts.data)
    idf = np.log(n / (1 + np.bincount(counts.indices, minlength=p)))
    counts.data *= 1 + np.maximum(idf[counts.indices], 0)
    lengths = np.sqrt(counts.multiply(counts).sum(axis=1))
    X = sparse.csc_array(counts.multiply(1 / lengths[:, None]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    w = np.zeros(p)
    w[rng.choice(min(p, 20 * informative), informative, replace=False)] = rng.standard_normal(informative)
    signal = X @ w
    return {"X": X, "y": signal + signal.std() / 3 * rng.standard_normal(n)}


def counts(n: int, p: int) -> dict[str, Any]:
    """Poisson counts with a logarithmic link, mean about 2."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    mean = np.exp(0.5 + X @ (rng.standard_normal(p) * 0.5 / np.sqrt(p)))
    return {"X": X, "y": rng.poisson(mean).astype(float)}


def durations(n: int, p: int) -> dict[str, Any]:
    """Gamma amounts of shape 2 with a logarithmic link."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    mean = np.exp(1.0 + X @ (rng.standard_normal(p) * 0.5 / np.sqrt(p)))
    return {"X": X, "y": mean * rng.gamma(2.0, 0.5, n)}


def with_outliers(n: int, p: int, share: float = 0.2) -> dict[str, Any]:
    """A linear target, heavy noise, and a share of rows far off to one side; clean says which are not."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    y = X @ rng.standard_normal(p) + 1.0 + 0.5 * rng.standard_t(5, n)
    clean = rng.random(n) >= share
    y[~clean] += 20 + 10 * rng.random((~clean).sum())
    return {"X": X, "y": y, "clean": clean}
