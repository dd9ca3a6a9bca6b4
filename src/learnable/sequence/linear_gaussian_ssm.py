"""Linear Gaussian state-space models."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    DataError,
    Estimator,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)  # fmt: skip
from ..core.declare import params as declared
from ..core.errors import not_fitted
from ..core.runtime.random import requested_samples, stream
from ..engines.chain import offsets
from ..engines.em import run_em
from ..engines.generative.missing_patterns import impute_means, refuse_unseen_columns
from ..engines.iterate import State
from ..engines.kalman import StateMoments, StateSpace
from ._hmm.inference import whole_number
from ._sequence_input import Sequences, read_sequences, sequence_weights
from ._state_space.em import NAMES, StateSpaceEM, refuse_singular
from ._state_space.expected_rows import fill_in


@estimator
class LinearGaussianSSM(Estimator):
    """Linear Gaussian state-space model: the Kalman filter and smoother, with EM for its parameters.

    maximise over the parameters that are not given    log p(x_1, ..., x_T),   where
    z_1 ~ N(m, P),   z_t+1 ~ N(A z_t + b, Q),   x_t ~ N(C z_t + d, R)

    The state is a vector that moves linearly, with normal noise, and is observed linearly. Missing entries (NaN), and
    whole rows of them, are integrated out. A parameter that is given is kept unless `estimate` names it; the others
    begin with the principal components of the rows. [Shumway and Stoffer, 1982]

    >>> import numpy as np
    >>> level = LinearGaussianSSM(1, transition_matrix=[[1.0]], transition_covariance=[[1.0]],
    ...     observation_matrix=[[1.0]], observation_offset=[0.0], observation_covariance=[[1.0]],
    ...     initial_mean=[0.0], initial_covariance=[[1.0]])
    >>> level.fit([[1.0], [np.nan], [2.0]]).predict([[1.0], [np.nan], [2.0]]).ravel().round(3).tolist()
    [0.714, 1.143, 1.571]
    """

    n_components: int = param(1, "number of state variables", kw_only=False, at_least=1)
    transition_matrix: Array | None = param(None, "A; None: estimated")
    transition_offset: Array | None = param(None, "b; None: zero")
    transition_covariance: Array | None = param(None, "Q; None: estimated")
    observation_matrix: Array | None = param(None, "C; None: estimated")
    observation_offset: Array | None = param(None, "d; None: estimated")
    observation_covariance: Array | None = param(None, "R; None: estimated")
    initial_mean: Array | None = param(None, "m; None: estimated")
    initial_covariance: Array | None = param(None, "P; None: estimated")
    estimate: list[str] | None = param(None, "names of the parameters to estimate; None: all that are not given")
    covariance_type: Literal["full", "diag"] = param("full", "form of an estimated observation_covariance_")
    min_covar: float = param(1e-6, "prior scatter of R, in units of the variances of the columns", at_least=0)
    n_iter: int = param(100, "maximum number of iterations of EM", at_least=1)
    tol: float = param(1e-2, "convergence threshold: gain of the log likelihood of all rows", at_least=0)
    random_state: RandomState = param(None, "seed of the initialisation, and of samples")
    transition_matrix_: Array = learned("matrix of the transition", shape="states states")
    transition_offset_: Array = learned("offset of the transition", shape="states")
    transition_covariance_: Array = learned("covariance of the noise of the states", shape="states states")
    observation_matrix_: Array = learned("matrix of the observation", shape="features states")
    observation_offset_: Array = learned("offset of the observation", shape="features")
    observation_covariance_: Array = learned("covariance of the noise of the rows", shape="features features")
    initial_mean_: Array = learned("mean of the first state", shape="states")
    initial_covariance_: Array = learned("covariance of the first state", shape="states states")
    history_: list[float] = learned("log posterior density in each iteration")
    converged_: bool = learned("whether EM converged")

    title = "linear Gaussian state-space model"
    reference = "Shumway and Stoffer, An approach to time series smoothing and forecasting using the EM algorithm, 1982"
    traits = Traits(task="sequence modelling", takes="sequence", missing="native", stochastic=True)

    def fit(self, X: Any, lengths: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn from the rows of sequences of these `lengths` (None: one), or from a list of sequences.

        `sample_weight` holds a weight for each sequence.
        """
        declared.check(self)
        data = read_sequences(self, X, lengths)
        owner = type(self).__name__
        weight = sequence_weights(owner, sample_weight, len(data.lengths))
        refuse_unseen_columns(data.X, data.names)
        given = self._given(data.X.shape[1])
        with self._fitting(data.X, weight) as trace:
            self._remember_columns(data.X, data.names)
            self._fit_model(data, weight, given, trace)
        return self

    def _fit_model(self, data: Sequences, weight: Array, given: State, trace: Trace) -> None:
        owner, heavy = type(self).__name__, data.per_row(weight)
        start, variances = self._initial(data.X, heavy)
        update = set(NAMES) - given.keys() - {"transition_offset"} if self.estimate is None else set(self.estimate)
        scatter = self.min_covar * variances if "observation_covariance" in update else np.zeros(len(variances))
        steps = StateSpaceEM(data, weight, frozenset(update), self.covariance_type == "diag", scatter, owner)
        begin = {**start, **given}
        if update:
            top = run_em(steps, [begin], self.n_iter, self.tol / steps.rows, trace, owner, rounding=rounding)
            begin, self.history_ = top.parameters, [value * steps.rows for value in top.likelihoods]
            self.converged_ = top.converged
        else:
            log_likelihood, _ = StateSpace(*(begin[name] for name in NAMES)).filter(data.X, offsets(data.lengths))
            refuse_singular(owner, log_likelihood)
            self.history_, self.converged_ = [float(weight @ log_likelihood)], True
            trace.exact("all parameters were given")
        for name in NAMES:
            self.__dict__[f"{name}_"] = np.array(begin[name])

    def _given(self, p: int) -> State:
        """The parameters that were given, of the right shapes."""
        owner, n = type(self).__name__, self.n_components
        if unknown := sorted(set(self.estimate or ()) - set(NAMES)):
            raise ParameterError(f"{owner}: estimate may hold {', '.join(NAMES)}; got {unknown[0]!r:.40}")
        found: State = {}
        for name, shape in zip(NAMES, shapes(n, p), strict=True):
            value = getattr(self, name)
            if value is None:
                continue
            found[name] = np.array(value, dtype=np.float64)
            if found[name].shape != shape or not np.isfinite(found[name]).all():
                raise ParameterError(
                    f"{owner}: {name} must have the shape {shape}, for n_components={n} and {p} columns, and be finite"
                )
            if name.endswith("covariance"):
                check_covariance(owner, name, found[name])
        return found

    def _initial(self, X: Array, heavy: Array) -> tuple[State, Array]:
        """Initial parameters: principal components of the rows; and the variances of the columns."""
        n, p = self.n_components, X.shape[1]
        filled, rng = impute_means(X, heavy), generator(seed_of(self.random_state))
        mean = heavy @ filled / heavy.sum()
        covariance = (heavy[:, None] * (filled - mean)).T @ (filled - mean) / heavy.sum()
        if not np.isfinite(covariance).all():
            raise DataError(
                f"{type(self).__name__}: the variances of X are beyond the range of numbers; scale its columns"
            )
        values, vectors = np.linalg.eigh(covariance)
        loadings = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1]
        variances = np.where(covariance.diagonal() > 0, covariance.diagonal(), 1.0)
        more = 0.3 * np.sqrt(variances)[:, None] * rng.standard_normal((p, max(n - p, 0)))
        rotation = 0.1 * rng.standard_normal((n, n))
        start = {
            "transition_matrix": 0.8 * np.eye(n) + (rotation - rotation.T),
            "transition_offset": np.zeros(n),
            "transition_covariance": 0.4 * np.eye(n),
            "observation_matrix": np.hstack([loadings[:, :n], more]),
            "observation_offset": mean,
            "observation_covariance": np.diag(0.3 * variances),
            "initial_mean": np.zeros(n),
            "initial_covariance": np.eye(n),
        }
        return start, variances

    def score(self, X: Any, lengths: Any = None) -> float:
        """The log likelihood of the sequences."""
        return float(self.score_sequences(X, lengths).sum())

    def score_sequences(self, X: Any, lengths: Any = None) -> Array:
        """The log likelihood of each sequence."""
        return self._filtered(X, lengths)[0]

    def filter(self, X: Any, lengths: Any = None) -> tuple[Array, Array]:
        """Kalman filter: means and covariances of the states at each step, given the rows so far."""
        found = self._filtered(X, lengths)[1]
        return found.means, found.covariances

    def smooth(self, X: Any, lengths: Any = None) -> tuple[Array, Array]:
        """Kalman smoother: means and covariances of the states at each step, given all rows of the sequence."""
        data = self._rows_of(X, lengths)
        found = self._model().smooth(data.X, offsets(data.lengths))
        refuse_singular(type(self).__name__, found.log_likelihood)
        return found.means, found.covariances

    def predict(self, X: Any, lengths: Any = None) -> Array:
        """The mean of the state at each step, given all rows of the sequence."""
        return self.smooth(X, lengths)[0]

    def impute(self, X: Any, lengths: Any = None) -> Array:
        """The rows, with the mean of each missing entry given all observed entries of the sequence."""
        data = self._rows_of(X, lengths)
        return fill_in(data.X, self._model(), self.smooth(X, lengths)[0])

    def forecast(self, X: Any, lengths: Any = None, *, steps: int = 1) -> tuple[Array, Array]:
        """Means and covariances of the rows after the end of each sequence.

        Their shapes are (sequences, steps, columns) and (sequences, steps, columns, columns).
        """
        count = whole_number(self, "steps", steps, 1)
        data, model = self._rows_of(X, lengths), self._model()
        ends = np.cumsum(data.lengths)
        rows = np.insert(data.X, np.repeat(ends, count), np.nan, axis=0)
        log_likelihood, states = model.filter(rows, offsets(data.lengths + count))
        refuse_singular(type(self).__name__, log_likelihood)
        after = (ends + count * np.arange(len(ends)))[:, None] + np.arange(count)
        means = states.means[after] @ model.C.T + model.d
        return means, model.C @ states.covariances[after] @ model.C.T + model.R

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Array, Array]:
        """A sequence of rows drawn from the model, and its states."""
        model = self._model()
        self._learn_columns()
        rng = stream(self.random_state if random_state is None else random_state)
        states = np.empty((requested_samples(self, n_samples), len(model.A)))
        noise = rng.standard_normal(states.shape) @ factor(model.Q).T
        if len(states):
            states[0] = model.mean + factor(model.covariance) @ rng.standard_normal(len(model.A))
        for t in range(1, len(states)):
            states[t] = model.A @ states[t - 1] + model.b + noise[t]
        rows = states @ model.C.T + model.d + rng.standard_normal((len(states), len(model.d))) @ factor(model.R).T
        return rows, states

    def _filtered(self, X: Any, lengths: Any) -> tuple[Array, StateMoments]:
        data = self._rows_of(X, lengths)
        found = self._model().filter(data.X, offsets(data.lengths))
        refuse_singular(type(self).__name__, found[0])
        return found

    def _rows_of(self, X: Any, lengths: Any) -> Sequences:
        self._require_fit()
        self._learn_columns()
        data = read_sequences(self, X, lengths)
        self._check_columns(data.X, data.names)
        return data

    def _learn_columns(self) -> None:
        if "n_features_in_" not in self.__dict__:
            self.n_features_in_ = len(self.observation_offset_)

    def _model(self) -> StateSpace:
        self._require_fit()
        return StateSpace(*(np.asarray(self.__dict__[f"{name}_"], dtype=np.float64) for name in NAMES))

    def _unsound(self) -> str:
        n, p = self.transition_matrix_.shape[0], self.observation_matrix_.shape[0]
        for name, shape in zip(NAMES, shapes(n, p), strict=True):
            value = self.__dict__[f"{name}_"]
            if value.shape != shape or not np.isfinite(value).all():
                return f"{name}_ must have the shape {shape}, and be finite"
        return ""

    def __sklearn_is_fitted__(self) -> bool:
        return all(f"{name}_" in self.__dict__ for name in NAMES)

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)


def shapes(n: int, p: int) -> list[tuple[int, ...]]:
    """The shapes of the parameters for n state variables and p columns."""
    return [(n, n), (n,), (n, n), (p, n), (p,), (p, p), (n,), (n, n)]


def check_covariance(owner: str, name: str, covariance: Array) -> None:
    """Refuse what is not symmetric and positive semidefinite."""
    size = max(float(np.abs(covariance).max()), 1e-300)
    symmetric = np.abs(covariance - covariance.T).max() <= 1e-9 * size
    if not symmetric or np.linalg.eigvalsh(covariance).min() < -1e-9 * size:
        raise ParameterError(f"{owner}: {name} must be symmetric, and have no eigenvalue below 0")


def rounding(parameters: State) -> float:
    """The relative rounding error of the likelihood: smoothed covariances are differences, divided by that of rows."""
    noise = parameters["observation_covariance"]
    least = max(float(np.linalg.eigvalsh(noise)[0]), 1e-300)
    return (
        1e-8
        + 1e-12 * float(np.trace(noise + parameters["observation_matrix"] @ parameters["observation_matrix"].T)) / least
    )


def factor(covariance: Array) -> Array:
    """A square root of a covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
