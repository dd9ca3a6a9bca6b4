"""Probabilistic principal component analysis."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Invertible,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)
from ..core.runtime.random import requested_samples, stream
from ..engines import matrix_products
from ..engines.algebra.singular_vectors import CentredRows, Spectrum, turned, whole_spectrum
from ..engines.em import run_em
from ..engines.generative.missing_patterns import find_missing_patterns, refuse_unseen_columns
from ._latent_factors import MIN_NOISE_RATIO, FactorEM, infer
from ._projection_base import score_names


@estimator
class ProbabilisticPCA(Invertible):
    """Probabilistic principal component analysis (PPCA): x = W z + m + noise with normal z and isotropic noise.

    maximise over W, m, v    sum over rows of log N(x; m, W W' + v I),    W = V (L - v I)^(1/2), v the mean discarded L

    Complete rows by the eigenvectors V and variances L of the covariance, in closed form; rows with missing values
    (NaN), or all with method="em", by EM over the observed entries. Scores are posterior means of z. [Tipping and
    Bishop, 1999]

    >>> X = [[1.0, 1.0], [2.0, 2.1], [3.0, 2.9], [4.0, 4.0]]
    >>> model = ProbabilisticPCA(n_components=1).fit(X)
    >>> round(model.noise_variance_, 5)
    0.00229
    """

    n_components: int | None = param(
        None,
        "number of components; None: number of columns - 1",
        kw_only=False,
        at_least=0,
        tune=(2, 5, 10, 20),
        simpler="smaller",
    )
    method: Literal["auto", "em"] = param("auto", "closed form if rows are complete, or always EM (em)")
    tol: float = param(1e-8, "convergence threshold: gain of the log likelihood per row", at_least=0)
    max_iter: int = param(10_000, "maximum number of iterations", at_least=1)
    components_: Array = learned("principal components, one per row", shape="components features")
    explained_variance_: Array = learned("variance along each component, noise included", shape="components")
    loadings_: Array = learned("loadings W, a row for each component", shape="components features")
    noise_variance_: float = learned("noise variance")
    mean_: Array = learned("mean of each column", shape="features")
    log_likelihood_: float = learned("log likelihood of the training rows")
    n_iter_: int = learned("number of iterations, one for the closed form")

    traits = Traits(missing="native")
    title = "probabilistic principal component analysis"
    reference = "Tipping and Bishop, Probabilistic principal component analysis, 1999"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        X, weight = X.astype(np.float64), np.ones(len(X)) if weight is None else weight
        count = self._count(data.p)
        refuse_unseen_columns(X, data.names)
        filled = _filled(X, weight)
        rows = CentredRows.of(filled, weight)
        found, total = whole_spectrum(rows), float(weight.sum())
        least = MIN_NOISE_RATIO * (found.square / total / data.p or 1.0)
        self.n_iter_ = 1
        noise, W, mean = _closed_form(found, total, count, data.p, least)
        if np.isnan(X).any() or self.method == "em":
            scaled = X * rows.unit - rows.mean
            model = FactorEM(scaled, weight, True, np.full(data.p, least), find_missing_patterns(np.isnan(X)))
            initial = {"mean": np.zeros(data.p), "W": W, "noise": np.full(data.p, noise)}
            top = run_em(model, [initial], self.max_iter, self.tol, trace, type(self).__name__)
            self.n_iter_ = top.steps
            W, noise, mean = top.parameters["W"], float(top.parameters["noise"][0]), top.parameters["mean"]
        self._keep(W / rows.unit, noise / rows.unit / rows.unit, (mean + rows.mean) / rows.unit, data.X.dtype)
        self.log_likelihood_ = float(weight @ self._densities(X))
        if not trace.rows:
            trace.exact("maximum likelihood components and noise in closed form", -self.log_likelihood_ / total)

    def _count(self, p: int) -> int:
        count = max(p - 1, 0) if self.n_components is None else self.n_components
        if count > p:
            raise ParameterError(
                f"ProbabilisticPCA: n_components must be at most the number of columns, {p}; got {count}"
            )
        return count

    def _keep(self, W: Array, noise: float, mean: Array, dtype: Any) -> None:
        """Rotate the loadings to the principal directions, which are unique."""
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
        """The log density of the observed entries of each row."""
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
    """Missing values imputed by the column means, for the initialisation."""
    gone = np.isnan(X)
    if not gone.any():
        return X
    sums = weight @ np.where(gone, 0.0, X)
    counts = weight @ ~gone
    return np.where(gone, np.divide(sums, counts, where=counts > 0, out=np.zeros(len(sums))), X)


def _closed_form(found: Spectrum, total: float, count: int, p: int, least: float) -> tuple[float, Array, Array]:
    """Noise variance, loadings and zero mean, by the spectrum of the centred rows."""
    variances = found.values**2 / total
    left = max(found.square / total - float(variances[:count].sum()), 0.0)
    noise = max(left / (p - count) if count < p else 0.0, least)
    short = max(count - len(variances), 0)
    above = np.pad(np.sqrt(np.maximum(variances[:count] - noise, 0.0)), (0, short))
    axes = np.pad(found.vectors[:count], ((0, short), (0, 0)))
    return noise, above[:, None] * axes, np.zeros(p)
