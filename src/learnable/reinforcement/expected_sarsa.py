"""Expected SARSA."""

from __future__ import annotations

from ..core import declaring
from ._episodes import EXPECTED_SARSA
from ._tabular import TabularLearner


@declaring
class ExpectedSARSA(TabularLearner):
    """Expected SARSA: action values of the policy that acts, with the expectation over its next action.

    Q(s, a) <- Q(s, a) + alpha (r + discount sum over a' of pi(a' | s') Q(s', a') - Q(s, a))

    The target has less variance than that of SARSA. [van Seijen et al., 2009]

    >>> from learnable.reinforcement import CliffWalking
    >>> model = ExpectedSARSA(n_episodes=500, alpha=0.9, discount=1.0, random_state=0).fit(CliffWalking())
    >>> bool(model.returns_[-100:].mean() > -40)
    True
    """

    title = "expected SARSA"
    reference = "van Seijen et al., A theoretical and empirical analysis of expected Sarsa, 2009"
    rule = EXPECTED_SARSA
