"""Categorical hidden Markov models by variational Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Traits, estimator, learned, param
from ..engines.iterate import State
from ._emissions.categorical import CategoricalEmissions
from ._emissions.variational import VariationalCategorical
from ._hmm.row_rules import refuse_non_symbols
from ._hmm.variational_base import VariationalHMM, hyperparameter
from ._sequence_input import Sequences


@estimator
class VariationalCategoricalHMM(VariationalHMM):
    """Variational categorical hidden Markov model: Dirichlet posteriors of all probabilities.

    maximise over q    E_q log p(x, z, pi, A, B) - E_q log q,    q(z, pi, A, B) = q(z) q(pi) q(A) q(B)

    A step over q(z) is forward-backward with the mean logarithms of the probabilities; a step over the others adds
    expected counts to the prior. No step lowers the bound, which is asserted. With small priors, states that the data
    do not need stay empty. [Gruhl and Sick, 2016]

    >>> X = [[0], [0], [1], [0], [2], [2], [1], [2], [2], [0]]
    >>> model = VariationalCategoricalHMM(n_components=2, random_state=0).fit(X)
    >>> model.emissionprob_posterior_.shape
    (2, 3)
    """

    emissionprob_prior: Array | float | None = param(
        None, "Dirichlet prior of emissionprob_; None: 1 / symbols", above=0
    )
    n_features: int | None = param(None, "number of symbols; None: the largest one plus 1", at_least=1)
    params: str = param("ste", "accepted for hmmlearn; all parameters are estimated")
    init_params: str = param("ste", "accepted for hmmlearn; all parameters are initialised")
    emissionprob_: Array = learned(
        "mean probability of each symbol in each state", shape="states symbols", probabilities=True
    )
    emissionprob_prior_: Array = learned("prior of emissionprob_", shape="states symbols")
    emissionprob_posterior_: Array = learned("Dirichlet posterior of emissionprob_", shape="states symbols", least=0)

    title = "variational categorical hidden Markov model"
    reference = "Gruhl and Sick, Variational Bayesian inference for hidden Markov models, 2016"
    letters = {"e": "emissionprob"}
    traits = Traits(categorical=True)

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        refuse_non_symbols(type(self).__name__, data, self.emissionprob_.shape[1] if fitted else self.n_features)

    def _variational_emissions(self, X: Array) -> VariationalCategorical:
        symbols = self.n_features if self.n_features is not None else int(np.nanmax(X)) + 1
        shape = self.n_components, symbols
        owner = type(self).__name__
        return VariationalCategorical(
            hyperparameter(owner, "emissionprob_prior", self.emissionprob_prior, 1 / symbols, shape)
        )

    def _keep_emissions(self, emissions: Any, found: State) -> None:
        self.emissionprob_prior_ = emissions.prior
        self.emissionprob_posterior_ = found["emissionprob"]
        self.emissionprob_ = found["emissionprob"] / found["emissionprob"].sum(axis=1, keepdims=True)

    def _emissions(self, X: Array | None = None) -> CategoricalEmissions:
        return CategoricalEmissions(self.emissionprob_.shape[1], 1.0)

    def _width(self) -> int:
        return 1
