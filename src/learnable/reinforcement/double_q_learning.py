"""Double Q-learning."""

from __future__ import annotations

from ..core import declaring
from ._episodes import DOUBLE_Q
from ._tabular import TabularLearner


@declaring
class DoubleQLearning(TabularLearner):
    """Double Q-learning: two tables, one to select the next action and the other to evaluate it.

    Q_1(s, a) <- Q_1(s, a) + alpha (r + discount Q_2(s', argmax over a' of Q_1(s', a')) - Q_1(s, a)), or the reverse

    The maximum of noisy values is too high on average; two tables avoid that. `q_` is their mean. [van Hasselt, 2010]

    >>> from learnable.reinforcement import CliffWalking
    >>> model = DoubleQLearning(n_episodes=20_000, alpha=0.5, epsilon=0.3, discount=1.0, random_state=0)
    >>> float(model.fit(CliffWalking()).values_[36].round(6))
    -13.0
    """

    title = "double Q-learning"
    reference = "van Hasselt, Double Q-learning, 2010"
    rule = DOUBLE_Q
