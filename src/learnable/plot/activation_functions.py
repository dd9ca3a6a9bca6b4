"""Activation functions and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ..engines.networks.tape_layers import ACTIVATIONS
from ..engines.tape.tensor import Tensor
from ._style import BLUE, GREY, ORANGE, plain


@dataclass
class ActivationDisplay:
    """Activation functions: each with its derivative, computed on the tape."""

    names: list[str]
    points: Array
    values: list[Array]
    derivatives: list[Array]

    @classmethod
    def from_names(cls, names: Sequence[str] | None = None, *, limit: float = 4.0, figure: Any = None) -> Self:
        """Draw the functions named, or all of them, from -limit to limit."""
        listed = list(ACTIVATIONS) if names is None else list(names)
        unknown = [name for name in listed if name not in ACTIVATIONS]
        if unknown:
            raise ParameterError(
                f"ActivationDisplay: names must be of {', '.join(ACTIVATIONS)}; got {unknown[0]!r:.40}"
            )
        points = np.linspace(-limit, limit, 401)
        values, derivatives = [], []
        for name in listed:
            x = Tensor(points.copy())
            y = ACTIVATIONS[name](x)
            values.append(y.value)
            derivatives.append(y.backward(np.ones_like(points))[x].value)
        return cls(listed, points, values, derivatives).plot(figure=figure)

    def plot(self, *, figure: Any = None) -> Self:
        """Draw onto `figure`, or a new one, a panel for each function."""
        from matplotlib import pyplot

        across = min(4, len(self.names))
        down = -(-len(self.names) // across)
        self.figure_ = (
            pyplot.figure(figsize=(2.4 * across, 2.1 * down), layout="constrained") if figure is None else figure
        )
        self.axes_ = self.figure_.subplots(down, across, squeeze=False, sharex=True).ravel()
        for k, ax in enumerate(self.axes_):
            if k >= len(self.names):
                ax.set_visible(False)
                continue
            plain(ax).axhline(0, color=GREY, linewidth=0.5)
            ax.axvline(0, color=GREY, linewidth=0.5)
            ax.plot(self.points, self.values[k], color=BLUE, label="g(z)")
            ax.plot(self.points, self.derivatives[k], color=ORANGE, linestyle="--", label="g'(z)")
            ax.set_title(self.names[k].replace("_", " "), fontsize=10)
        self.axes_[0].legend(frameon=False, fontsize=8)
        return self
