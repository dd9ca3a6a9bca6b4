"""The fitness of a population over the generations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, DataError
from ._style import BLUE, GREY, ORANGE, axes_or_new, plain


@dataclass
class FitnessDisplay:
    """Fitness curve: the best, mean and worst fitness of each generation of a genetic algorithm."""

    best: Array
    mean: Array
    worst: Array

    @classmethod
    def from_search(cls, search: Any, *, ax: Any = None) -> Self:
        """Draw the generations of a `GeneticAlgorithm` that was run."""
        if "trace_" not in vars(search):
            raise DataError(f"FitnessDisplay: {search!r:.60} has not run; call maximize or minimize first")
        return cls(*(np.asarray(search.trace_[name]) for name in ("best", "mean", "worst"))).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        generations = np.arange(1, len(self.best) + 1)
        for name, color in (("best", BLUE), ("mean", ORANGE), ("worst", GREY)):
            self.ax_.plot(generations, getattr(self, name), color=color, label=name)
        self.ax_.set(xlabel="generation", ylabel="fitness")
        self.ax_.legend(frameon=False)
        return self
