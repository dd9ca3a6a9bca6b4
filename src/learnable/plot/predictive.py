"""Prior and posterior predictive distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_text
from ._style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, plain

COLOURS = (GREY, BLUE, ORANGE, GREEN, RED)


@dataclass
class PredictiveDisplay:
    """Predictive distribution of the next count or value, one curve for each state of knowledge."""

    values: Array
    densities: dict[str, Array]
    counts: bool

    @classmethod
    def from_models(cls, models: Mapping[str, Any], n: int | None = None, *, points: int = 400, ax: Any = None) -> Self:
        """Draw models by name: of the successes in `n` trials (BetaBinomial), or of a value (NormalInverseGamma)."""
        if n is not None:
            values = np.arange(n + 1)
            return cls(values, {name: model.pmf(values, n) for name, model in models.items()}, True).plot(ax=ax)
        middle = [model.location for model in models.values()]
        reach = [4 * np.sqrt(model.scale / model.shape * (1 + 1 / model.strength)) for model in models.values()]
        low, high = np.min(np.subtract(middle, reach)), np.max(np.add(middle, reach))
        values = np.linspace(low, high, points)
        return cls(values, {name: model.predictive(values) for name, model in models.items()}, False).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        width = 0.8 / len(self.densities)
        for k, (name, probability) in enumerate(self.densities.items()):
            colour = COLOURS[k % len(COLOURS)]
            if self.counts:
                self.ax_.bar(
                    self.values - 0.4 + (k + 0.5) * width,
                    probability,
                    width=width,
                    color=colour,
                    label=literal_text(name, legend=True),
                )
            else:
                self.ax_.plot(self.values, probability, color=colour, label=literal_text(name, legend=True))
        if self.counts:
            self.ax_.set(xlabel=f"successes in the next {len(self.values) - 1} trials", ylabel="probability")
        else:
            self.ax_.set(xlabel="next value", ylabel="density")
        self.ax_.set_ylim(bottom=0)
        self.ax_.legend(frameon=False)
        return self
