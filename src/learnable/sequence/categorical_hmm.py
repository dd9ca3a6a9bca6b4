"""Hidden Markov models with categorical emissions."""

from __future__ import annotations

import numpy as np

from ..core import Array, Traits, estimator, learned, param
from ._emissions.categorical import CategoricalEmissions
from ._hmm.online_em import OnlineHMM
from ._hmm.row_rules import refuse_non_symbols
from ._sequence_input import Sequences


@estimator
class CategoricalHMM(OnlineHMM):
    """Categorical hidden Markov model: each hidden state emits one of several symbols.

    maximise over pi, A, B    log sum over paths z of  pi_z1 B_z1(x_1) prod_t A_zt-1,zt B_zt(x_t)

    `X` has one column of symbols 0, 1, ..., n_features - 1; NaN is a missing observation, which is integrated out. The
    Baum-Welch algorithm (EM) never lowers the likelihood, which is asserted. [Baum et al., 1970]

    >>> X = [[0], [0], [1], [0], [2], [2], [1], [2], [2], [0]]
    >>> model = CategoricalHMM(n_components=2, n_iter=200, tol=1e-6, random_state=0).fit(X)
    >>> model.emissionprob_.shape, model.n_components
    ((2, 3), 2)
    >>> bool(model.score(X) > -11)
    True
    """

    emissionprob_prior: float | Array = param(1.0, "Dirichlet prior of emissionprob_: 1 plus pseudo-counts", at_least=0)
    n_features: int | None = param(None, "number of symbols; None: the largest one plus 1", at_least=1)
    params: str = param("ste", "parameters to estimate: s(tart), t(ransitions), e(missions)")
    init_params: str = param("ste", "parameters to initialise; others keep the values they were set to")
    emissionprob_: Array = learned(
        "probability of each symbol in each state", shape="states symbols", probabilities=True
    )

    title = "categorical hidden Markov model"
    reference = "Baum et al., A maximization technique occurring in the analysis of Markov chains, 1970"
    letters = {"e": "emissionprob"}
    traits = Traits(categorical=True)

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        refuse_non_symbols(type(self).__name__, data, self.emissionprob_.shape[1] if fitted else self.n_features)

    def _emissions(self, X: Array | None = None) -> CategoricalEmissions:
        if X is None:
            return CategoricalEmissions(self.emissionprob_.shape[1], self.emissionprob_prior)
        symbols = self.n_features if self.n_features is not None else int(np.nanmax(X)) + 1
        return CategoricalEmissions(symbols, self.emissionprob_prior)

    @property
    def _monotone(self) -> bool:
        return bool(np.min(self.emissionprob_prior) >= 1)

    def _width(self) -> int:
        return 1
