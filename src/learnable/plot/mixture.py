"""Components of a mixture as ellipses, also during a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.validate.sparse_input import ChecksSparse
from ..engines.generative.component_covariances import as_full
from ..parts.literal_text import literal_text
from ._fit_steps import draw_steps
from ._style import axes_or_new, check_learned, named_columns, plain
from .gaussian_classes import COLOURS, ellipse


@dataclass
class MixtureDisplay(ChecksSparse):
    """Scatter plot of a mixture in two columns.

    Rows by their most probable component, ellipses of one and two standard deviations.

    Those of a Student t distribution are once and twice its scale.
    """

    X: Array
    labels: Array
    means: Array
    covariances: Array
    names: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None) -> Self:
        """Draw a fitted mixture of normal or Student t components of two columns."""
        return cls._of(estimator, X).plot(ax=ax)

    @classmethod
    def over_steps(cls, estimator: Any, X: Any, steps: tuple[int, ...] = (1, 3, 10, 100)) -> list[Self]:
        """Side by side, the mixture after some steps of one run, up to the one that converged.

        `estimator` needs no fit. All pictures have the same seed, and of several initialisations (`n_init`) only one is
        followed.
        """
        return draw_steps(
            estimator,
            X,
            steps,
            lambda model, ax: cls._of(model, X).plot(ax=ax),
            lambda model: f"mean log density {model.score(X):.3f}",
        )

    @classmethod
    def _of(cls, estimator: Any, X: Any) -> Self:
        check_learned("MixtureDisplay", estimator)
        if not hasattr(estimator, "means_"):
            raise ParameterError(
                f"MixtureDisplay: {type(estimator).__name__} has no components; DensityDisplay draws the contours of "
                "any density"
            )
        matrix, names = named_columns("MixtureDisplay", X, None)
        if matrix.shape[1] != 2:
            raise DataError(f"MixtureDisplay: the plot needs two columns, but X has {matrix.shape[1]}")
        return cls(matrix, estimator.predict(X), estimator.means_, _shapes(estimator), names)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.2, 4.4)))
        self.figure_ = self.ax_.figure
        for k, (mean, covariance) in enumerate(zip(self.means, self.covariances, strict=True)):
            colour = COLOURS[k % len(COLOURS)]
            self.ax_.plot(*self.X[self.labels == k].T, ".", color=colour, markersize=3, alpha=0.6)
            for size in (1, 2):
                self.ax_.plot(*ellipse(mean, covariance, size).T, color=colour, linewidth=1.4)
            self.ax_.plot(*mean, "+", color="black", markersize=9)
        self.ax_.set(xlabel=literal_text(self.names[0]), ylabel=literal_text(self.names[1]))
        return self


def _shapes(mixture: Any) -> Array:
    """Covariances of the components, or the scales of those that may have none."""
    if hasattr(mixture, "scales_"):
        return np.asarray(mixture.scales_)
    return as_full(mixture.covariances_, mixture.covariance_type, *mixture.means_.shape)
