"""Gradients and updates of the layers of a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..core.validate.sparse_input import ChecksSparse
from ._style import BLUE, ORANGE, axes_or_new, check_learned, plain


@dataclass
class GradientFlowDisplay(ChecksSparse):
    """Gradient flow: the norm of the gradient of each layer, and its update relative to its weights."""

    names: list[str]
    gradients: list[float]
    updates: list[float]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw what `training_report` finds of the layers that have weights."""
        from ..neural_network import training_report

        check_learned("GradientFlowDisplay", estimator, "weights_")
        layers = [one for one in training_report(estimator, X, y).layers if one.weights]
        return cls([one.name for one in layers], [one.gradient for one in layers], [one.update for one in layers]).plot(
            ax=ax
        )

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure, on a logarithmic axis."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        positions = range(len(self.names))
        self.ax_.plot(positions, self.gradients, "o-", color=BLUE, label="norm of the gradient")
        self.ax_.plot(positions, self.updates, "s--", color=ORANGE, label="update / weight")
        self.ax_.set_xticks(positions, self.names, rotation=30, ha="right")
        self.ax_.set_yscale("log")
        self.ax_.legend(frameon=False)
        return self
