"""Monte Carlo control."""

from __future__ import annotations

from ..core import declaring
from ._episodes import MONTE_CARLO
from ._tabular import TabularLearner


@declaring
class MonteCarloControl(TabularLearner):
    """Monte Carlo control: action values as means of the returns that followed, every visit.

    Q(s, a) <- Q(s, a) + alpha (G - Q(s, a)),   G = r_1 + discount r_2 + ...

    Learns at the end of each episode; `alpha=1, alpha_power=1` gives the mean of all returns. [Sutton and Barto,
    Reinforcement Learning, 2018]

    >>> from learnable.reinforcement import GridWorld
    >>> model = MonteCarloControl(n_episodes=500, epsilon=0.2, discount=0.9, random_state=0).fit(GridWorld(["S..G"]))
    >>> model.policy_[:3].tolist()
    [2, 2, 2]
    """

    title = "Monte Carlo control"
    reference = "Sutton and Barto, Reinforcement Learning, 2018"
    rule = MONTE_CARLO
