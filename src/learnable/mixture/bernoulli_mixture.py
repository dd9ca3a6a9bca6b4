"""Mixtures of rows of yes and no."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
from ..engines.em import run_em
from ._discrete_em import IndicatorSteps, log_joint
from ._mixture_base import Mixture


@estimator
class BernoulliMixture(Mixture):
    """Rows of yes and no from several groups, each with its own probabilities: columns depend through the group alone.

    maximise over pi, q    sum_i s_i log sum_k pi_k prod_j q_kj^x_ij (1 - q_kj)^(1 - x_ij)  +  alpha sum log q (1 - q)

    Entries above `binarize` are yes; gaps (NaN) are integrated out. [Everitt and Hand, 1981]

    >>> X = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> model = BernoulliMixture(n_components=2, random_state=0).fit(X)
    >>> bool(model.predict([[1, 1, 0, 0]])[0] == model.predict([[1, float("nan"), 0, 0]])[0])
    True
    """

    binarize: float = param(0.5, "entries above it are yes")
    alpha: float = param(0.01, "made-up rows of each value, which keep probabilities off zero", at_least=0)
    tol: float = param(1e-6, "gain of the log likelihood per row that ends a run", at_least=0)
    max_iter: int = param(1000, "most steps of a run", at_least=1)
    probabilities_: Array = learned("probability of yes, a row for each component", shape="components features")

    missing = "native"
    reference = "Everitt and Hand, Finite mixture distributions, 1981"

    def _climb(self, data: Data, trace: Trace) -> None:
        indicators = self._indicators(data.X)
        weight = np.ones(data.n) if data.weight is None else data.weight
        groups = np.tile(np.arange(data.p), 2)
        steps = IndicatorSteps(indicators, groups, weight, self.alpha)
        answers = np.where(np.isnan(data.X), np.nan, self.binarize < data.X)
        starts = (steps.maximised(posterior) for posterior in self._beginnings(answers, data.weight))
        top = run_em(steps, starts, self.max_iter, self.tol, trace, type(self).__name__)
        self._keep(top)
        self.weights_ = top.parameters["weights"]
        self.probabilities_ = top.parameters["values"][:, : data.p].astype(data.X.dtype)

    def _indicators(self, X: Matrix) -> Array:
        """A column for yes and a column for no of each column; neither where it is missing."""
        with np.errstate(invalid="ignore"):
            return np.hstack([self.binarize < X, self.binarize >= X]).astype(np.float64)

    def _log_joint(self, X: Matrix) -> Array:
        values = np.hstack([self.probabilities_, 1 - self.probabilities_])
        return log_joint(self._indicators(X), {"weights": self.weights_, "values": values})

    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array:
        chances = self.probabilities_[component]
        return np.asarray(draws.uniform(size=(count, len(chances))) < chances, dtype=np.float64)

    def _free_parameters(self) -> int:
        return int(self.probabilities_.size) + len(self.weights_) - 1
