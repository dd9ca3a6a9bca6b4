"""Decision boundary of an estimator of two columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text, literal_texts
from ._style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, plain, with_names_of

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)
MAX_NAMED = 12  # classes that a legend names
Method = Literal["auto", "decision_function", "predict_proba", "predict", "score_samples"]
METHODS: tuple[Method, ...] = ("decision_function", "predict_proba", "predict")


@dataclass(kw_only=True)
class DecisionBoundaryDisplay(ChecksSparse):
    """Decision boundary of an estimator of two features.

    Predictions on a grid, margins, training rows and support vectors.

    For each place (`xx0`, `xx1`), `response` holds the number of one of `n_classes`, a decision value or probability of
    each of them, or of the second of two; amounts count as two classes. `multiclass_colors` is a list of colours, one
    for each class, or a colour map's name; `multiclass_colors_` are those of more than two classes as drawn.
    """

    xx0: Array
    xx1: Array
    n_classes: int
    response: Array
    multiclass_colors: Any = None
    xlabel: str | None = None
    ylabel: str | None = None
    classes: Array | None = None
    rows: tuple[Array, Array] | None = None
    support: Array | None = None
    margins: bool = False
    signed: bool = False
    colours: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        known = 0 if self.classes is None else len(self.classes)
        self.colours = _colours(self.multiclass_colors, self.n_classes, max(self.n_classes, known))

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, grid_resolution: int = 200, eps: float = 1.0,
        plot_method: Literal["contourf", "contour", "pcolormesh"] = "contourf", response_method: Method = "auto",
        class_of_interest: Any = None, multiclass_colors: Any = None, xlabel: str | None = None,
        ylabel: str | None = None, margins: bool | None = None, ax: Any = None, **kwargs: Any,
    ) -> Self:  # fmt: skip
        """Draw a fitted estimator around the rows of `X`, which has two columns; with `y` the rows are drawn too.

        `margins` adds the lines of decision values -1 and 1 and rings around support vectors; None draws what the model
        has: the rings of one with support vectors, the lines if it separates classes.
        """
        owner = "DecisionBoundaryDisplay"
        matrix, names = FeatureValidator(owner).matrix(X)
        if matrix.shape[1] != 2:
            raise ValueError(f"{owner}: n_features must be equal to 2, one for each axis; got {matrix.shape[1]}")
        if not grid_resolution > 1 or not eps >= 0:
            raise ValueError(f"{owner}: grid_resolution must be above 1 and eps at least 0")
        low, high = matrix.min(axis=0) - eps, matrix.max(axis=0) + eps
        across, up = np.meshgrid(*(np.linspace(low[j], high[j], grid_resolution) for j in range(2)))
        points = np.column_stack([across.ravel(), up.ravel()]).astype(matrix.dtype)
        classes = _classes_of(estimator)
        values, signed = _responses(
            estimator, with_names_of(X, names, points), response_method, classes, class_of_interest
        )
        labels = ["", ""] if names is None else literal_texts(names)
        vectors = getattr(estimator, "support_vectors_", None) if margins is not False else None
        margins = vectors is not None and classes is not None if margins is None else margins
        display = cls(
            xx0=across, xx1=up, n_classes=2 if classes is None or class_of_interest is not None else len(classes),
            response=values.reshape(across.shape), multiclass_colors=multiclass_colors,
            xlabel=labels[0] if xlabel is None else xlabel, ylabel=labels[1] if ylabel is None else ylabel,
            classes=classes, rows=None if y is None else (matrix, np.asarray(y)),
            support=vectors if isinstance(vectors, np.ndarray) and vectors.shape[1:] == (2,) else None,
            margins=margins, signed=signed,
        )  # fmt: skip
        return display.plot(plot_method=plot_method, ax=ax, **kwargs)

    def plot(
        self,
        plot_method: Literal["contourf", "contour", "pcolormesh"] = "contourf",
        ax: Any = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw onto `ax`, or a new figure; further arguments go to matplotlib's method."""
        if plot_method not in ("contourf", "contour", "pcolormesh"):
            raise ValueError(f"plot_method is 'contourf', 'contour' or 'pcolormesh'; got {plot_method!r}")
        self.ax_ = plain(axes_or_new(ax, (5.2, 4.4)))
        self.figure_ = self.ax_.figure
        if self.n_classes > 2:
            from matplotlib.colors import to_rgba_array

            self.multiclass_colors_ = to_rgba_array([self._colour(k) for k in range(self.n_classes)])
        self.surface_ = getattr(self.ax_, plot_method)(
            self.xx0, self.xx1, self._responses, **self._style(plot_method, kwargs)
        )
        self._lines()
        named = self._points(*self.rows) if self.rows is not None else 0
        if self.support is not None:
            self.ax_.plot(*self.support.T, "o", mfc="none", mec="black", mew=0.8, markersize=8, label="support vectors")
        if 0 < named <= MAX_NAMED:
            self.ax_.legend(frameon=False, fontsize="small")
        self.ax_.set_xlabel(self.xlabel if xlabel is None else xlabel)
        self.ax_.set_ylabel(self.ylabel if ylabel is None else ylabel)
        return self

    def _style(self, method: str, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Colours of the classes, or shades from one class to the other; requested colours take precedence."""
        if method == "contour":
            return {"colors": "black", "linewidths": 1.0, **({"levels": [0.0]} if self.signed else {}), **kwargs}
        style: dict[str, Any] = {"alpha": 0.3}
        if self.n_classes > 2 or not np.issubdtype(self._responses.dtype, np.floating):
            colours = [self._colour(k) for k in range(self.n_classes)]
            if method == "contourf" and not {"cmap", "colors"} & kwargs.keys():
                style |= {"levels": np.arange(self.n_classes + 1) - 0.5, "colors": colours}
        elif "cmap" not in kwargs and "colors" not in kwargs:
            from matplotlib.colors import LinearSegmentedColormap

            style["cmap"] = LinearSegmentedColormap.from_list("classes", [self._colour(0), "white", self._colour(1)])
            bounds = self._bounds()
            style |= (
                {"levels": np.linspace(*bounds, 21)}
                if method == "contourf"
                else dict(zip(("vmin", "vmax"), bounds, strict=True))
            )
        return style | kwargs

    def _bounds(self) -> tuple[float, float]:
        """Where shades begin and end: shares from 0 to 1, decisions on both sides of 0, others where they lie."""
        if self.classes is not None and not self.signed:
            return 0.0, 1.0
        values = self._responses[np.isfinite(self._responses)]
        if self.signed:
            reach = float(np.abs(values).max(initial=0.0)) or 1.0
            return -reach, reach
        low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        return (low, high) if low < high else (0.0, 1.0)

    def _colour(self, place: int) -> Any:
        return self.colours[place % len(self.colours)]

    @property
    def _responses(self) -> Array:
        """A number for each point: of several classes the index of the largest response."""
        return self.response if self.response.ndim == 2 else self.response.argmax(axis=2)

    def _line(self, values: Array, level: float, width: float, style: str = "-") -> None:
        """Draw where the values on the grid cross a level, as lines: `ax_.collections` holds the surface alone."""
        from contourpy import contour_generator

        for line in contour_generator(self.xx0, self.xx1, values).lines(level):
            self.ax_.plot(*np.asarray(line).T, color="black", linewidth=width, linestyle=style)

    def _lines(self) -> None:
        """Decision boundary and margins, or contour lines of a density or a regression function."""
        if self.signed:
            self._line(self.response, 0.0, 1.6)
            for side in (-1.0, 1.0) if self.margins else ():
                self._line(self.response, side, 1.0, "--")
        elif np.issubdtype(self._responses.dtype, np.integer):
            for k in range(self.n_classes):
                inside = (self._responses == k).astype(float)
                if 0 < inside.mean() < 1:
                    self._line(inside, 0.5, 1.0)
        elif self.classes is not None:
            self.ax_.contour(self.xx0, self.xx1, self.response, levels=[0.5], colors="black", linewidths=1.6)
        else:
            levels = np.linspace(*self._bounds(), 9)[1:-1]
            self.ax_.contour(self.xx0, self.xx1, self.response, levels=levels, colors="black", linewidths=0.5)

    def _points(self, matrix: Array, y: Array) -> int:
        """Draw rows in the colours of their classes, or of their targets; the number of distinct ones."""
        labels = np.unique(y) if self.classes is None else self.classes
        for k, label in enumerate(labels):
            self.ax_.plot(
                *matrix[y == label].T, ".", color=self._colour(k), markersize=6, label=literal_text(label, legend=True)
            )
        return len(labels)


def _classes_of(estimator: Any) -> Array | None:
    """The classes of a classifier, or the labels of a clustering."""
    groups = getattr(estimator, "labels_", None)
    return getattr(estimator, "classes_", None if groups is None else np.unique(groups))


def _colours(requested: Any, classes: int, known: int) -> list[Any]:
    """The requested colours, one for each class or by name; the default colours without a request."""
    if requested is None:
        return list(COLOURS)
    if isinstance(requested, str):
        from matplotlib import colormaps

        return [colormaps[requested](share) for share in np.linspace(0, 1, known)]
    if len(requested) < classes:
        raise ValueError(
            f"DecisionBoundaryDisplay: multiclass_colors has {len(requested)} colours for {classes} classes; give one "
            "for each"
        )
    return list(requested)


def _refuse_unknown(estimator: Any, method: str, classes: Array | None, requested: Any) -> None:
    """Refuse a response that the estimator lacks, and a class that it does not know."""
    if not hasattr(estimator, method):
        raise ParameterError(
            f"DecisionBoundaryDisplay: {type(estimator).__name__} has no method {method!r}, which response_method "
            'names; leave it at "auto"'
        )
    if requested is not None and (classes is None or requested not in np.asarray(classes).tolist()):
        known = "none" if classes is None else np.asarray(classes).tolist()
        raise ParameterError(
            f"DecisionBoundaryDisplay: class_of_interest={requested!r} is not among the classes of the "
            f"estimator: {known}"
        )


def _responses(
    estimator: Any, points: Any, method: Method, classes: Array | None, requested: Any
) -> tuple[Array, bool]:
    """The response at each point, and whether zero is the boundary: classes by number, if there are more than two."""
    several = classes is not None and len(classes) > 2
    if method == "auto":
        names: tuple[Method, ...] = ("predict",) if several and requested is None else METHODS
        method = next((name for name in names if hasattr(estimator, name)), "predict")
    _refuse_unknown(estimator, method, classes, requested)
    found = np.asarray(getattr(estimator, method)(points))
    if method == "predict":
        if classes is not None:
            found = np.searchsorted(classes, found)
        elif np.issubdtype(found.dtype, np.integer):
            found = (found > 0).astype(np.int64)
        return found, False
    if found.ndim == 2:
        if classes is None or (several and requested is None):
            return found.argmax(axis=1), False
        place = 1 if requested is None else int(np.flatnonzero(np.asarray(classes) == requested)[0])
        return found[:, place], method == "decision_function"
    flip = classes is not None and requested is not None and requested == classes[0]
    return -found if flip else found, method == "decision_function"
