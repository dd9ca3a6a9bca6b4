"""The EM algorithm for user-defined models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core import Array, RandomState, Trace, generator, seed_of
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.errors import ParameterError
from ..engines.em import run_em
from ..engines.iterate import State


class LatentModel(Protocol):
    """A model with latent variables, as `em` requires it; parameters are a dict of arrays and numbers."""

    def start(self, X: Any, draws: np.random.Generator) -> State:
        """Initial parameters."""

    def expect(self, X: Any, parameters: State) -> tuple[Any, Array]:
        """E-step: the posterior of the latent variables, and the log likelihood of each row."""

    def maximise(self, X: Any, posterior: Any) -> State:
        """M-step: the parameters that maximise the expected log likelihood under this posterior."""


class EMResult(NamedTuple):
    """The result of the best run: parameters, log likelihood of all rows, its history, iterations, and the trace."""

    parameters: State
    log_likelihood: float
    course: list[float]
    n_iter: int
    converged: bool
    trace: Trace


class LowerBound(NamedTuple):
    """Evidence lower bound, ln p(x) = bound + divergence, summed over rows, for any posterior q.

    The divergence is KL(q || p(z | x)).
    """

    bound: float
    divergence: float
    log_likelihood: float


@checked(tol=limits(at_least=0), max_iter=limits(at_least=0), n_init=limits(at_least=1))
def em(
    model: Any,
    X: Any,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    n_init: int = 1,
    random_state: RandomState = None,
) -> EMResult:
    """The EM algorithm (expectation-maximisation) for a user-defined model with latent variables.

    E: q = p(z | x, theta),   M: theta = argmax E_q log p(x, z | theta)

    Ends when an iteration gains at most `tol` of log likelihood per row. An iteration that lowers it is an error, as
    the E-step or the M-step of the model must be wrong. [Dempster, Laird and Rubin, 1977]

    >>> import numpy as np
    >>> class Coins:
    ...     def start(self, X, draws):
    ...         return {"heads": draws.uniform(0.3, 0.7, 2)}
    ...     def expect(self, X, parameters):
    ...         q = parameters["heads"]
    ...         joint = 0.5 * q ** X[:, None] * (1 - q) ** (10 - X[:, None])
    ...         return joint / joint.sum(axis=1, keepdims=True), np.log(joint.sum(axis=1))
    ...     def maximise(self, X, posterior):
    ...         return {"heads": posterior.T @ X / posterior.sum(axis=0) / 10}
    >>> found = em(Coins(), np.array([5.0, 9.0, 8.0, 4.0, 7.0]), random_state=0)
    >>> sorted(found.parameters["heads"].round(1).tolist())
    [0.5, 0.8]
    """
    lacking = [name for name in ("start", "expect", "maximise") if not callable(getattr(model, name, None))]
    if lacking:
        raise ParameterError(f"em: model must implement LatentModel; {model!r:.40} lacks {', '.join(lacking)}")
    seed, trace = seed_of(random_state), Trace()
    starts = [model.start(X, generator(seed, k)) for k in range(n_init)]
    steps = _UserModel(model, X)
    top = run_em(steps, starts, max_iter, tol, trace, type(model).__name__)
    course = [value * len(X) for value in top.likelihoods]
    return EMResult(top.parameters, course[-1], course, top.steps, top.converged, trace)


@checked()
def lower_bound(log_joint: Rows, posterior: Rows) -> LowerBound:
    """The evidence lower bound (ELBO) of the log likelihood for any posterior q, and its KL divergence from it.

    bound = sum_i sum_k q_ik (log p(x_i, k) - log q_ik),    divergence = sum_i KL(q_i || p(k | x_i)) >= 0

    Both add up to the log likelihood for every q; the E-step makes the divergence zero, the M-step then raises the
    bound. `log_joint` and `posterior` have a row for each row of the data, a column for each component.

    >>> import numpy as np
    >>> joint = np.log([[0.2, 0.1], [0.1, 0.4]])
    >>> found = lower_bound(joint, [[0.5, 0.5], [0.5, 0.5]])
    >>> bool(np.isclose(found.bound + found.divergence, np.log(0.3) + np.log(0.5)))
    True
    """
    joint, q = np.asarray(log_joint, dtype=np.float64), np.asarray(posterior, dtype=np.float64)
    if joint.ndim != 2 or np.isnan(joint).any():
        raise ParameterError("lower_bound: log_joint must be a table of log densities without NaN")
    if joint.shape != q.shape or not np.allclose(q.sum(axis=1), 1) or (q < 0).any():
        raise ParameterError("lower_bound: posterior must have the shape of log_joint, and rows that add up to 1")
    logs = np.logaddexp.reduce(joint, axis=1)
    own = np.where(q > 0, np.log(np.where(q > 0, q, 1.0)), 0.0)
    weighted = np.where(q > 0, q * (np.where(q > 0, joint, 0.0) - own), 0.0)
    bound = float(weighted.sum())
    apart = np.where(q > 0, q * (own - np.where(q > 0, joint - logs[:, None], 0.0)), 0.0)
    return LowerBound(bound, float(apart.sum()), float(logs.sum()))


@dataclass(frozen=True)
class _UserModel:
    """The E-step and M-step of a user-defined model as one iteration."""

    model: LatentModel
    X: Any

    def improve(self, parameters: State) -> tuple[State, float]:
        posterior, logs = self.model.expect(self.X, parameters)
        self._check_log_likelihoods(np.asarray(logs, dtype=np.float64))
        return self.model.maximise(self.X, posterior), float(np.mean(logs))

    def _check_log_likelihoods(self, logs: Array) -> None:
        """Raise a `ParameterError` unless every row has a log likelihood."""
        rule = f"em: expect of {type(self.model).__name__} must return the log likelihood of each row"
        if logs.shape != (len(self.X),):
            raise ParameterError(f"{rule}, {len(self.X)} numbers; its second output has the shape {logs.shape}")
        unknown = np.isnan(logs) | (logs == np.inf)
        if unknown.any():
            row = int(np.argmax(unknown))
            raise ParameterError(
                f"{rule}; that of row {row} is {logs[row]}: check for a logarithm of a negative number"
            )
