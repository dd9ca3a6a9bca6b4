"""Gaussian class densities of two columns: contours and decision boundaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ._style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, check_learned, fitted_names, plain, with_names_of

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)


@dataclass
class GaussianClassesDisplay(ChecksSparse):
    """Gaussian classes in two columns: rows, ellipses of one and two standard deviations, and the decision boundary."""

    X: Array
    codes: Array
    classes: Array
    means: Array
    covariances: Array
    grid: tuple[Array, Array]
    regions: Array
    names: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, points: int = 300, ax: Any = None) -> Self:
        """Draw a fitted discriminant or GaussianNB of two columns; a linear one has one covariance for all classes."""
        check_learned("GaussianClassesDisplay", estimator)
        owner = "GaussianClassesDisplay"
        matrix, given = FeatureValidator(owner).matrix(X)
        if matrix.shape[1] != 2:
            raise ValueError(f"{owner}: the plot needs two columns, but X has {matrix.shape[1]}")
        classes, codes = FeatureValidator(owner).classes(y, len(matrix))
        means, covariances = class_shapes(estimator, matrix, codes, len(classes))
        margin = 0.08 * np.ptp(matrix, axis=0)
        low, high = matrix.min(axis=0) - margin, matrix.max(axis=0) + margin
        across, up = np.meshgrid(*(np.linspace(low[j], high[j], points) for j in range(2)))
        values = estimator.predict(with_names_of(X, given, np.column_stack([across.ravel(), up.ravel()])))
        regions = np.searchsorted(classes, values).reshape(across.shape)
        names = fitted_names(estimator)
        return cls(matrix, codes, classes, means, covariances, (across, up), regions, names).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.2, 4.4)))
        self.figure_ = self.ax_.figure
        count = len(self.classes)
        if count > 1:
            levels = np.arange(count + 1) - 0.5
            colours = [COLOURS[k % len(COLOURS)] for k in range(count)]
            self.ax_.contourf(*self.grid, self.regions, levels=levels, colors=colours, alpha=0.12)
            for k in range(count):
                inside = (self.regions == k).astype(float)
                self.ax_.contour(*self.grid, inside, levels=[0.5], colors="black", linewidths=0.9)
        for k in range(count):
            rows, colour = self.X[self.codes == k], COLOURS[k % len(COLOURS)]
            self.ax_.plot(
                *rows.T, ".", color=colour, markersize=3, alpha=0.7, label=literal_text(self.classes[k], legend=True)
            )
            for size in (1, 2):
                self.ax_.plot(*ellipse(self.means[k], self.covariances[k], size).T, color=colour, linewidth=1.4)
            self.ax_.plot(*self.means[k], "+", color="black", markersize=9)
        self.ax_.set_xlabel(literal_text(self.names[0]))
        self.ax_.set_ylabel(literal_text(self.names[1]))
        self.ax_.legend(frameon=False, fontsize="small", markerscale=3)
        return self


def class_shapes(estimator: Any, X: Array, codes: Array | None, classes: int) -> tuple[Array, Array]:
    """Means and covariances that the model has, or that a model with one covariance saw."""
    if hasattr(estimator, "rotations_"):
        pairs = zip(estimator.rotations_, estimator.scalings_, strict=True)
        return estimator.means_, np.array([(axes * variances) @ axes.T for axes, variances in pairs])
    if hasattr(estimator, "var_"):
        return estimator.theta_, np.array([np.diag(variances) for variances in estimator.var_])
    if codes is None:
        raise ValueError(f"the plot of {type(estimator).__name__} needs the classes y, as it stores no covariance")
    weight, means, scatter = kernels.class_scatter(X, codes, classes)
    return means, np.repeat(scatter.sum(axis=0, keepdims=True) / weight.sum(), classes, axis=0)


def ellipse(mean: Array, covariance: Array, size: float) -> Array:
    """Points at a Mahalanobis distance of `size`."""
    angle = np.linspace(0, 2 * np.pi, 100)
    variances, axes = np.linalg.eigh(covariance)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * size
    return np.asarray(mean + circle * np.sqrt(np.maximum(variances, 0)) @ axes.T)
