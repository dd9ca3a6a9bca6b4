"""Base class of hidden Markov models that are fitted by variational Bayes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...core import Array, DataError, ParameterError, Trace, declaring, generator, learned, param, seed_of
from ...engines.em import run_em
from ...engines.iterate import State
from .._sequence_input import Sequences
from .hmm_base import HiddenMarkovModel
from .variational_bayes import VariationalBayes, VariationalEmissions


@declaring
class VariationalHMM(HiddenMarkovModel):
    """Base class of hidden Markov models whose parameters have a posterior distribution.

    A subclass implements `_variational_emissions`, and `_keep_emissions`.
    """

    startprob_prior: float | Array | None = param(
        None, "Dirichlet prior of startprob_; None: 1 / n_components", above=0
    )
    transmat_prior: float | Array | None = param(
        None, "Dirichlet prior of rows of transmat_; None: 1 / n_components", above=0
    )
    n_iter: int = param(100, "maximum number of iterations of a run", at_least=1)
    tol: float = param(1e-6, "convergence threshold: gain of the lower bound of all rows", at_least=0)
    startprob_prior_: Array = learned("prior of startprob_", shape="states")
    startprob_posterior_: Array = learned("Dirichlet posterior of startprob_", shape="states", least=0)
    transmat_prior_: Array = learned("prior of transmat_", shape="states states")
    transmat_posterior_: Array = learned("Dirichlet posterior of transmat_", shape="states states", least=0)

    def _fit_chain(self, data: Sequences, weight: Array, states: Array | None, given: State, trace: Trace) -> None:
        owner, K = type(self).__name__, self.n_components
        if self.training != "em":
            raise ParameterError(f"{owner}: training must be 'em', which here is variational Bayes")
        priors = {
            "startprob": hyperparameter(owner, "startprob_prior", self.startprob_prior, 1 / K, (K,)),
            "transmat": hyperparameter(owner, "transmat_prior", self.transmat_prior, 1 / K, (K, K)),
        }
        emissions = self._variational_emissions(data.X)
        steps = VariationalBayes(data, weight, states, emissions, priors, owner)
        seed = seed_of(self.random_state)

        def start(run: int) -> State:
            rng = generator(seed, run)
            return steps.initial(self._responsibilities(data, weight, states, rng), rng)

        top = run_em(steps, map(start, range(self.n_init)), self.n_iter, self.tol / steps.rows, trace, owner)
        self.history_, self.converged_ = [value * steps.rows for value in top.likelihoods], top.converged
        found = top.parameters
        for name, prior in priors.items():
            self.__dict__[f"{name}_prior_"], self.__dict__[f"{name}_posterior_"] = prior, found[name]
            self.__dict__[f"{name}_"] = found[name] / found[name].sum(axis=-1, keepdims=True)
        self._keep_emissions(emissions, found)

    @property
    def lower_bound_(self) -> float:
        """The lower bound of the log evidence of all rows in the last iteration."""
        self._require_fit()
        return float(self.history_[-1])

    @abstractmethod
    def _variational_emissions(self, X: Array) -> VariationalEmissions: ...

    @abstractmethod
    def _keep_emissions(self, emissions: Any, found: State) -> None: ...


def hyperparameter(
    owner: str, name: str, given: Array | float | None, default: Array | float, shape: tuple[int, ...]
) -> Array:
    """A hyperparameter as an array of that shape."""
    value = np.asarray(default if given is None else given, dtype=np.float64)
    try:
        found = np.array(np.broadcast_to(value, shape))
    except ValueError:
        raise ParameterError(f"{owner}: {name} must have the shape {shape}; it has {value.shape}") from None
    if not np.isfinite(found).all():
        raise DataError(f"{owner}: {name} must be finite")
    return found
