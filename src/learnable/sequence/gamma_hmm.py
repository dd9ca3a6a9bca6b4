"""Hidden Markov models with gamma emissions."""

from __future__ import annotations

import numpy as np

from ..core import Array, Traits, estimator, learned, param
from ._emissions.gamma import GammaEmissions
from ._hmm.hmm_base import HiddenMarkovModel
from ._hmm.row_rules import refuse_entries
from ._sequence_input import Sequences


@estimator
class GammaHMM(HiddenMarkovModel):
    """Gamma hidden Markov model: each hidden state emits positive numbers from gamma distributions of its own.

    maximise over pi, A, a, b    log sum over paths z of  pi_z1 prod_t A_zt-1,zt prod_j Gamma(x_tj; a_ztj, b_ztj)

    Columns are independent given the state. The shapes a solve log a - digamma(a) = log mean - mean log, and the rates
    are b = a / mean. Missing entries (NaN) are integrated out. [Zucchini and MacDonald, 2009]

    >>> X = [[1.1], [0.9], [1.0], [9.0], [11.0], [10.0], [1.2], [0.8]]
    >>> model = GammaHMM(n_components=2, n_iter=100, random_state=0).fit(X)
    >>> sorted((model.shapes_ / model.rates_).ravel().round(2).tolist())
    [1.0, 10.0]
    """

    params: str = param("stab", "parameters to estimate: s(tart), t(ransitions), a (shapes), b (rates)")
    init_params: str = param("stab", "parameters to initialise; others keep the values they were set to")
    shapes_: Array = learned("shape of each column in each state", shape="states features", least=0)
    rates_: Array = learned("rate of each column in each state", shape="states features", least=0)

    title = "gamma hidden Markov model"
    reference = "Zucchini and MacDonald, Hidden Markov Models for Time Series, 2009"
    letters = {"a": "shapes", "b": "rates"}
    traits = Traits(positive_columns=True)

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        refuse_entries(type(self).__name__, data, np.nan_to_num(data.X, nan=1.0) <= 0, "numbers above 0")

    @property
    def _monotone(self) -> bool:
        return not ("a" in self.params and "b" not in self.params)  # shapes alone take those of free rates

    def _emissions(self, X: Array | None = None) -> GammaEmissions:
        return GammaEmissions(self._width() if X is None else X.shape[1])

    def _width(self) -> int:
        return int(self.shapes_.shape[1])
