"""Hidden Markov models with Poisson emissions."""

from __future__ import annotations

from ..core import Array, Traits, estimator, learned, param
from ._emissions.counts import PoissonEmissions
from ._hmm.online_em import OnlineHMM
from ._hmm.row_rules import refuse_non_counts
from ._sequence_input import Sequences


@estimator
class PoissonHMM(OnlineHMM):
    """Poisson hidden Markov model: each hidden state emits counts with rates of its own.

    maximise over pi, A, l    log sum over paths z of  pi_z1 Po(x_1; l_z1) prod_t A_zt-1,zt Po(x_t; l_zt)

    Columns are independent given the state. Missing entries (NaN) are integrated out. The prior of a rate counts
    `lambdas_prior` events in `lambdas_weight` steps. [Zucchini and MacDonald, 2009]

    >>> X = [[1], [0], [2], [9], [11], [10], [1], [0]]
    >>> model = PoissonHMM(n_components=2, n_iter=100, random_state=0).fit(X)
    >>> sorted(model.lambdas_.ravel().round().tolist())
    [1.0, 10.0]
    """

    lambdas_prior: float | Array = param(0.0, "prior number of events", at_least=0)
    lambdas_weight: float | Array = param(0.0, "number of steps in which these events were seen", at_least=0)
    params: str = param("stl", "parameters to estimate: s(tart), t(ransitions), l(ambdas)")
    init_params: str = param("stl", "parameters to initialise; others keep the values they were set to")
    lambdas_: Array = learned("rate of each column in each state", shape="states features", least=0)

    title = "Poisson hidden Markov model"
    reference = "Zucchini and MacDonald, Hidden Markov Models for Time Series, 2009"
    letters = {"l": "lambdas"}
    traits = Traits(positive_columns=True)

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        refuse_non_counts(type(self).__name__, data)

    def _emissions(self, X: Array | None = None) -> PoissonEmissions:
        return PoissonEmissions(self.lambdas_prior, self.lambdas_weight)

    def _width(self) -> int:
        return int(self.lambdas_.shape[1])
