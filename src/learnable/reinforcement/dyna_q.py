"""Dyna-Q."""

from __future__ import annotations

from ..core import declaring, param
from ._episodes import Q_LEARNING
from ._tabular import TabularLearner


@declaring
class DynaQ(TabularLearner):
    """Dyna-Q: Q-learning that also learns from a model of what it has seen.

    after each step, `planning_steps` times:   a remembered (s, a, r, s') is learned from again

    Needs far fewer steps in the world where these are expensive. [Sutton, 1990]

    >>> from learnable.reinforcement import GridWorld
    >>> world = GridWorld(["S.......", "........", ".......G"])
    >>> model = DynaQ(planning_steps=20, n_episodes=60, discount=0.95, random_state=0).fit(world)
    >>> bool(model.lengths_[-5:].mean() < 15)
    True
    """

    planning_steps: int = param(10, "steps learned from the model after each step", at_least=1)

    title = "Dyna-Q"
    reference = "Sutton, Integrated architectures for learning, planning, and reacting, 1990"
    rule = Q_LEARNING
