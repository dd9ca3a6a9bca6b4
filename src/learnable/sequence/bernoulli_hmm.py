"""Hidden Markov models with binary emissions."""

from __future__ import annotations

import numpy as np

from ..core import Array, estimator, learned, param
from ._emissions.counts import BernoulliEmissions
from ._hmm.online_em import OnlineHMM


@estimator
class BernoulliHMM(OnlineHMM):
    """Bernoulli hidden Markov model: each hidden state emits binary columns, independent given the state.

    maximise over pi, A, q    log sum over paths z of  prod_t A_zt-1,zt prod_j q_j^x_tj (1 - q_j)^(1 - x_tj)

    Entries of `X` above `binarize` are 1; missing ones (NaN) are integrated out. [Rabiner, 1989]

    >>> X = [[1, 1], [1, 1], [0, 0], [0, 0], [0, 0], [1, 1]]
    >>> model = BernoulliHMM(n_components=2, n_iter=100, random_state=0).fit(X)
    >>> bool(model.predict(X)[0] == model.predict(X)[5] != model.predict(X)[3])
    True
    """

    binarize: float = param(0.5, "threshold above which entries are 1")
    emissionprob_prior: float | Array = param(1.0, "beta prior of emissionprob_: 1 plus pseudo-counts", at_least=0)
    params: str = param("ste", "parameters to estimate: s(tart), t(ransitions), e(missions)")
    init_params: str = param("ste", "parameters to initialise; others keep the values they were set to")
    emissionprob_: Array = learned("probability of a one in each column and state", shape="states features")

    title = "Bernoulli hidden Markov model"
    reference = "Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989"
    letters = {"e": "emissionprob"}

    def _emissions(self, X: Array | None = None) -> BernoulliEmissions:
        return BernoulliEmissions(self.binarize, self.emissionprob_prior)

    @property
    def _monotone(self) -> bool:
        return bool(np.min(self.emissionprob_prior) >= 1)

    def _width(self) -> int:
        return int(self.emissionprob_.shape[1])
