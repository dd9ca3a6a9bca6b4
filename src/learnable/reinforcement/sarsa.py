"""SARSA and SARSA(lambda)."""

from __future__ import annotations

from typing import Literal

from ..core import declaring, param
from ._episodes import SARSA_RULE
from ._tabular import TabularLearner


@declaring
class SARSA(TabularLearner):
    """SARSA: action values of the policy that acts, learned from episodes, also with eligibility traces.

    Q <- Q + alpha (r + discount Q(s', a') - Q(s, a)) E,   E(s, a) <- 1 (replacing) or E(s, a) + 1

    Traces E decay by discount lambda, with lambda = `trace_decay`. Because it evaluates the policy with its
    random actions, it keeps away from cliffs. [Rummery and Niranjan, 1994; Singh and Sutton, 1996]

    >>> from learnable.reinforcement import CliffWalking
    >>> model = SARSA(n_episodes=500, alpha=0.5, discount=1.0, random_state=0).fit(CliffWalking())
    >>> bool(model.returns_[-100:].mean() > -40)
    True
    """

    trace_decay: float = param(0.0, "decay lambda of eligibility traces", at_least=0, at_most=1)
    traces: Literal["replacing", "accumulating"] = param("replacing", "what a visit does to a trace")

    title = "SARSA"
    reference = "Rummery and Niranjan, On-line Q-learning using connectionist systems, 1994"
    rule = SARSA_RULE
