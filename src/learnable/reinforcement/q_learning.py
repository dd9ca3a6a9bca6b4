"""Q-learning."""

from __future__ import annotations

from ..core import declaring
from ._episodes import Q_LEARNING
from ._tabular import TabularLearner


@declaring
class QLearning(TabularLearner):
    """Q-learning: action values learned from episodes, off-policy.

    Q(s, a) <- Q(s, a) + alpha (r + discount max over a' of Q(s', a') - Q(s, a))

    Actions are epsilon-greedy; `alpha_power` and `epsilon_decay` let step size and exploration fall. With a table `P`
    the loop is compiled; other environments of gymnasium's protocol with discrete states work as well. The random
    numbers of an episode depend on the seed and its number alone. After `fit`: `q_`, `policy_`, `returns_`, `lengths_`.
    [Watkins, 1989]

    >>> from learnable.reinforcement import CliffWalking
    >>> model = QLearning(n_episodes=500, alpha=0.5, discount=1.0, random_state=0).fit(CliffWalking())
    >>> float(model.values_[36].round(6))
    -13.0
    """

    title = "Q-learning"
    reference = "Watkins, Learning from delayed rewards, 1989"
    rule = Q_LEARNING
