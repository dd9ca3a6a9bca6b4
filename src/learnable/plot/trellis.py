"""The trellis of a hidden Markov model, with its best path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, plain


@dataclass
class TrellisDisplay(ChecksSparse):
    """Trellis of a hidden Markov model: states by steps, with their posterior probabilities and Viterbi's path.

    >>> TrellisDisplay([[0.9, 0.1], [0.2, 0.8]], [0, 1]).path
    [0, 1]
    """

    posterior: Array | list[list[float]]
    path: Array | list[int]
    state_names: list[str] | None = None
    observations: list[str] | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, state_names: list[str] | None = None, observations: list[str] | None = None,
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the posteriors and the best path of one sequence."""
        check_learned("TrellisDisplay", model, "transmat_")
        path = model.decode(X, algorithm="viterbi")[1]
        return cls(model.predict_proba(X), path, state_names, observations).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure: the area of a state is its posterior probability."""
        posterior, path = np.asarray(self.posterior, dtype=np.float64), np.asarray(self.path)
        steps, states = posterior.shape
        self.ax_ = plain(axes_or_new(ax, (min(2.0 + 0.7 * steps, 12.0), 1.2 + 0.8 * states)))
        self.figure_ = self.ax_.figure
        for t in range(steps - 1):
            for j in range(states):
                self.ax_.plot(
                    [t, t + 1], np.stack([np.full(states, j), np.arange(states)]), color=GREY, lw=0.4, zorder=1
                )
        (self.path_,) = self.ax_.plot(np.arange(steps), path, color=ORANGE, lw=2.5, zorder=2, label="best path")
        grid = np.meshgrid(np.arange(steps), np.arange(states), indexing="ij")
        self.states_ = self.ax_.scatter(*grid, s=20 + 380 * posterior, color=BLUE, zorder=3)
        names = self.state_names or [f"state {k}" for k in range(states)]
        self.ax_.set_yticks(range(states), [literal_text(name) for name in names])
        if self.observations is not None:
            self.ax_.set_xticks(range(steps), [literal_text(text) for text in self.observations])
        self.ax_.set(xlabel="step", ylim=(states - 0.5, -0.5))
        self.ax_.legend(loc="upper left", bbox_to_anchor=(0.0, 1.18), frameon=False, fontsize=8)
        return self
