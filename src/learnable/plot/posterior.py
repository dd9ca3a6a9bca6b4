"""Prior and posterior densities of a probability or a mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_text
from ._style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, plain

COLOURS = (GREY, BLUE, ORANGE, GREEN, RED, "#8a5fb0")


@dataclass
class PosteriorDisplay:
    """Prior and posterior densities of a parameter, one curve for each state of knowledge."""

    grid: Array
    densities: dict[str, Array]
    unknown: str

    @classmethod
    def from_models(cls, models: Mapping[str, Any], *, points: int = 400, ax: Any = None) -> Self:
        """Draw BetaBinomial or NormalInverseGamma models by name, in their order: prior first, posteriors after it."""
        mean = all(hasattr(model, "density_of_mean") for model in models.values())
        if mean:
            reaches = [_reach(model) for model in models.values()]
            grid = np.linspace(min(low for low, _ in reaches), max(high for _, high in reaches), points)
        else:
            grid = np.linspace(0, 1, points + 2)[1:-1]
        densities = {
            name: model.density_of_mean(grid) if mean else model.density(grid) for name, model in models.items()
        }
        return cls(grid, densities, "mean" if mean else "chance").plot(ax=ax)

    @classmethod
    def from_outcomes(cls, model: Any, names: Any = None, *, points: int = 400, ax: Any = None) -> Self:
        """Draw the marginal densities of the probabilities of a DirichletMultinomial."""
        count = len(model.alpha)
        labels = [f"outcome {k}" for k in range(count)] if names is None else [str(name) for name in names]
        if len(labels) != count:
            raise ValueError(f"PosteriorDisplay: {len(labels)} names for {count} outcomes")
        return cls.from_models({label: model.marginal(k) for k, label in enumerate(labels)}, points=points, ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        for k, (name, density) in enumerate(self.densities.items()):
            colour = COLOURS[k % len(COLOURS)]
            self.ax_.plot(self.grid, density, color=colour, label=literal_text(name, legend=True))
            self.ax_.fill_between(self.grid, density, color=colour, alpha=0.12)
        self.ax_.set_xlabel(self.unknown)
        self.ax_.set_ylabel("density")
        self.ax_.set_ylim(bottom=0)
        self.ax_.legend(frameon=False)
        return self


def _reach(model: Any) -> tuple[float, float]:
    """The range that holds a mean almost surely; of heavy tails no more than three times that of nine in ten."""
    half = [high - model.location for _, high in (model.interval(0.999), model.interval(0.9))]
    reach = min(half[0], 3 * half[1])
    return model.location - reach, model.location + reach
