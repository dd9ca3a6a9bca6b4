"""Convergence of Markov chains: R-hat and effective sizes of the stored draws, lag by lag and rank by rank."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import Finding, fitted

NORMAL = NormalDist()


def _normal_scores(x: Any) -> Any:
    """Normal scores of ranks without ties over all chains."""
    ranks = np.empty(x.size)
    ranks[np.argsort(x, axis=None, kind="stable")] = np.arange(1, x.size + 1)
    return np.array([NORMAL.inv_cdf((rank - 0.375) / (x.size + 0.25)) for rank in ranks]).reshape(x.shape)


def _split(x: Any) -> Any:
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def _r_hat(x: Any) -> float:
    within, between = x.var(axis=1, ddof=1).mean(), x.mean(axis=1).var(ddof=1)
    return float(np.sqrt((x.shape[1] - 1) / x.shape[1] + between / within))


def _size(x: Any) -> float:
    """Geyer's sequence, the autocovariances as sums of products."""
    chains, draws = x.shape
    centred = x - x.mean(axis=1, keepdims=True)
    total = centred.var(axis=1).mean() + x.mean(axis=1).var(ddof=1)

    def rho(lag: int) -> float:
        product = (centred[:, : draws - lag] * centred[:, lag:]).sum(axis=1).mean() / draws
        return 1 - (centred.var(axis=1, ddof=1).mean() - product) / total

    time, before, lag = -1.0, np.inf, 0
    while lag < draws - 3:
        even, odd = (1.0 if lag == 0 else rho(lag)), rho(lag + 1)
        if lag and even + odd <= 0:
            time += max(even, 0.0)
            break
        before = min(before, even + odd)
        time, lag = time + 2 * before, lag + 2
    return chains * draws / max(time, 1 / np.log10(chains * draws))


def _beyond_limits(x: Any) -> float:
    split = _split(x)
    away = np.abs(split - np.median(split))
    r_hat = max(_r_hat(_normal_scores(split)), _r_hat(_normal_scores(away)))
    tails = [_size(_split((x <= np.quantile(x, p)).astype(float))) for p in (0.05, 0.95)]
    return max((r_hat - 1) / 0.01, 400 / min(_size(_normal_scores(split)), *tails))


def converged(name: str, seed: int) -> Finding:
    """The worst quantity of short chains."""
    draws = np.random.default_rng(seed)
    X = draws.standard_normal((24, 2))
    X[:, 0] = np.arange(24) % 4 if name == "HierarchicalRegression" else X[:, 0]
    score = X[:, 1] + draws.standard_normal(24)
    y = {"BayesianLogisticRegression": score > 0, "BayesianPoissonRegression": draws.poisson(2, 24)}.get(name, score)
    model: Any = fitted(getattr(learnable, name)(draws=60, tune=100, random_state=seed), X, y)
    worst = max(_beyond_limits(model.draws_[quantity]) for quantity in model.draws_)
    return Finding(worst, model.certificate_, 1e-6)
