"""Values and policy of a grid world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, DataError
from ._style import axes_or_new, check_learned

ARROWS = {"grid": "←↓→↑", "cliff": "↑→↓←"}


@dataclass
class PolicyDisplay:
    """Policy and values on a grid: colours for the values of the states, arrows for the greedy actions."""

    values: Array
    policy: Array
    cells: Array | None
    arrows: str

    @classmethod
    def from_estimator(cls, estimator: Any, world: Any, *, arrows: str | None = None, ax: Any = None) -> Self:
        """Draw `values_` and `policy_` of what was fitted to a grid world, which has `nrow` and `ncol`."""
        check_learned("PolicyDisplay", estimator)
        values, policy = (np.asarray(getattr(estimator, name, [])) for name in ("values_", "policy_"))
        shape = getattr(world, "nrow", 0), getattr(world, "ncol", 0)
        if not (len(values) == len(policy) == shape[0] * shape[1] > 0):
            raise DataError(
                f"PolicyDisplay: {estimator!r:.40} must be fitted to a grid world with nrow and ncol; it has "
                f"{len(values)} values for {shape[0]} x {shape[1]} cells"
            )
        desc = getattr(world, "desc", None)
        cells = None if desc is None else _texts(np.asarray(desc)).reshape(shape)
        chosen = arrows or ARROWS["cliff" if desc is None else "grid"]
        return cls(values.reshape(shape), policy.reshape(shape), cells, chosen).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self.image_ = self.ax_.imshow(self.values, cmap="viridis")
        middle = (self.values.min() + self.values.max()) / 2
        for (row, column), value in np.ndenumerate(self.values):
            cell = "" if self.cells is None else str(self.cells[row, column])
            text = cell if cell and cell in "GH#" else self.arrows[int(self.policy[row, column])]
            self.ax_.text(
                column, row, text, ha="center", va="center", color="black" if value > middle else "white", fontsize=12,
                parse_math=False,
            )  # fmt: skip
        self.ax_.set(xticks=[], yticks=[])
        self.figure_.colorbar(self.image_, ax=self.ax_, label="value", shrink=0.8)
        return self


def _texts(desc: Array) -> Array:
    """The cells of a map; gymnasium has bytes."""
    return np.array([cell.decode() if isinstance(cell, bytes) else str(cell) for cell in desc.ravel()])
