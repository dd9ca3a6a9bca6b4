"""Base class of hidden Markov models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ...core import Array, ParameterError, RandomState, Trace, Traits, declaring, generator, learned, param, seed_of
from ...core.declare import params as declared
from ...core.errors import DataError, not_fitted
from ...engines.em import EMRun, run_em
from ...engines.generative.missing_patterns import impute_means, refuse_unseen_columns
from ...engines.iterate import State
from ...engines.kmeans import kmeans
from .._emissions.emissions import Emissions
from .._sequence_input import Sequences, checked_states, read_sequences, sequence_weights
from .baum_welch import BaumWelch
from .inference import HMMInference


@dataclass(frozen=True)
class ConvergenceMonitor:
    """The convergence of the EM algorithm, as hmmlearn reports it: `history` has the objective of each iteration."""

    history: list[float]
    tol: float
    n_iter: int
    converged: bool

    @property
    def iter(self) -> int:
        """The number of iterations."""
        return len(self.history)


@declaring
class HiddenMarkovModel(HMMInference):
    """Base class of hidden Markov models.

    A subclass declares the parameters of its emissions, `letters` (letter of `params` -> name of the parameter), and
    implements `_emissions`.
    """

    traits = Traits(task="sequence modelling", takes="sequence", missing="native", stochastic=True)
    chain_letters: ClassVar[dict[str, str]] = {"s": "startprob", "t": "transmat"}
    letters: ClassVar[dict[str, str]] = {}

    n_components: int = param(1, "number of states", kw_only=False, at_least=1, tune=(1, 2, 3, 4, 5))
    startprob_prior: float | Array | None = param(
        1.0, "Dirichlet prior of startprob_: 1 plus pseudo-counts; None: 1", at_least=0
    )
    transmat_prior: float | Array | None = param(
        1.0, "Dirichlet prior of rows of transmat_: 1 plus pseudo-counts; None: 1", at_least=0
    )
    algorithm: Literal["viterbi", "map"] = param("viterbi", "decoder: most probable path, or most probable states")
    random_state: RandomState = param(None, "seed of the initialisation, and of samples")
    n_iter: int = param(10, "maximum number of iterations of a run", at_least=1)
    tol: float = param(1e-2, "convergence threshold: gain of the log likelihood of all rows", at_least=0)
    verbose: bool = param(False, "accepted for hmmlearn; learnable.progress() shows the iterations")
    implementation: Literal["log", "scaling"] = param(
        "log", "accepted for compatibility with hmmlearn; the log-space fallback is automatic"
    )
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    training: Literal["em", "viterbi"] = param("em", "E-step: posteriors of the states, or the most probable path")
    params: str = param("st", "parameters to estimate: s(tart), t(ransitions), and those of the emissions")
    init_params: str = param("st", "parameters to initialise; others keep the values they were set to")
    startprob_: Array = learned("probability of each state at the first step", shape="states", probabilities=True)
    transmat_: Array = learned(
        "transition probabilities, from the row's state to the column's", shape="states states", probabilities=True
    )
    history_: list[float] = learned("log posterior density in each iteration of the best run", optional=True)
    converged_: bool = learned("whether the best run converged", optional=True)

    def fit(self, X: Any, lengths: Any = None, *, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of sequences of these `lengths` (None: one), or from a list of sequences.

        `lengths` may name a column of a data frame that has one value in each sequence. `y` holds known states, and -1
        where the state is unknown, or is a boolean table of the states that each row may have; `sample_weight` has a
        weight for each sequence.
        """
        declared.check(self)
        data = read_sequences(self, X, lengths)
        owner = type(self).__name__
        states = checked_states(owner, y, len(data.X), self.n_components)
        weight = sequence_weights(owner, sample_weight, len(data.lengths))
        self._check_rows(data)
        given = self._given()
        with self._fitting(data.X, states, weight) as trace:
            self._remember_columns(data.X, data.names)
            self._fit_chain(self._rows(data), weight, states, given, trace)
        return self

    @property
    def monitor_(self) -> ConvergenceMonitor:
        """The convergence of the EM algorithm: `history`, `iter`, `converged`."""
        self._require_fit()
        return ConvergenceMonitor(list(self.history_), self.tol, self.n_iter, bool(self.converged_))

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        """Refuse rows that the emissions, once `fitted`, cannot have; a subclass adds its own rules."""
        if not fitted:
            refuse_unseen_columns(data.X, data.names)

    def _given(self) -> State:
        """Parameters that were set before the fit and are not to be initialised."""
        self._check_letters()
        kept = {name for letter, name in self._all_letters.items() if letter not in self.init_params}
        found = {name: self.__dict__[f"{name}_"] for name in kept if f"{name}_" in self.__dict__}
        shapes = {"startprob": (self.n_components,), "transmat": (self.n_components, self.n_components)}
        checked: State = {}
        for name, value in found.items():
            checked[name] = np.array(value, dtype=np.float64)
            if name in shapes:
                check_probabilities(type(self).__name__, f"{name}_", checked[name], shapes[name])
            elif len(checked[name]) != self.n_components and name != "covariances":
                raise ParameterError(
                    f"{type(self).__name__}: {name}_ must have a row for each of n_components={self.n_components} "
                    f"states; it has the shape {checked[name].shape}"
                )
        return checked

    @property
    def _all_letters(self) -> dict[str, str]:
        return {**self.chain_letters, **self.letters}

    def _check_letters(self) -> None:
        for name in ("params", "init_params"):
            unknown = sorted(set(getattr(self, name)) - set(self._all_letters))
            if unknown:
                known = ", ".join(f"{letter} ({meaning})" for letter, meaning in self._all_letters.items())
                raise ParameterError(f"{type(self).__name__}: {name} may hold {known}; got {''.join(unknown)!r}")

    def _fit_chain(self, data: Sequences, weight: Array, states: Array | None, given: State, trace: Trace) -> None:
        owner, emissions = type(self).__name__, self._emissions(data.X)
        names = {*self.chain_letters.values(), *emissions.names}
        update = frozenset(name for letter, name in self._all_letters.items() if letter in self.params) & names
        given_priors = {"startprob": self.startprob_prior, "transmat": self.transmat_prior}
        priors = {name: 1.0 if prior is None else prior for name, prior in given_priors.items()}
        steps = self._em_steps(data, weight, states, emissions, priors, update)
        starts = self._starts(steps, given)
        exact = all(np.min(prior) >= 1 for prior in priors.values()) and self._monotone
        tolerance = self.tol / steps.rows
        top = run_em(steps, starts, self.n_iter, tolerance, trace, owner, exact=exact, rounding=self._rounding)
        self._keep(top, steps)

    def _em_steps(
        self, data: Sequences, weight: Array, states: Array | None, emissions: Emissions,
        priors: dict[str, Array | float], update: frozenset[str],
    ) -> BaumWelch:  # fmt: skip
        hard = self.training == "viterbi"
        return BaumWelch(data, weight, states, emissions, priors, update, hard, type(self).__name__)

    @property
    def _monotone(self) -> bool:
        """Whether priors of the emissions let no iteration lower the objective."""
        return True

    def _rounding(self, parameters: State) -> float:
        """The relative rounding error of the objective."""
        return 0.0

    def _keep(self, top: EMRun, steps: BaumWelch) -> None:
        self.history_ = [value * steps.rows for value in top.likelihoods]
        self.converged_ = top.converged
        for name, value in top.parameters.items():
            self.__dict__[f"{name}_"] = value

    def _starts(self, steps: BaumWelch, given: State) -> Iterator[State]:
        """Initial parameters of each run: k-means clusters, or known states, with random transitions."""
        seed, states = seed_of(self.random_state), self.n_components
        known = all(name in given for name in steps.emissions.names)
        for run in range(self.n_init):
            rng = generator(seed, run)
            found = (
                {}
                if known
                else steps.initial_emissions(self._responsibilities(steps.data, steps.weight, steps.states, rng), rng)
            )
            found["startprob"] = rng.dirichlet(np.ones(states))
            found["transmat"] = rng.dirichlet(np.ones(states), states)
            yield {**found, **given}

    def _responsibilities(
        self, data: Sequences, weight: Array, states: Array | None, rng: np.random.Generator
    ) -> Array:
        """Initial posteriors of the states: known ones, or clusters of the rows."""
        X, K = data.X, self.n_components
        filled, heavy = impute_means(X, None), data.per_row(weight)
        if states is not None and states.ndim == 2:
            share = np.where(states.all(axis=1), 1e-3, 1.0) / states.sum(axis=1)
            return np.asarray(states * share[:, None])
        if states is not None:
            found = np.full((len(X), K), 1e-3 / K)
            found[states >= 0] = np.eye(K)[states[states >= 0]]
            return found
        if self.traits.categorical:
            return np.zeros((len(X), K))  # symbols have no clusters: their probabilities are drawn
        if len(np.unique(filled[heavy > 0], axis=0)) < K:
            return np.asarray(rng.dirichlet(np.ones(K), len(X)))
        return np.eye(K)[kmeans(self._comparable(filled), K, heavy, rng).labels]

    def _comparable(self, filled: Array) -> Array:
        """The rows as they are clustered to initialise the states."""
        return filled

    def __sklearn_is_fitted__(self) -> bool:
        return all(f"{name}_" in self.__dict__ for name in self._all_letters.values())

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _parameters(self) -> State:
        """The learned parameters by name."""
        self._require_fit()
        return {name: np.asarray(self.__dict__[f"{name}_"], dtype=np.float64) for name in self._all_letters.values()}

    @abstractmethod
    def _emissions(self, X: Array | None = None) -> Emissions:
        """The emission distribution; `X` are the rows to learn from, None after the fit."""


def check_probabilities(owner: str, name: str, values: Array, shape: tuple[int, ...]) -> None:
    """Refuse what is not an array of probabilities that add up to 1 along the last axis."""
    if values.shape != shape:
        raise ParameterError(f"{owner}: {name} must have the shape {shape}; it has {values.shape}")
    if not (values >= 0).all() or not np.allclose(values.sum(axis=-1), 1):
        raise DataError(f"{owner}: {name} must be at least 0, and add up to 1 in each row")
