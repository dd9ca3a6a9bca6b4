"""EM: the likelihood in extended precision before and after the last iteration, and that no iteration lowered it."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from tests.certificates.precise import EPS, EXTENDED, Finding, extended, fitted, solved

UNPENALISED: dict[str, dict[str, Any]] = {
    "GaussianMixture": {"reg_covar": 0.0},
    "GaussianHMM": {"covariance_type": "full", "covars_prior": 0.0, "covars_weight": 0.0, "min_covar": 0.0},
}
"""Parameters with which what EM raises is the likelihood alone."""


def _rows(name: str, seed: int) -> Any:
    draws = np.random.default_rng(seed)
    centre = 3.0 * (np.arange(60) // 10 % 2)[:, None]
    if name in ("BernoulliMixture", "BernoulliHMM"):
        return (draws.random((60, 4)) < 0.2 + 0.2 * centre).astype(float)
    if name in ("CategoricalMixture",):
        return draws.integers(0, 3, (60, 3)).astype(float)
    if name == "CategoricalHMM":
        return (draws.integers(0, 3, (60, 1)) + centre.astype(int)) % 4
    if name == "PoissonHMM":
        return draws.poisson(1 + centre, (60, 3))
    if name == "MultinomialHMM":
        return np.array([draws.multinomial(6, [0.2, 0.3, 0.5] if high else [0.6, 0.3, 0.1]) for high in centre[:, 0]])
    X = draws.standard_normal((60, 3)) + centre
    X[:, 2] = X[:, 0] + 10.0 ** -draws.integers(0, 3) * X[:, 2]
    return X * 10.0 ** draws.integers(-3, 4, 3)


def _normal(X: Any, mean: Any, covariance: Any) -> Any:
    """Log densities of rows in extended precision, by elimination on the scaled covariance."""
    size = np.sqrt(covariance.diagonal())
    scaled, left = covariance / size / size[:, None], (X - mean) / size
    log_determinant, A = EXTENDED(0), scaled.copy()
    for k in range(len(A)):
        log_determinant += np.log(A[k, k])
        for j in range(k + 1, len(A)):
            A[j] -= A[j, k] / A[k, k] * A[k]
    squares = (left * solved(scaled, left.T).T).sum(axis=1)
    return -(squares + log_determinant + len(size) * np.log(2 * EXTENDED(np.pi))) / 2 - np.log(size).sum()


def _log_sum(values: Any, axis: int = -1) -> Any:
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)


def _logs(values: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(extended(values)[0])


def _times(counts: Any, logs: Any) -> Any:
    """counts @ logs, in which 0 times -inf is 0."""
    return np.where(counts[:, None, :] == 0, 0, counts[:, None, :] * logs).sum(axis=-1)


def _log_factorial(values: Any) -> Any:
    top = int(np.max(values))
    table = np.concatenate([[EXTENDED(0)], np.cumsum(np.log(np.arange(1, top + 1, dtype=EXTENDED)))])
    return table[np.asarray(values, dtype=int)]


def _emissions(name: str, model: Any, X: Any) -> Any:
    """Log density of each row in each component or state."""
    Z = extended(X)[0]
    if name in ("GaussianMixture", "GaussianHMM"):
        return np.column_stack(
            [_normal(Z, *extended(*one)) for one in zip(model.means_, model.covariances_, strict=True)]
        )
    if name in ("BernoulliMixture", "BernoulliHMM"):
        p = getattr(model, "probabilities_", getattr(model, "emissionprob_", None))
        return _times(Z, _logs(p)) + _times(1 - Z, _logs(1 - extended(p)[0]))
    if name == "CategoricalMixture":
        parts = [
            _logs(table)[:, np.searchsorted(values, column)].T
            for table, values, column in zip(model.probabilities_, model.categories_, X.T, strict=True)
        ]
        return np.sum(parts, axis=0)
    if name == "CategoricalHMM":
        return _logs(model.emissionprob_)[:, X[:, 0]].T
    if name == "PoissonHMM":
        rates = extended(model.lambdas_)[0]
        return _times(Z, np.log(rates)) - rates.sum(axis=1) - _log_factorial(X).sum(axis=1)[:, None]
    return (
        _times(Z, _logs(model.emissionprob_)) + (_log_factorial(X.sum(axis=1)) - _log_factorial(X).sum(axis=1))[:, None]
    )


def likelihood(name: str, model: Any, X: Any) -> float:
    """The log likelihood per row."""
    emissions = _emissions(name, model, X)
    if hasattr(model, "weights_") and not name.endswith("HMM"):
        return _log_sum(emissions + _logs(model.weights_)).mean()
    forward = _logs(model.startprob_) + emissions[0]
    moves = _logs(model.transmat_)
    for row in emissions[1:]:
        forward = _log_sum(forward[:, None] + moves, axis=0) + row
    return _log_sum(forward) / len(X)


def likelihood_gain(name: str, seed: int) -> list[Finding] | None:
    """What the last iteration gained, and by how much a likelihood of the trace fell below the one before."""
    X = _rows(name, seed)
    count = {"n_iter" if name.endswith("HMM") else "max_iter": 300}
    options: dict[str, Any] = {"n_components": 2, "random_state": seed, "tol": 1e-4}
    options |= UNPENALISED.get(name, {})
    cls = getattr(learnable, name)
    model = fitted(cls(**options, **count), X)
    iterations = len(model.trace_.rows)
    before = fitted(cls(**options, **dict.fromkeys(count, iterations - 1)), X) if iterations > 1 else model
    gained = float(likelihood(name, model, X) - likelihood(name, before, X))
    objective = [row["objective"] for row in model.trace_.rows]
    falls = max(np.diff(objective).max(initial=0.0), 0.0) / len(X)
    unit = 1e3 * EPS * abs(float(likelihood(name, model, X)))
    return [Finding(gained, model.certificate_, unit), Finding(falls, model.certificate_, 1e-7)]
