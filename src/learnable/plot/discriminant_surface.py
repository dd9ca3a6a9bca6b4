"""Discriminants, densities or probabilities of classes as surfaces over the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text, literal_texts
from ._style import BLUE, GREEN, GREY, ORANGE, RED, check_learned, fitted_names, with_names_of
from .gaussian_classes import class_shapes

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)
What = Literal["discriminants", "probabilities", "densities"]
WORDS = {"discriminants": "discriminant", "probabilities": "probability", "densities": "density times prior"}
POINTS = {"discriminants": 60, "probabilities": 180, "densities": 60}
LINES = 60  # at most, drawn along each column


@dataclass
class DiscriminantSurfaceDisplay(ChecksSparse):
    """Discriminant functions of two features as surfaces, the largest visible; they meet at the decision boundary.

    `heights` holds the surface of each class: its discriminant, its probability, or its density times its prior.
    """

    grid: tuple[Array, Array]
    heights: Array
    classes: Array
    names: list[str]
    what: What

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        what: What = "discriminants",
        points: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the surfaces of a fitted classifier over the two columns of `X`; "densities" are of Gaussian classes.

        The grid has `points` along each column; by default 60, and 180 for probabilities, whose boundaries are narrow.
        A linear discriminant does not keep its covariance, so that its densities need the classes `y` of the rows.
        """
        check_learned("DiscriminantSurfaceDisplay", estimator)
        owner = "DiscriminantSurfaceDisplay"
        matrix, given = FeatureValidator(owner).matrix(X)
        if matrix.shape[1] != 2:
            raise ValueError(f"{owner}: the plot needs two columns, but X has {matrix.shape[1]}")
        if what not in POINTS:
            raise ParameterError(f"{owner}: what must be one of {', '.join(POINTS)}; got {what!r}")
        points = POINTS[what] if points is None else points
        low, high = matrix.min(axis=0), matrix.max(axis=0)
        across, up = np.meshgrid(*(np.linspace(low[j], high[j], points) for j in range(2)))
        rows = np.column_stack([across.ravel(), up.ravel()])
        if what == "probabilities":
            heights = estimator.predict_proba(with_names_of(X, given, rows))
        elif what == "densities":
            codes = None if y is None else FeatureValidator(owner).classes(y, len(matrix))[1]
            heights = _densities(estimator, matrix, codes, rows)
        else:
            heights = np.asarray(estimator.decision_function(with_names_of(X, given, rows)))
            heights = np.column_stack([-heights / 2, heights / 2]) if heights.ndim == 1 else heights
        shaped = heights.T.reshape(-1, *across.shape)
        return cls((across, up), shaped, estimator.classes_, fitted_names(estimator), what).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto the three-dimensional `ax`, or a new figure."""
        from matplotlib import pyplot
        from matplotlib.colors import to_rgba
        from matplotlib.lines import Line2D

        if ax is None:
            ax = pyplot.figure(figsize=(5.6, 4.6), layout="constrained").add_subplot(projection="3d")
        self.ax_, self.figure_ = ax, ax.figure
        colours = np.array([to_rgba(COLOURS[k % len(COLOURS)]) for k in range(len(self.classes))])
        highest = self.heights.argmax(axis=0)
        lines = (0.15, (1, 1, 1, 0.4)) if len(highest) <= LINES else (0, "none")
        style = {"rstride": 1, "cstride": 1, "linewidth": lines[0], "edgecolor": lines[1], "shade": True}
        self.ax_.plot_surface(*self.grid, self.heights.max(axis=0), facecolors=colours[highest], **style)
        marks = [Line2D([], [], marker="s", linestyle="", color=colour) for colour in colours]
        self.ax_.legend(
            marks, literal_texts(self.classes, legend=True), frameon=False, fontsize="small", loc="upper left"
        )
        self.ax_.set_xlabel(literal_text(self.names[0]))
        self.ax_.set_ylabel(literal_text(self.names[1]))
        self.ax_.set_zlabel(WORDS[self.what], labelpad=6)
        self.ax_.set_box_aspect(None, zoom=0.8)
        return self


def _densities(estimator: Any, X: Array, codes: Array | None, rows: Array) -> Array:
    """The density of each Gaussian class at the rows, times its prior."""
    means, covariances = class_shapes(estimator, X, codes, len(estimator.classes_))
    priors = getattr(estimator, "priors_", getattr(estimator, "class_prior_", None))
    found = []
    for prior, mean, covariance in zip(np.asarray(priors), means, covariances, strict=True):
        apart = rows - mean
        square = np.einsum("ij,ji->i", apart, np.linalg.solve(covariance, apart.T))
        found.append(prior * np.exp(-square / 2) / (2 * np.pi * np.sqrt(np.linalg.det(covariance))))
    return np.column_stack(found)
