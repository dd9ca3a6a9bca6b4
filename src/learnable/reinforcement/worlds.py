"""Worlds of the textbook: a frozen lake, a cliff, a random walk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import ParameterError
from .grid_world import GridWorld, Table, TableEnvironment

MAPS = {
    "4x4": ("SFFF", "FHFH", "FFFH", "HFFG"),
    "8x8": ("SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"),
}


class FrozenLake(GridWorld):
    """Frozen lake: reach the goal over slippery ice without falling into a hole.

    A move succeeds with probability `success_rate`, and else goes to one of the two sides. The reward is 1 at the goal.
    Actions, maps and the table are those of gymnasium.

    >>> FrozenLake().reset(seed=0)
    (0, {'prob': 1.0})
    """

    def __init__(
        self, desc: Sequence[str] | None = None, map_name: str = "4x4", is_slippery: bool = True,
        success_rate: float = 1 / 3, max_steps: int | None = None,
    ) -> None:  # fmt: skip
        if isinstance(success_rate, bool) or not isinstance(success_rate, (int, float)) or not 0 <= success_rate <= 1:
            raise ParameterError(f"FrozenLake: success_rate must be a number between 0 and 1; got {success_rate!r:.40}")
        if desc is None and (not isinstance(map_name, str) or map_name not in MAPS):
            raise ParameterError(f"FrozenLake: map_name must be {' or '.join(MAPS)}; got {map_name!r:.40}")
        default = 100 if map_name == "4x4" else 200
        slip = 1 - success_rate if is_slippery else 0.0
        super().__init__(MAPS[map_name] if desc is None else desc, slip=slip, max_steps=max_steps or default)


class CliffWalking(TableEnvironment):
    """Cliff walking: from the lower left corner to the lower right one, along a cliff.

    Moves are up (0), right (1), down (2) and left (3), and cost 1; a step onto the cliff costs 100 and leads back to
    the start. The shortest way has the return -13. [Sutton and Barto, Reinforcement Learning, 2018, example 6.6]

    >>> world = CliffWalking()
    >>> world.reset()[0], world.step(1)[:3]
    (36, (36, -100.0, False))
    """

    shape = (4, 12)

    def __init__(self, max_steps: int | None = None) -> None:
        rows, columns = self.shape
        moves = ((-1, 0), (0, 1), (1, 0), (0, -1))
        P: Table = []
        for s in range(rows * columns):
            row, column = divmod(s, columns)
            P.append([[self._outcome(row + down, column + right)] for down, right in moves])
        self.nrow, self.ncol = self.shape
        super().__init__(P, np.eye(rows * columns)[36], max_steps)

    def _outcome(self, row: int, column: int) -> tuple[float, int, float, bool]:
        rows, columns = self.shape
        row, column = min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)
        after = row * columns + column
        if row == rows - 1 and 0 < column < columns - 1:
            return 1.0, 36, -100.0, False
        return 1.0, after, -1.0, after == rows * columns - 1


class RandomWalk(TableEnvironment):
    """Random walk on a line of `n` states: left or right with probability 1/2, reward 1 beyond the right end.

    There is one action. The value of state i is (i + 1) / (n + 1). [Sutton and Barto, Reinforcement Learning, 2018,
    example 6.2]

    >>> RandomWalk().reset()[0]
    2
    """

    def __init__(self, n: int = 5, max_steps: int | None = None) -> None:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ParameterError(f"RandomWalk: n must be a whole number of at least 1; got {n!r:.40}")
        P: Table = []
        for s in range(n):
            left = (0.5, max(s - 1, 0), 0.0, s == 0)
            right = (0.5, min(s + 1, n - 1), float(s == n - 1), s == n - 1)
            P.append([[left, right]])
        super().__init__(P, np.eye(n)[n // 2], max_steps)
