"""Gaussian imputation by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
from ..core.runtime.context import give_way
from ..engines.columns.column_statistics import ColumnStatistics
from ..engines.iterate import Progress, State, iterate
from ._imputer_base import Filler
from ._missing_entries import without


@estimator
class GaussianImputer(Filler):
    """Gaussian imputation: missing values become their conditional expectation under a normal distribution.

    maximise over m, S    sum over rows of log N(x_present; m_present, S_present)  -  ridge / 2 trace(D S^-1)
    z_missing = m_missing + S_missing,present S_present^-1 (x_present - m_present)

    Expectation and maximisation in turn: neither lowers the likelihood (a row of the trace holds its negative). D are
    the variances of the columns, so that `ridge`, which counts rows, only matters where rows are few. Cost: one
    factorisation for each pattern of missing values and step. [Dempster, Laird and Rubin, 1977]

    >>> import numpy as np
    >>> X = [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, 7.1], [4.0, np.nan]]
    >>> GaussianImputer(ridge=0.0).fit_transform(X)[4].round(2)
    array([4. , 9.1])
    """

    title = "Gaussian imputation"
    reference = "Dempster, Laird and Rubin, 1977"

    ridge: float = param(1e-3, "prior weight of uncorrelated columns, in rows", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    tol: float = param(1e-9, "gain of the likelihood per row that ends the fit", at_least=0)

    mean_: Array = learned("mean of each column", shape="columns")
    covariance_: Array = learned("covariance of the columns", shape="columns columns")
    scaled_covariance_: Array = learned("covariance of the columns divided by their units", shape="columns columns")
    units_: Array = learned("power of two by which each column was scaled", shape="columns")
    n_iter_: int = learned("number of iterations")

    def _learn(self, data: Data, missing: Array, empty: Array, trace: Trace) -> None:
        X = without(data.X, missing).astype(np.float64)
        summary = ColumnStatistics.of(X, data.weight)
        deviation = np.sqrt(summary.spread / np.maximum(summary.weight, 1e-300))
        flat = ~(deviation > 1e-12 * np.abs(summary.mean))
        self.units_ = np.where(flat, np.where(summary.mean == 0, 1.0, np.abs(summary.mean)), deviation)
        self.units_ = np.where(empty, 1.0, self.units_)
        self.mean_ = np.where(empty, 0.0, summary.mean)
        weight = np.ones(data.n) if data.weight is None else data.weight
        standard = (X - self.mean_) / self.units_
        method = _Normal(standard, weight, max(self.ridge, 1e-10), self.tol, _patterns(np.isnan(standard)))
        state = iterate(method, self.max_iter, trace)
        self.mean_ = self.mean_ + self.units_ * state["mean"]
        self.scaled_covariance_ = state["covariance"]  # missing values are filled with this one, which cannot overflow
        with np.errstate(over="ignore"):
            self.covariance_ = self.scaled_covariance_ * self.units_[:, None] * self.units_
        self.n_iter_ = trace.iterations
        last = trace.rows[-1]["criterion"]
        trace.certify(
            "likelihood gain", max(last, 0.0), self.tol, "no step lowered the likelihood, and the last hardly raised it"
        )

    def _filled(self, X: Matrix, missing: Array) -> Matrix:
        centred = (without(X, missing).astype(np.float64) - self.mean_) / self.units_
        found = np.where(missing, 0.0, centred)
        for pattern, rows in _patterns(missing):
            if pattern.any():
                gradient, _ = _regression(self.scaled_covariance_, pattern)
                found[np.ix_(rows, pattern)] = centred[np.ix_(rows, ~pattern)] @ gradient
        return np.where(missing, found * self.units_ + self.mean_, X).astype(X.dtype)


@dataclass(frozen=True)
class _Normal:
    """The steps of expectation and maximisation on standardised rows."""

    X: Array
    weight: Array
    ridge: float
    tolerance: float
    patterns: list[tuple[Array, Array]]

    def start(self) -> State:
        p = self.X.shape[1]
        return {"mean": np.zeros(p), "covariance": np.eye(p), "objective": np.inf, "before": np.inf}

    def step(self, state: State) -> State:
        mean, covariance = state["mean"], state["covariance"]
        filled = np.where(np.isnan(self.X), 0.0, self.X - mean)
        total, extra, likelihood = self.weight.sum(), np.zeros_like(covariance), 0.0
        for pattern, rows in self.patterns:
            give_way()
            weights = self.weight[rows]
            likelihood += _log_density(filled[rows][:, ~pattern], covariance[np.ix_(~pattern, ~pattern)], weights)
            if pattern.any():
                gradient, left = _regression(covariance, pattern)
                filled[np.ix_(rows, pattern)] = filled[np.ix_(rows, ~pattern)] @ gradient
                extra[np.ix_(pattern, pattern)] += weights.sum() * left
        shift = self.weight @ filled / total
        centred = filled - shift
        products = (centred * self.weight[:, None]).T @ centred + extra + self.ridge * np.eye(len(mean))
        prior = 0.5 * self.ridge * float(np.trace(np.linalg.inv(covariance)))
        return {
            "mean": mean + shift,
            "covariance": (products + products.T) / (2 * total),
            "objective": (prior - likelihood) / total,
            "before": state["objective"],
        }

    def progress(self, state: State) -> Progress:
        gain = state["before"] - state["objective"]
        gain = gain if np.isfinite(gain) else 1e300
        return Progress(state["objective"], max(gain, 0.0), self.tolerance)


def _patterns(missing: Array) -> list[tuple[Array, Array]]:
    """Each pattern of missing values that occurs, and the rows that have it."""
    packed = np.ascontiguousarray(np.packbits(missing, axis=1))
    keys = packed.view(f"V{packed.shape[1]}").ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which))
    return list(zip(missing[first], np.split(order, ends[:-1]), strict=True))


def _regression(covariance: Array, pattern: Array) -> tuple[Array, Array]:
    """How the missing columns of a pattern depend on the others, and the covariance that is left of them."""
    if pattern.all():
        return np.zeros((0, len(pattern))), covariance
    known = ~pattern
    gradient = np.linalg.solve(covariance[np.ix_(known, known)], covariance[np.ix_(known, pattern)])
    return gradient, covariance[np.ix_(pattern, pattern)] - covariance[np.ix_(pattern, known)] @ gradient


def _log_density(centred: Array, covariance: Array, weight: Array) -> float:
    """Summed log density of rows about zero, without the constant."""
    if centred.shape[1] == 0:
        return 0.0
    factor = np.linalg.cholesky(covariance)
    scores: Any = np.linalg.solve(factor, centred.T)
    logs = 2 * float(np.log(np.diag(factor)).sum())
    return -0.5 * (logs * float(weight.sum()) + float(weight @ (scores**2).sum(axis=0)))
