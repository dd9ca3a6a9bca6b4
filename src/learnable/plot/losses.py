"""Plots of loss functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..parts.losses import (
    Absolute,
    BinomialDeviance,
    Exponential,
    Hinge,
    Huber,
    LogCosh,
    Loss,
    ModifiedHuber,
    PerceptronLoss,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from ._style import axes_or_new, plain

USUAL: tuple[Loss, ...] = (Squared(), Absolute(), Huber(0.1), Huber(1.0), Huber(3.0), LogCosh())
OF_MARGINS: tuple[Loss, ...] = (
    ZeroOne(), Hinge(), SquaredHinge(), ModifiedHuber(), PerceptronLoss(), Exponential(), BinomialDeviance(),
)  # fmt: skip


@dataclass
class LossDisplay(ChecksSparse):
    """Loss functions against the residual, or the margin.

    >>> LossDisplay.from_losses([Huber(1.0)], reach=2.0, draw=False).values[0, -1]
    np.float64(1.5)
    """

    residual: Array
    values: Array
    names: list[str]
    axis: str = "residual"

    @classmethod
    def from_losses(
        cls, losses: Sequence[Loss] = USUAL, *, reach: float = 4.0, ax: Any = None, draw: bool = True
    ) -> Self:
        """Compare `losses` of regression on residuals from -reach to reach."""
        residual = np.linspace(-reach, reach, 401)
        values = np.array([loss.value(residual, np.zeros_like(residual)) for loss in losses])
        display = cls(residual, values, [_label(loss) for loss in losses])
        return display.plot(ax=ax) if draw else display

    @classmethod
    def from_margins(
        cls, losses: Sequence[Loss] = OF_MARGINS, *, reach: float = 3.0, ax: Any = None, draw: bool = True
    ) -> Self:
        """Compare `losses` of classification on margins y f from -reach to reach; below zero the sign is wrong."""
        margin = np.linspace(-reach, reach, 401)
        values = np.array([loss.value(np.ones_like(margin), margin) for loss in losses])
        display = cls(margin, values, [_label(loss) for loss in losses], "margin")
        return display.plot(ax=ax) if draw else display

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        self.lines_ = self.ax_.plot(self.residual, self.values.T, linewidth=1.8)
        self.ax_.legend(self.lines_, self.names, fontsize=8)
        self.ax_.set(xlabel=self.axis, ylabel="loss", ylim=(0, 1.05 * float(np.median(self.values.max(axis=1)))))
        return self


def _label(loss: Loss) -> str:
    """`Huber 0.1`: the loss and what distinguishes it from others of its kind."""
    shapes = [f"{value:g}" for name, value in vars(loss).items() if name not in ("floor", "scale", "two_steps")]
    return " ".join([type(loss).__name__, *shapes])
