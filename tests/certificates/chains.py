"""EM for hidden Markov models: likelihoods by SciPy's densities and a plain forward recursion, before and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import logsumexp

import learnable
from tests.certificates.precise import EPS, Finding, fitted

FURTHER = 1000  # to the seed of the problem that replaces one whose likelihood is unbounded
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


def _logistic(model: Any, X: Any, k: int) -> Any:
    inputs, sign = np.column_stack([np.ones(len(X)), X[:, :-1]]), np.where(X[:, -1] > model.binarize, 1, -1)
    penalty = model.alpha / 2 * (model.coefficients_**2).sum() / len(X)
    return stats.logistic.logcdf(sign * (inputs @ model.coefficients_[k, 0])) - penalty


def _autoregression(model: Any, X: Any, k: int) -> Any:
    residual = X[1:, 0] - np.column_stack([np.ones(len(X) - 1), X[:-1, 0]]) @ model.coefficients_[k, 0]
    return np.append(0.0, stats.norm(0, np.sqrt(model.covariances_[k, 0, 0])).logpdf(residual))


FAMILIES: dict[str, tuple[Density, dict[str, Any]]] = {
    "GammaHMM": (_gamma, {}),
    "StudentTHMM": (_student, {"min_covar": 0.0}),
    "MixedHMM": (_mixed, {"distributions": ["gaussian", "poisson"]}),
    "LinearRegressionHMM": (_regression, {"min_covar": 0.0, "alpha": 0.0}),
    "LogisticRegressionHMM": (_logistic, {"alpha": 0.5}),
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
    cls, options = getattr(learnable, name), {"n_components": 2, "random_state": seed, "tol": 1e-4, **given}
    try:
        X = _rows(name, seed)
        model = fitted(cls(**options, n_iter=3000), X)
    except learnable.DataError as error:  # a state shrank to as many rows as coefficients: no maximum
        assert "covariance has no inverse" in str(error) and seed < FURTHER
        return emission_gain(name, seed + FURTHER)
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


def bound_gain(name: str, seed: int) -> Finding:
    """What the last iteration added to the lower bound per row, by the bounds of fits that end there and before."""
    draws = np.random.default_rng(seed)
    level = np.arange(60) // 10 % 2
    X = draws.integers(0, 2, (60, 1)) + 2 * level[:, None]
    rows = X if name == "VariationalCategoricalHMM" else draws.standard_normal((60, 2)) + 3.0 * level[:, None]
    cls, options = getattr(learnable, name), {"n_components": 2, "random_state": seed, "tol": 1e-3}
    model = fitted(cls(**options, n_iter=500), rows)
    bounds = [
        fitted(cls(**options, n_iter=count), rows).lower_bound_
        for count in (len(model.history_), max(len(model.history_) - 1, 1))
    ]
    return Finding((bounds[0] - bounds[1]) / 60, model.certificate_, 1e-12)


def _segment_likelihood(model: Any, X: Any) -> float:
    """By the forward recursion over pairs of a state and the number of steps that it has lasted."""
    normal = [stats.norm(mean, np.sqrt(variance)).logpdf(X[:, 0]) for mean, variance in model.parameters_[:, 0]]
    survival = np.flip(np.cumsum(np.flip(model.durationprob_, axis=1), axis=1), axis=1)
    ends = np.where(survival > 0, model.durationprob_ / np.where(survival > 0, survival, 1.0), 1.0)
    ages, total = np.zeros(ends.shape), 0.0
    for t, row in enumerate(np.array(normal).T):
        if t == 0:
            ages[:, 0] = model.startprob_
        else:
            left = (ages * ends).sum(axis=1) @ model.transmat_
            ages = np.column_stack([left, (ages * (1 - ends))[:, :-1]])
        ages = ages * np.exp(row)[:, None]
        total += np.log(ages.sum())
        ages /= ages.sum()
    return total / len(X)


def segment_gain(name: str, seed: int) -> Finding:
    """What the last iteration gained per row in a semi-Markov model."""
    X = np.random.default_rng(seed).standard_normal((60, 1)) + 3.0 * (np.arange(60) % 14 >= 9)[:, None]
    family = ("poisson", "negative_binomial", "geometric", "table")[seed % 4]
    options = {"n_components": 2, "duration": family, "max_duration": 20, "random_state": seed, "tol": 1e-4}
    model = fitted(learnable.HiddenSemiMarkovModel(**options, n_iter=3000), X)
    before = fitted(learnable.HiddenSemiMarkovModel(**options, n_iter=max(len(model.history_) - 1, 1)), X)
    return Finding(_segment_likelihood(model, X) - _segment_likelihood(before, X), model.certificate_, 1e6 * EPS)


def _joint_likelihood(model: Any, X: Any) -> float:
    """By the joint normal distribution of all rows, of a state with a single variable."""
    A, b, Q = model.transition_matrix_[0, 0], model.transition_offset_[0], model.transition_covariance_[0, 0]
    means, covariance = [model.initial_mean_[0]], np.zeros((len(X), len(X)))
    covariance[0, 0] = model.initial_covariance_[0, 0]
    for t in range(1, len(X)):
        means.append(A * means[-1] + b)
        covariance[t, :t] = covariance[:t, t] = A * covariance[t - 1, :t]
        covariance[t, t] = A**2 * covariance[t - 1, t - 1] + Q
    C = model.observation_matrix_[:, 0]
    whole = np.kron(covariance, np.outer(C, C)) + np.kron(np.eye(len(X)), model.observation_covariance_)
    mean = np.outer(means, C) + model.observation_offset_
    return stats.multivariate_normal(mean.ravel(), whole).logpdf(X.ravel()) / len(X)


def state_space_gain(name: str, seed: int) -> Finding:
    """What the last iteration gained per row in a state-space model."""
    draws = np.random.default_rng(seed)
    level, unit = np.cumsum(draws.standard_normal(40)), 10.0 ** draws.integers(-2, 3)
    X = (level[:, None] + draws.standard_normal((40, 2))) * unit
    given = {"transition_covariance": [[1.0]], "observation_matrix": [[unit], [unit]], "covariance_type": "diag"}
    options = {"random_state": seed, "tol": 1e-3, "min_covar": 0.0, **given}
    model = fitted(learnable.LinearGaussianSSM(1, **options, n_iter=5000), X)
    before = fitted(learnable.LinearGaussianSSM(1, **options, n_iter=max(len(model.history_) - 1, 1)), X)
    return Finding(_joint_likelihood(model, X) - _joint_likelihood(before, X), model.certificate_, 1e8 * EPS)
