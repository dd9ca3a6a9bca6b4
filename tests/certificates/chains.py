"""EM for hidden Markov models: likelihoods by SciPy's densities and a plain forward recursion, before and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import logsumexp

import learnable
from tests.certificates.precise import EPS, Finding, fitted

Density = Callable[[Any, Any, int], Any]


def _gamma(model: Any, X: Any, k: int) -> Any:
    return stats.gamma(model.shapes_[k], scale=1 / model.rates_[k]).logpdf(X).sum(axis=1)


def _student(model: Any, X: Any, k: int) -> Any:
    return stats.multivariate_t(model.means_[k], model.scales_[k], float(model.freedom_[k])).logpdf(X)


def _mixed(model: Any, X: Any, k: int) -> Any:
    (mean, variance), (rate, _) = model.parameters_[k]
    return stats.norm(mean, np.sqrt(variance)).logpdf(X[:, 0]) + stats.poisson(rate).logpmf(X[:, 1])


def _regression(model: Any, X: Any, k: int) -> Any:
    inputs = np.column_stack([np.ones(len(X)), X[:, :-1]])
    residual = X[:, -1] - inputs @ model.coefficients_[k, 0]
    return stats.norm(0, np.sqrt(model.covariances_[k, 0, 0])).logpdf(residual)


def _autoregression(model: Any, X: Any, k: int) -> Any:
    residual = X[1:, 0] - np.column_stack([np.ones(len(X) - 1), X[:-1, 0]]) @ model.coefficients_[k, 0]
    return np.append(0.0, stats.norm(0, np.sqrt(model.covariances_[k, 0, 0])).logpdf(residual))


FAMILIES: dict[str, tuple[Density, dict[str, Any]]] = {
    "GammaHMM": (_gamma, {}),
    "StudentTHMM": (_student, {"min_covar": 0.0}),
    "MixedHMM": (_mixed, {"distributions": ["gaussian", "poisson"]}),
    "LinearRegressionHMM": (_regression, {"min_covar": 0.0, "alpha": 0.0}),
    "AutoregressiveHMM": (_autoregression, {"min_covar": 0.0, "alpha": 0.0}),
}


def _rows(name: str, seed: int) -> Any:
    draws = np.random.default_rng(seed)
    level = 3.0 * (np.arange(60) // 10 % 2)[:, None]
    if name == "GammaHMM":
        return draws.gamma(2 + level, 10.0 ** draws.integers(-3, 4), (60, 2))
    if name == "MixedHMM":
        return np.column_stack([draws.standard_normal((60, 1)) + level, draws.poisson(1 + level)])
    if name == "AutoregressiveHMM":
        return np.cumsum(draws.standard_normal((60, 1)), axis=0) + level
    return draws.standard_normal((60, 2)) + level


def _likelihood(density: Density, model: Any, X: Any) -> float:
    node = np.column_stack([density(model, X, k) for k in range(len(model.startprob_))])
    with np.errstate(divide="ignore"):
        forward, moves = np.log(model.startprob_) + node[0], np.log(model.transmat_)
    for row in node[1:]:
        forward = logsumexp(forward[:, None] + moves, axis=0) + row
    return float(logsumexp(forward)) / len(X)


def emission_gain(name: str, seed: int) -> Finding:
    """What the last iteration gained per row."""
    density, given = FAMILIES[name]
    X, cls = _rows(name, seed), getattr(learnable, name)
    options = {"n_components": 2, "random_state": seed, "tol": 1e-4, **given}
    model = fitted(cls(**options, n_iter=3000), X)
    before = fitted(cls(**options, n_iter=max(len(model.history_) - 1, 1)), X)
    gained = _likelihood(density, model, X) - _likelihood(density, before, X)
    return Finding(gained, model.certificate_, 1e6 * EPS)


def weakest_class(name: str, seed: int) -> Finding:
    """The largest last gain per row of the models of the classes, refitted on their own."""
    draws = np.random.default_rng(seed)
    y = np.arange(8) % 2
    X = draws.standard_normal((8, 15, 2)) + y[:, None, None] * (np.arange(15) % 3)[:, None]
    hmm = learnable.GaussianHMM(2, n_iter=500, tol=1e-3, random_state=0)
    model = learnable.HMMClassifier(hmm).fit(X, y)
    gains = []
    for code in range(2):
        history = hmm.clone().fit(X[y == code]).history_
        gains.append((history[-1] - history[-2]) / (4 * 15))
    return Finding(max(gains), model.certificate_, 1e-12)
