"""Decision processes as linear programs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import DataError, Trace, declaring
from ..core.declare import params
from ..core.runtime import context
from ._planning import Planner, as_process


@declaring
class LinearProgrammingPlanner(Planner):
    """Linear programming: the optimal values of a Markov decision process as the least that no action exceeds.

    minimise sum_s V(s)   subject to   V(s) >= r(s, a) + discount sum_s' P(s' | s, a) V(s')   for all s and a

    Solved by HiGHS. After `fit`: `values_`, `q_`, `policy_`, and the dual solution `occupancy_`: how often, discounted,
    each state and action occurs. [Manne, 1960]

    >>> from learnable.reinforcement import FrozenLake
    >>> round(float(LinearProgrammingPlanner(discount=0.99).fit(FrozenLake()).values_[0]), 6)
    0.542026
    """

    title = "linear programming for decision processes"
    reference = "Manne, Linear programming and sequential decisions, 1960"

    def fit(self, environment: Any) -> Self:
        """Solve a decision process, or an environment that has a table `P`."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        params.check(self)
        process, trace = as_process(environment), Trace(self)
        with context.Fitting(self, (process,), False):
            n, k = process.n_states, process.n_actions
            kept = process.available.ravel()
            own = csr_array((np.ones(n * k), (np.arange(n * k), np.repeat(np.arange(n), k))), shape=(n * k, n))
            ahead = process._matrix(*process.ahead, n * k)
            found = linprog(
                np.ones(n), A_ub=(self.discount * ahead - own)[kept], b_ub=-process.reward[kept], bounds=(None, None),
                options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
            )  # fmt: skip
            if not found.success:
                raise DataError(
                    f"LinearProgrammingPlanner: the values are not bounded ({found.message}); take a discount below 1"
                )
            trace.exact("no smaller values satisfy the inequalities", float(found.fun))
        trace.owner = None
        occupancy = np.zeros(n * k)
        occupancy[kept] = -found.ineqlin.marginals
        self.occupancy_ = occupancy.reshape(n, k)
        policy = np.where(process.available, self.occupancy_, -np.inf).argmax(axis=1)  # every state occurs
        self._conclude(process, process.evaluate(policy, self.discount), trace, policy)
        return self
