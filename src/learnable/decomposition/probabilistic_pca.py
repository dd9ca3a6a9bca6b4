"""Principal components as a normal distribution: few directions and noise."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Invertible, Matrix, ParameterError, RandomState, Trace, estimator, learned, param
from ..core.runtime.random import requested_samples, stream
from ..engines import matrix_products
from ..engines.algebra.spectrum import CentredRows, Spectrum, turned, whole_spectrum
from ..engines.em import run_em
from ..engines.generative.missing_patterns import gap_patterns, refuse_unseen_columns
from ._latent_factors import LEAST, FactorClimb, infer
from ._projection_base import score_names


@estimator
class ProbabilisticPCA(Invertible):
    """Principal components with a density: rows are x = W z + m + noise, z normal, and noise the same in all columns.

    maximise over W, m, v    sum over rows of log N(x; m, W W' + v I),    W = V (L - v I)^(1/2), v the mean of L left

    Complete rows by the eigenvectors V and variances L of the covariance, in closed form; rows with gaps (NaN) by
    expectation and maximisation over the entries that are there, or both so if asked for. Scores are what a row tells
    of its z on average. [Tipping and Bishop, 1999]

    >>> X = [[1.0, 1.0], [2.0, 2.1], [3.0, 2.9], [4.0, 4.0]]
    >>> model = ProbabilisticPCA(n_components=1).fit(X)
    >>> round(model.noise_variance_, 5)
    0.00229
    """

    n_components: int | None = param(
        None,
        "number of components; None is one less than columns",
        kw_only=False,
        at_least=0,
        tune=(2, 5, 10, 20),
        simpler="smaller",
    )
    method: Literal["auto", "em"] = param("auto", "closed form where rows are complete, or always steps (em)")
    tol: float = param(1e-8, "gain of the likelihood per row that ends the fit", at_least=0)
    max_iter: int = param(10_000, "most steps", at_least=1)
    components_: Array = learned("principal directions, one a row", shape="components features")
    explained_variance_: Array = learned("variance along each, noise included", shape="components")
    loadings_: Array = learned("W, a row for each component", shape="components features")
    noise_variance_: float = learned("variance of the noise")
    mean_: Array = learned("mean of each column", shape="features")
    log_likelihood_: float = learned("log likelihood of the training rows")
    n_iter_: int = learned("steps done, one for the closed form")

    missing = "native"
    reference = "Tipping and Bishop, Probabilistic principal component analysis, 1999"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        X, weight = X.astype(np.float64), np.ones(len(X)) if weight is None else weight
        count = self._count(data.p)
        refuse_unseen_columns(X, data.names)
        filled = _filled(X, weight)
        rows = CentredRows.of(filled, weight)
        found, total = whole_spectrum(rows), float(weight.sum())
        least = LEAST * (found.square / total / data.p or 1.0)
        self.n_iter_ = 1
        noise, W, mean = _closed_form(found, total, count, data.p, least)
        if np.isnan(X).any() or self.method == "em":
            scaled = X * rows.unit - rows.mean
            model = FactorClimb(scaled, weight, True, np.full(data.p, least), gap_patterns(np.isnan(X)))
            begin = {"mean": np.zeros(data.p), "W": W, "noise": np.full(data.p, noise)}
            top = run_em(model, [begin], self.max_iter, self.tol, trace, type(self).__name__)
            self.n_iter_ = top.steps
            W, noise, mean = top.parameters["W"], float(top.parameters["noise"][0]), top.parameters["mean"]
        self._keep(W / rows.unit, noise / rows.unit / rows.unit, (mean + rows.mean) / rows.unit, data.X.dtype)
        self.log_likelihood_ = float(weight @ self._densities(X))
        if not trace.rows:
            trace.exact("the likeliest components and noise follow in closed form", -self.log_likelihood_ / total)

    def _count(self, p: int) -> int:
        count = max(p - 1, 0) if self.n_components is None else self.n_components
        if count > p:
            raise ParameterError(
                f"ProbabilisticPCA: n_components must be at most the number of columns, {p}; got {count}"
            )
        return count

    def _keep(self, W: Array, noise: float, mean: Array, dtype: Any) -> None:
        """Turn the loadings to the principal directions, which are the only ones that mean something."""
        _, lengths, axes = np.linalg.svd(W, full_matrices=False)
        largest = np.abs(axes).argmax(axis=1)
        axes = axes * turned(axes[np.arange(len(axes)), largest])[:, None]
        self.components_ = axes.astype(dtype)
        self.loadings_ = (lengths[:, None] * axes).astype(dtype)
        self.explained_variance_ = (lengths**2 + noise).astype(dtype)
        self.noise_variance_, self.mean_ = noise, mean.astype(dtype)

    def _noise(self) -> Array:
        return np.full(len(self.mean_), self.noise_variance_)

    def _densities(self, X: Array) -> Array:
        return infer(X, self.mean_.astype(np.float64), self.loadings_.astype(np.float64), self._noise()).log_density

    def _transform(self, X: Matrix) -> Array:
        latent = infer(
            X.astype(np.float64), self.mean_.astype(np.float64), self.loadings_.astype(np.float64), self._noise()
        )
        return latent.mean.astype(X.dtype)

    def _inverse(self, X: Matrix) -> Array:
        return np.asarray(X @ self.loadings_ + self.mean_).astype(X.dtype)

    def get_covariance(self) -> Array:
        """W W' + v I."""
        return np.asarray(self.loadings_.T @ self.loadings_ + np.diag(self._noise()))

    def score_samples(self, X: Any) -> Array:
        """The log density of each row, of the entries that are there."""
        return self._densities(self._read(X).astype(np.float64))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> Array:
        """Rows drawn from the model."""
        count, draws = requested_samples(self, n_samples), stream(random_state)
        z = draws.normal(size=(count, len(self.loadings_)))
        noise = draws.normal(size=(count, len(self.mean_))) * np.sqrt(self.noise_variance_)
        return np.asarray(z @ self.loadings_ + self.mean_ + noise)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.components_))


def _filled(X: Array, weight: Array) -> Array:
    """Gaps filled with the mean of their column, to begin somewhere."""
    gone = np.isnan(X)
    if not gone.any():
        return X
    sums = weight @ np.where(gone, 0.0, X)
    counts = weight @ ~gone
    return np.where(gone, np.divide(sums, counts, where=counts > 0, out=np.zeros(len(sums))), X)


def _closed_form(found: Spectrum, total: float, count: int, p: int, least: float) -> tuple[float, Array, Array]:
    """Noise, loadings and no shift of the mean, from the spectrum of the centred rows."""
    variances = found.values**2 / total
    left = max(found.square / total - float(variances[:count].sum()), 0.0)
    noise = max(left / (p - count) if count < p else 0.0, least)
    short = max(count - len(variances), 0)
    above = np.pad(np.sqrt(np.maximum(variances[:count] - noise, 0.0)), (0, short))
    axes = np.pad(found.vectors[:count], ((0, short), (0, 0)))
    return noise, above[:, None] * axes, np.zeros(p)
