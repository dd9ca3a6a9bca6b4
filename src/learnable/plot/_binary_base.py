"""Base of the curves of binary classifiers (ROC, precision-recall, DET): scores, labelled lines, square axes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..metrics._response_methods import binary_response
from ..parts.literal_text import literal_text
from ._style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, plain, styled

COLOURS = (BLUE, ORANGE, GREEN, RED, "#7c4dab", "#8a6d3b")


class CurveDisplay(ChecksSparse, ABC):
    """A curve over all thresholds of a binary classifier, drawn by `from_predictions`."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        response_method: Any = "auto",
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Score the rows of `X` by a binary classifier and draw."""
        scores, positive, called = scores_of(estimator, X, response_method, pos_label, name)
        return cls.from_predictions(y, scores, pos_label=positive, name=called, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of scores of the positive class."""
        return cls.of(y_true, y_score, sample_weight, drop_intermediate, pos_label, name).plot(**options)

    @classmethod
    @abstractmethod
    def of(
        cls, y_true: Any, y_score: Any, sample_weight: Any, drop_intermediate: bool, pos_label: Any, name: str | None
    ) -> Self:
        """The curve of scores of the positive class, not drawn yet."""

    @abstractmethod
    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw onto `ax`, or a new figure."""


def scores_of(estimator: Any, X: Any, response_method: Any, pos_label: Any, name: str | None) -> tuple[Array, Any, str]:
    """Scores of the positive class, that class, and the name of the curve."""
    scores, positive, _ = binary_response(estimator, X, response_method, pos_label)
    return scores, positive, name or type(estimator).__name__


def line_label(name: str | None, figure: str, value: float | None) -> str | None:
    """The name of a curve with its score: "Ridge (AUC = 0.91)"."""
    amount = None if value is None else f"{figure} = {value:0.2f}"
    if name is None:
        return amount
    return name if amount is None else f"{name} ({amount})"


def square_axes(ax: Any) -> Any:
    """Axes for two rates, as wide as high."""
    axes = plain(axes_or_new(ax, (4.6, 4.6)))
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return axes


def draw_line(ax: Any, x: Array, y: Array, label: str | None, options: dict[str, Any]) -> Any:
    """A line in the next of our colours."""
    before = sum(line.get_linestyle() != "--" for line in ax.lines)
    colour = COLOURS[before % len(COLOURS)]
    (line,) = ax.plot(x, y, **styled({"linewidth": 1.8, "label": label, "color": colour}, options))
    return line


def draw_chance_level(ax: Any, x: list[float], y: list[float], label: str, options: dict[str, Any] | None) -> Any:
    """The dashed line of random guessing."""
    style = styled({"color": GREY, "linestyle": "--", "linewidth": 1, "label": label}, options)
    (line,) = ax.plot(x, y, **style)
    return line


def legend(ax: Any, place: str) -> None:
    """A legend without a frame, if any artist has a label."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc=place, frameon=False)


def positive_words(pos_label: Any) -> str:
    """The name of the positive class in axis labels."""
    return "" if pos_label is None else f" (positive class: {literal_text(pos_label)})"
