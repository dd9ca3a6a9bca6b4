"""A line of mean scores with a band of their spread over folds."""

from __future__ import annotations

from typing import Any

from ..core import Array


def band(ax: Any, x: Array, scores: Array, colour: str, name: str) -> Any:
    """The mean over folds (columns) as a line, one standard deviation to either side as a band."""
    mean, spread = scores.mean(axis=1), scores.std(axis=1)
    ax.fill_between(x, mean - spread, mean + spread, color=colour, alpha=0.2, linewidth=0)
    return ax.plot(x, mean, color=colour, marker="o", markersize=3, linewidth=1.5, label=name)[0]


def label(ax: Any, x_name: str, score_name: str | None) -> None:
    """Name the axes and the lines."""
    ax.set(xlabel=x_name, ylabel=score_name or "score")
    ax.legend(frameon=False, fontsize=8)


def named_score(scoring: Any, negate: bool) -> str:
    """What the vertical axis shows."""
    if not isinstance(scoring, str):
        return "score" if not negate else "negative score"
    name = scoring.removeprefix("neg_") if negate else scoring
    return name.replace("_", " ")
