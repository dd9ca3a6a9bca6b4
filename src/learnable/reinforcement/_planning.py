"""What solvers of decision processes share: the process, the greedy policy, the certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Trace, declaring, learned, param
from ..core.runtime.native import kernels
from ..engines.procedure import Procedure
from ._protocol import states_of
from .markov_decision_process import MarkovDecisionProcess


def as_process(environment: Any) -> MarkovDecisionProcess:
    """The decision process of an environment with a table, or itself."""
    if isinstance(environment, MarkovDecisionProcess):
        return environment
    return MarkovDecisionProcess(environment)


@declaring
class Planner(Procedure):
    """Base class of what solves a known decision process."""

    discount: float = param(0.99, "discount factor of future rewards", at_least=0, at_most=1)
    tol: float = param(1e-10, "error of the values that is aimed at", above=0)

    values_: Array = learned("optimal value of each state", shape="states")
    q_: Array = learned("optimal value of each state and action", shape="states actions")
    policy_: Array = learned("an optimal action of each state", shape="states")

    def _conclude(
        self, process: MarkovDecisionProcess, values: Array, trace: Trace, optimal: Array | None = None
    ) -> None:
        """Keep the values, the `optimal` policy or the greedy one, and what is proven of them."""
        updated, policy = np.empty(process.n_states), np.empty(process.n_states, dtype=np.int64)
        least, most = kernels.bellman_update(*process.ahead, process.reward, self.discount, values, updated, policy)
        residual = max(abs(least), abs(most))
        if not np.isfinite(updated).all():
            raise DataError(
                f"{type(self).__name__}: the values exceed the floating-point numbers; rewards are too large"
            )
        self.values_, self.policy_ = updated, policy if optimal is None else optimal
        self.q_ = process.q_values(updated, self.discount)
        if self.discount < 1:
            bound = residual * self.discount / (1 - self.discount)
            rounding = 8 * np.finfo(float).eps * float(np.abs(updated).max(initial=1.0)) / (1 - self.discount)
            trace.certify(
                "Bellman bound", bound, max(self.tol, rounding), "no value is further from the optimum than this"
            )
        else:
            trace.certify(
                "Bellman residual", residual, self.tol,
                "an update changes no value by more than this; without a discount that bounds no error",
            )  # fmt: skip
        self.trace_, self.certificate_ = trace, trace.certificate  # type: ignore[assignment]  # it was stated above

    def predict(self, states: Any) -> Array:
        """The greedy action in each of the states."""
        self._require_fit()
        chosen: Array = self.policy_[states_of(type(self).__name__, states, len(self.policy_))]
        return chosen
