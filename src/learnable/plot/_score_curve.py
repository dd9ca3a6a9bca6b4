"""A line of mean scores with a band of their spread over folds."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..core import Array, ParameterError
from ._style import BLUE, ORANGE, styled

Style: TypeAlias = dict[str, Any] | None
ScoreType = Literal["train", "test", "both"]
Spread = Literal["fill_between", "errorbar"]


def draw_scores(
    display: Any,
    x: Array,
    *,
    negate_score: bool = False,
    score_type: ScoreType = "both",
    std_display_style: Spread | None = "fill_between",
    line_kw: Style = None,
    fill_between_kw: Style = None,
    errorbar_kw: Style = None,
) -> None:
    """Draw the scores of the training rows, of the test rows or of both; `lines_`, `fill_between_`, `errorbar_`."""
    if score_type not in get_args(ScoreType) or std_display_style not in (None, *get_args(Spread)):
        raise ParameterError(
            f"{type(display).__name__}: score_type must be train, test or both, and std_display_style fill_between, "
            f"errorbar or None; got {score_type!r} and {std_display_style!r}"
        )
    bars = std_display_style == "errorbar"
    display.lines_, display.errorbar_ = (None, []) if bars else ([], None)
    display.fill_between_ = [] if std_display_style == "fill_between" else None
    for name, colour in (("train", BLUE), ("test", ORANGE)):
        if score_type in (name, "both"):
            scores = getattr(display, f"{name}_scores")
            title = name.capitalize()
            mean, spread = scores.mean(axis=1) * (-1 if negate_score else 1), scores.std(axis=1)
            if bars:
                display.errorbar_.append(_bars(display.ax_, x, mean, spread, colour, title, errorbar_kw))
                continue
            if std_display_style == "fill_between":
                display.fill_between_.append(_band(display.ax_, x, mean, spread, colour, fill_between_kw))
            display.lines_.append(_line(display.ax_, x, mean, colour, title, line_kw))


def _bars(ax: Any, x: Array, mean: Array, spread: Array, colour: str, name: str, style: Style) -> Any:
    """The mean over folds, one standard deviation to either side as a bar."""
    ours = {"color": colour, "marker": "o", "markersize": 3, "linewidth": 1.5, "label": name}
    return ax.errorbar(x, mean, spread, **styled(ours, style))


def _band(ax: Any, x: Array, mean: Array, spread: Array, colour: str, style: Style) -> Any:
    """One standard deviation to either side of the mean as a band."""
    return ax.fill_between(
        x, mean - spread, mean + spread, **styled({"color": colour, "alpha": 0.2, "linewidth": 0}, style)
    )


def _line(ax: Any, x: Array, mean: Array, colour: str, name: str, style: Style) -> Any:
    """The mean over folds as a line."""
    ours = {"color": colour, "marker": "o", "markersize": 3, "linewidth": 1.5, "label": name}
    return ax.plot(x, mean, **styled(ours, style))[0]


def split_style(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What says how to draw scores, and all other options."""
    names = ("score_type", "std_display_style", "line_kw", "fill_between_kw", "errorbar_kw")
    return {key: options[key] for key in names if key in options}, {
        key: value for key, value in options.items() if key not in names
    }


def scale_of(values: Array) -> str:
    """The scale of the horizontal axis for values that were tried: logarithmic where their distances differ much.

    >>> scale_of(np.array([1, 10, 100])), scale_of(np.array([0, 1, 100])), scale_of(np.array([1, 2, 4]))
    ('log', 'symlog', 'linear')
    """
    distances = np.diff(np.unique(np.asarray(values, dtype=np.float64)))
    if not len(distances) or distances.max() <= 5 * distances.min():
        return "linear"
    return "symlog" if np.min(values) <= 0 else "log"


def label(ax: Any, x_name: str, score_name: str | None) -> None:
    """Name the axes and the lines."""
    ax.set(xlabel=x_name, ylabel=score_name or "Score")
    ax.legend(frameon=False, fontsize=8)


def named_score(scoring: Any, negate: bool) -> str:
    """What the vertical axis shows."""
    if not isinstance(scoring, str):
        return "Score" if not negate else "Negative score"
    name = scoring.removeprefix("neg_") if negate else scoring
    return name.replace("_", " ")
