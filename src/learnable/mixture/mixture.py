"""What all mixtures share: several distributions, each with its share of the rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..core import Array, Data, Estimator, Matrix, ParameterError, RandomState, Trace, declaring, learned, params
from ..core.data import Door
from ..core.errors import not_fitted
from ..core.random import stream
from ..engines import design
from ..engines.em import Summit, shares_and_likelihood


@declaring
class Mixture(Estimator):
    """Rows that come from one of several distributions, it is not known from which.

    It writes `_fit`, `_log_joint` (log of weight times density, a column per component), `_draw` and
    `_free_parameters`.
    """

    task = "mixture modelling"

    weights_: Array = learned("share of each component", shape="components")
    converged_: bool = learned("whether the best climb ended by itself")
    n_iter_: int = learned("steps of the best climb")
    lower_bound_: float = learned("log likelihood per row, or its bound, at the last step")
    lower_bounds_: list[float] = learned("the same at each step of the best climb")

    n_components: int
    random_state: RandomState

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`; `y` is not looked at, a weight of 3 counts a row as three copies."""
        params.check(self)
        door = self._door
        matrix, names = self._enter(X)
        data = Data(matrix, np.empty(0), door.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, None, data.weight) as trace:
            self._remember_columns(matrix, names)
            rows, weight = design.rows_that_count(data.X, data.weight)
            if rows.shape[0] < self.n_components:
                raise ParameterError(
                    f"{type(self).__name__}: n_components={self.n_components} need at least as many rows; n_samples = "
                    f"{rows.shape[0]}"
                )
            self._fit(Data(rows, data.y, weight, names), trace)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Learn from the rows of `X` and say which component each most likely comes from."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: Any) -> Array:
        """The component that each row most likely comes from."""
        return np.asarray(self._log_joint(self._read(X)).argmax(axis=1))

    def predict_proba(self, X: Any) -> Array:
        """The probability that each row comes from each component."""
        posterior: Array = shares_and_likelihood(self._log_joint(self._read(X)))[0]
        return posterior

    def score_samples(self, X: Any) -> Array:
        """The log density of each row."""
        logs: Array = shares_and_likelihood(self._log_joint(self._read(X)))[1]
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """-2 log likelihood + parameters times log rows: the smaller, the better. [Schwarz, 1978]"""
        logs = self.score_samples(X)
        return float(-2 * logs.sum() + self._free_parameters() * np.log(len(logs)))

    def aic(self, X: Any) -> float:
        """-2 log likelihood + 2 parameters: the smaller, the better. [Akaike, 1974]"""
        return float(-2 * self.score_samples(X).sum() + 2 * self._free_parameters())

    def sample(self, n_samples: int = 1) -> tuple[Array, Array]:
        """Rows drawn from the mixture, ordered by component, and the component of each."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if n_samples < 1:
            raise ParameterError(f"{type(self).__name__}: n_samples of sample must be at least 1; got {n_samples!r}")
        draws = stream(self.random_state)
        counts = draws.multinomial(n_samples, self.weights_.astype(np.float64) / self.weights_.sum(dtype=np.float64))
        rows = [self._draw(k, int(count), draws) for k, count in enumerate(counts)]
        return np.vstack(rows), np.repeat(np.arange(len(counts)), counts)

    def _keep(self, top: Summit) -> None:
        """Remember how the best climb went."""
        self.converged_, self.n_iter_ = top.converged, top.steps
        self.lower_bound_, self.lower_bounds_ = top.likelihood, top.course

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _log_joint(self, X: Matrix) -> Array: ...

    @abstractmethod
    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array: ...

    @abstractmethod
    def _free_parameters(self) -> int: ...


def read_rows(owner: str, X: Any) -> Array:
    """A table for functions of mixtures; gaps are NaN."""
    matrix, _ = Door(owner, missing="native").matrix(X)
    return np.asarray(matrix)
