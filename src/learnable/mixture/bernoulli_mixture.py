"""Bernoulli mixture models for binary data."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..engines.em import run_em
from ._discrete_em import IndicatorSteps, log_joint
from ._mixture_base import Mixture


@estimator
class BernoulliMixture(Mixture):
    """Bernoulli mixture model: binary columns that are independent given the latent component.

    maximise over pi, q    sum_i s_i log sum_k pi_k prod_j q_kj^x_ij (1 - q_kj)^(1 - x_ij)  +  alpha sum log q (1 - q)

    Entries above `binarize` are 1; missing values (NaN) are integrated out. [Everitt and Hand, 1981]

    >>> X = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> model = BernoulliMixture(n_components=2, random_state=0).fit(X)
    >>> bool(model.predict([[1, 1, 0, 0]])[0] == model.predict([[1, float("nan"), 0, 0]])[0])
    True
    """

    binarize: float = param(0.5, "threshold above which entries are 1")
    alpha: float = param(0.01, "additive smoothing: pseudo-count of each value", at_least=0)
    tol: float = param(1e-6, "convergence threshold: gain of the log likelihood per row", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations of a run", at_least=1)
    probabilities_: Array = learned("probability of 1 in each component", shape="components features")

    traits = Traits(missing="native")
    title = "Bernoulli mixture model"
    reference = "Everitt and Hand, Finite mixture distributions, 1981"

    def _run_em(self, data: Data, trace: Trace) -> None:
        indicators = self._indicators(data.X)
        weight = np.ones(data.n) if data.weight is None else data.weight
        columns = np.tile(np.arange(data.p), 2)
        steps = IndicatorSteps(indicators, columns, weight, self.alpha)
        binary = np.where(np.isnan(data.X), np.nan, self.binarize < data.X)
        starts = (
            steps.m_step(responsibilities) for responsibilities in self._initial_responsibilities(binary, data.weight)
        )
        top = run_em(steps, starts, self.max_iter, self.tol, trace, type(self).__name__)
        self._keep(top)
        self.weights_ = top.parameters["weights"]
        self.probabilities_ = top.parameters["values"][:, : data.p].astype(data.X.dtype)

    def _indicators(self, X: Matrix) -> Array:
        """Indicators of 1 and of 0 for each column; neither is set where the value is missing."""
        with np.errstate(invalid="ignore"):
            return np.hstack([self.binarize < X, self.binarize >= X]).astype(np.float64)

    def _log_joint(self, X: Matrix) -> Array:
        values = np.hstack([self.probabilities_, 1 - self.probabilities_])
        return log_joint(self._indicators(X), {"weights": self.weights_, "values": values})

    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array:
        probabilities = self.probabilities_[component]
        return np.asarray(draws.uniform(size=(count, len(probabilities))) < probabilities, dtype=np.float64)

    def _free_parameters(self) -> int:
        return int(self.probabilities_.size) + len(self.weights_) - 1
