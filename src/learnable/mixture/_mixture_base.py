"""Base class of mixture models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    declaring,
    generator,
    learned,
    param,
    seed_of,
)
from ..core.roles.unsupervised import WeightedUnsupervised
from ..core.runtime.random import requested_samples, stream
from ..engines import matrix_products
from ..engines.em import EMRun, responsibilities_and_likelihood
from ..engines.generative.missing_patterns import refuse_unseen_columns
from ._init import InitParams, initial_responsibilities


@declaring
class Mixture(WeightedUnsupervised):
    """Base class of mixture models.

    A subclass implements `_run_em` (for rows with weight), `_log_joint` (log of mixing weight times density, a column
    per component), `_draw` and `_free_parameters`.
    """

    traits = Traits(task="mixture modelling", stochastic=True)

    n_components: int = param(1, "number of components", kw_only=False, at_least=1, tune=(1, 2, 3, 5, 8))
    tol: float = param(1e-3, "convergence threshold: gain of the log likelihood per row", at_least=0)
    max_iter: int = param(100, "maximum number of iterations of a run", at_least=0)
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    init_params: InitParams = param("kmeans", "initialisation of the responsibilities")
    random_state: RandomState = param(None, "seed of the initialisation, and of samples")
    weights_: Array = learned("mixing weights of the components", shape="components", probabilities=True)
    converged_: bool = learned("whether the best run converged")
    n_iter_: int = learned("number of iterations of the best run")
    lower_bound_: float = learned("log likelihood per row, or its lower bound, of the best run")
    lower_bounds_: list[float] = learned("lower_bound_ in each iteration of the best run")

    def _check_row_count(self, n: int) -> None:
        if n < self.n_components:
            raise ParameterError(
                f"{type(self).__name__}: n_components={self.n_components} need at least as many rows; n_samples = {n}"
            )

    def _fit(self, data: Data, trace: Trace) -> None:
        rows, weight = matrix_products.rows_that_count(data.X, data.weight)
        self._check_row_count(rows.shape[0])
        if self.traits.takes != "table":
            refuse_unseen_columns(rows, data.names)
        self._run_em(Data(rows, data.y, weight, data.names), trace)

    def _initial_responsibilities(self, X: Array, weight: Array | None) -> Iterator[Array]:
        """The initial responsibilities of each run."""
        seed = seed_of(self.random_state)
        for run in range(self.n_init):
            yield initial_responsibilities(X, weight, self.n_components, self.init_params, generator(seed, run))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit to the rows of `X`, and return the most probable component of each."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: Any) -> Array:
        """The most probable component of each row."""
        return np.asarray(self._log_joint(self._read(X)).argmax(axis=1))

    def predict_proba(self, X: Any) -> Array:
        """The responsibilities: posterior probability of each component for each row."""
        responsibilities: Array = responsibilities_and_likelihood(self._log_joint(self._read(X)))[0]
        return responsibilities

    def score_samples(self, X: Any) -> Array:
        """The log density of each row."""
        logs: Array = responsibilities_and_likelihood(self._log_joint(self._read(X)))[1]
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """Bayesian information criterion, -2 log likelihood + parameters times log rows.

        Smaller is better. [Schwarz, 1978]
        """
        logs = self.score_samples(X)
        return float(-2 * logs.sum() + self._free_parameters() * np.log(len(logs)))

    def aic(self, X: Any) -> float:
        """Akaike information criterion, -2 log likelihood + 2 parameters; smaller is better. [Akaike, 1974]"""
        return float(-2 * self.score_samples(X).sum() + 2 * self._free_parameters())

    def sample(self, n_samples: int = 1) -> tuple[Array, Array]:
        """Rows drawn from the mixture, ordered by component, and the component of each."""
        count, draws = requested_samples(self, n_samples), stream(self.random_state)
        counts = draws.multinomial(count, self.weights_.astype(np.float64) / self.weights_.sum(dtype=np.float64))
        rows = [self._draw(k, int(count), draws) for k, count in enumerate(counts)]
        return np.vstack(rows), np.repeat(np.arange(len(counts)), counts)

    def _keep(self, top: EMRun) -> None:
        """Store the history of the best run."""
        self.converged_, self.n_iter_ = top.converged, top.steps
        self.lower_bound_, self.lower_bounds_ = top.likelihood, top.likelihoods

    @abstractmethod
    def _run_em(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _log_joint(self, X: Matrix) -> Array: ...

    @abstractmethod
    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array: ...

    @abstractmethod
    def _free_parameters(self) -> int: ...
