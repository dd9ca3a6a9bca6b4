"""Common style of the plots: axes, colours that colour-blind readers can distinguish, names of columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ..core.validate.features import FeatureValidator
from ..parts.isotonic import rising_sequence
from ..parts.literal_text import literal_text
from ..parts.palette import BLUE as BLUE
from ..parts.palette import GREEN as GREEN
from ..parts.palette import GREY as GREY
from ..parts.palette import ORANGE as ORANGE
from ..parts.palette import RED as RED

WIDTH_OF_LETTER = 0.6  # of the size of a font, on average


def axes_or_new(ax: Any, size: tuple[float, float] = (6.0, 4.2)) -> Any:
    """`ax` itself, or the axes of a new figure."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def inches_beyond(names: list[str], usual: float, fontsize: float = 10.0) -> float:
    """How much wider than `usual`, in inches, the longest of the names is: by which a figure should be wider.

    >>> inches_beyond(["a" * 40], usual=1.0) > 2, inches_beyond(["a"], usual=1.0)
    (True, 0.0)
    """
    longest = max(map(len, names), default=0)
    return max(0.0, WIDTH_OF_LETTER * fontsize * longest / 72 - usual)


def plain(ax: Any) -> Any:
    """`ax` without its upper and right spines."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def styled(ours: dict[str, Any], requested: dict[str, Any] | None) -> dict[str, Any]:
    """Our style updated by the requested options; matplotlib's short names count as the long ones."""
    short = {"c": "color", "ls": "linestyle", "lw": "linewidth"}
    overridden = {short.get(name, name) for name in requested or {}}
    return {name: value for name, value in ours.items() if name not in overridden} | (requested or {})


def name_line_ends(ax: Any, x: float, y: Array, names: list[str], colours: list[Any]) -> None:
    """Write names beside the ends of lines, as close to them as possible without overlap."""
    for name, place, colour in zip(names, lines_apart(ax, y, 7), colours, strict=True):
        ax.annotate(f" {literal_text(name)}", (x, place), fontsize=7, va="center", color=colour, annotation_clip=False)


def lines_apart(ax: Any, y: Array, fontsize: float) -> Array:
    """Heights for lines of text, as close to `y` as possible without overlap."""
    low, high = ax.get_ylim()
    gap = 1.3 * fontsize * (high - low) / points_of(ax)[1]
    order = np.argsort(y, kind="stable")
    steps = gap * np.arange(len(y))
    points = np.empty(len(y))
    points[order] = rising_sequence(np.asarray(y, dtype=np.float64)[order] - steps, np.ones(len(y))) + steps
    return points


def points_of(ax: Any) -> Array:
    """Width and height of `ax` in points, as far as they are known before it is drawn."""
    return np.asarray(72 * ax.figure.get_size_inches() * ax.get_position().size)


def with_names_of(X: Any, names: list[str] | None, points: Array) -> Any:
    """`points` as a table of the type of `X` with these column names; unchanged without names."""
    if names is None:
        return points
    import narwhals as nw

    kind = nw.get_native_namespace(nw.from_native(X, eager_only=True))
    return nw.from_dict(dict(zip(names, points.T, strict=True)), backend=kind).to_native()


def named_columns(
    owner: str, X: Any, names: Any, missing: Literal["refuse", "native"] = "refuse"
) -> tuple[Array, list[str]]:
    """The table `X` as numbers, and its column names: given, its own, or x0, x1, ..."""
    matrix, own = FeatureValidator(owner, missing=missing).matrix(X)
    if names is None:
        names = own if own is not None else [f"x{j}" for j in range(matrix.shape[1])]
    if len(names) != matrix.shape[1]:
        raise ValueError(f"{owner}: {len(names)} names for {matrix.shape[1]} columns")
    return matrix, [str(name) for name in names]


def check_learned(owner: str, model: Any, *needed: str) -> None:
    """Refuse a model that is not fitted, or lacks an attribute that a plot needs."""
    from ..utils.validation import check_is_fitted

    check_is_fitted(model)
    lacking = next((name for name in needed if not hasattr(model, name)), None)
    if lacking is not None:
        raise ParameterError(f"{owner}: a model with {lacking} is needed; {type(model).__name__} does not have it")


def fitted_names(model: Any) -> list[str]:
    """The names of the columns a model was fitted to."""
    given = model.__dict__.get("feature_names_in_")
    return [f"x{j}" for j in range(model.n_features_in_)] if given is None else [str(name) for name in given]
