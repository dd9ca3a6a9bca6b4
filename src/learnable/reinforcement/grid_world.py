"""Grid worlds with the protocol of gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import Array, ParameterError
from ..core.validate.sparse_input import ChecksSparse

LEFT, DOWN, RIGHT, UP = range(4)
MOVES = {LEFT: (0, -1), DOWN: (1, 0), RIGHT: (0, 1), UP: (-1, 0)}
Table = list[list[list[tuple[float, int, float, bool]]]]


@dataclass
class Discrete(ChecksSparse):
    """The space of the numbers 0..n - 1.

    >>> Discrete(3).contains(2), Discrete(3).contains(3)
    (True, False)
    """

    n: int

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng()

    def sample(self) -> int:
        """A random element."""
        return int(self._rng.integers(self.n))

    def seed(self, seed: int | None = None) -> None:
        """Let `sample` start again with a seed."""
        self._rng = np.random.default_rng(seed)

    def contains(self, value: Any) -> bool:
        """Whether it is an element."""
        return isinstance(value, (int, np.integer)) and 0 <= int(value) < self.n


class TableEnvironment(ChecksSparse):
    """An environment whose outcomes are a table `P[s][a]` of (probability, next state, reward, done).

    It follows the protocol of gymnasium: `reset(seed=)` returns a state and a dictionary, `step(action)` the next
    state, the reward, whether the episode has ended, whether it was cut off, and a dictionary.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(self, P: Table, initial: Any, max_steps: int | None = None) -> None:
        if max_steps is not None and (isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1):
            owner = type(self).__name__
            raise ParameterError(f"{owner}: max_steps must be a whole number above 0 or None; got {max_steps!r:.40}")
        self.P, self.initial_state_distrib = P, np.asarray(initial, dtype=np.float64)
        self.observation_space, self.action_space = Discrete(len(P)), Discrete(len(P[0]))
        self.max_steps, self.steps = max_steps, 0
        self.s: int | None = None
        self.np_random = np.random.default_rng()

    @property
    def unwrapped(self) -> TableEnvironment:
        """Itself."""
        return self

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Begin an episode; with a seed the generator begins again too."""
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        first = int(self.np_random.choice(len(self.P), p=self.initial_state_distrib))
        self.s, self.steps = first, 0
        return first, {"prob": 1.0}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """The outcome of an action: state, reward, terminated, truncated, information."""
        if self.s is None:
            raise ParameterError(f"{type(self).__name__}: call reset before step")
        if not self.action_space.contains(action):
            raise ParameterError(f"{type(self).__name__}: actions are 0..{self.action_space.n - 1}; got {action!r:.40}")
        outcomes = self.P[self.s][int(action)]
        chosen = int(self.np_random.choice(len(outcomes), p=[outcome[0] for outcome in outcomes]))
        probability, after, reward, done = outcomes[chosen]
        self.s, self.steps = after, self.steps + 1
        return after, float(reward), bool(done), self.steps == self.max_steps, {"prob": probability}

    def render(self) -> str:
        """The state as text."""
        return str(self.s)

    def close(self) -> None:
        """Nothing to do."""


class GridWorld(TableEnvironment):
    """Grid world: moves left (0), down (1), right (2) and up (3) on a map.

    `S` is the start, `G` ends the episode with `goal_reward`, `H` with `hole_reward`, `#` is a wall, everything else is
    free; a digit or a letter in `rewards` gives its reward on arrival. Each move costs `step_reward`. With `slip` the
    move goes to each side with half that probability. [Sutton and Barto, Reinforcement Learning, 2018]

    >>> world = GridWorld(["S.G"])
    >>> world.reset()[0], world.step(2)[:3], world.step(2)[:3]
    (0, (1, 0.0, False), (2, 1.0, True))
    """

    def __init__(
        self, desc: Sequence[str], *, slip: float = 0.0, step_reward: float = 0.0, goal_reward: float = 1.0,
        hole_reward: float = 0.0, rewards: dict[str, float] | None = None, max_steps: int | None = None,
    ) -> None:  # fmt: skip
        self.desc = _map_of(desc)
        if isinstance(slip, bool) or not isinstance(slip, (int, float)) or not 0 <= slip <= 1:
            raise ParameterError(f"GridWorld: slip must be a number between 0 and 1; got {slip!r:.40}")
        self.nrow, self.ncol = self.desc.shape
        gains = {"G": goal_reward, "H": hole_reward, **(rewards or {})}
        P = [[self._outcomes(s, a, slip, step_reward, gains) for a in range(4)] for s in range(self.desc.size)]
        starts = (self.desc.ravel() == "S").astype(np.float64)
        free = np.isin(self.desc.ravel(), ["G", "H", "#"], invert=True).astype(np.float64)
        first = starts if starts.any() else free
        super().__init__(P, first / first.sum(), max_steps)

    def _outcomes(
        self, s: int, action: int, slip: float, step_reward: float, gains: dict[str, float]
    ) -> list[tuple[float, int, float, bool]]:
        """The outcomes of an action; a cell that ends the episode is never left."""
        if self.desc.flat[s] in "GH#":
            return [(1.0, s, 0.0, True)]
        ways = [(1.0 - slip, action), (slip / 2, (action - 1) % 4), (slip / 2, (action + 1) % 4)]
        found = []
        for probability, way in ways:
            if probability > 0:
                after = self._moved(s, way)
                cell = str(self.desc.flat[after])
                found.append((probability, after, step_reward + gains.get(cell, 0.0), cell in "GH"))
        return found

    def _moved(self, s: int, way: int) -> int:
        row, column = divmod(s, self.ncol)
        down, right = MOVES[way]
        row, column = min(max(row + down, 0), self.nrow - 1), min(max(column + right, 0), self.ncol - 1)
        return s if self.desc[row, column] == "#" else row * self.ncol + column

    def render(self) -> str:
        """The map, with the state in brackets."""
        cells = [str(cell) for cell in self.desc.ravel()]
        if self.s is not None:
            cells[self.s] = f"[{cells[self.s]}]"
        rows = [cells[row * self.ncol : (row + 1) * self.ncol] for row in range(self.nrow)]
        return "\n".join("".join(f"{cell:^3}" for cell in row) for row in rows)


def _map_of(desc: Any) -> Array:
    """The cells of a map whose rows are texts of one length."""
    if isinstance(desc, str) or not hasattr(desc, "__iter__"):
        raise ParameterError(f"GridWorld: desc must be a list of rows, such as ['S.', '.G']; got {desc!r:.40}")
    rows = [str(row) if isinstance(row, str) else "".join(str(cell) for cell in row) for row in desc]
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise ParameterError("GridWorld: desc must have rows of one length, such as ['S.', '.G']")
    if all(cell in "GH#" for row in rows for cell in row):
        raise ParameterError("GridWorld: the map has no free cell")
    return np.array([list(row) for row in rows])
