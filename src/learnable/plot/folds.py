"""Training and test rows of each split of a cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.rows import row_count
from ..core.validate.sparse_input import ChecksSparse
from ..model_selection import check_cv
from ._style import BLUE, axes_or_new, plain

TRAIN, UNUSED = "#d7dee8", "#ffffff"
FEW_ROWS = 80  # that are separated by white edges; edges of more rows would cover them


@dataclass
class FoldsDisplay(ChecksSparse):
    """Cross-validation splits: a row per split, a column per sample.

    Test rows dark, training rows light, unused rows white.

    `roles` holds 1 where a sample is tested, 0 where it trains, -1 where it is not used.
    """

    roles: Array
    name: str = ""

    @classmethod
    def from_cv(cls, cv: Any, X: Any, y: Any = None, groups: Any = None, *, ax: Any = None) -> Self:
        """Draw how `cv` (a number, a splitter, or pairs) divides the rows of `X`."""
        splitter = check_cv(cv, y, classifier=y is not None)
        n = row_count(X)
        given = (X, y) if groups is None else (X, y, groups)
        roles = []
        for train, test in splitter.split(*given):
            row = np.full(n, -1)
            row[train] = 0
            row[test] = 1
            roles.append(row)
        return cls(np.array(roles), type(splitter).__name__).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        self.ax_ = plain(axes_or_new(ax, size=(6.0, 0.9 + 0.3 * len(self.roles))))
        self.figure_ = self.ax_.figure
        colours = ListedColormap([UNUSED, TRAIN, BLUE])
        edges = {"edgecolors": "white", "linewidth": 0.3} if self.roles.shape[1] <= FEW_ROWS else {}
        self.image_ = self.ax_.pcolormesh(self.roles, cmap=colours, vmin=-1, vmax=1, **edges)
        self.ax_.invert_yaxis()
        self.ax_.set_yticks(np.arange(len(self.roles)) + 0.5, [str(i + 1) for i in range(len(self.roles))])
        self.ax_.set(xlabel="row", ylabel="split")
        if self.name:
            self.ax_.set_title(self.name, fontsize=9, loc="left")
        self.ax_.legend(
            handles=[Patch(color=BLUE, label="test"), Patch(color=TRAIN, label="train")], frameon=False, fontsize=8,
            loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2,
        )  # fmt: skip
        return self
