"""Constraint region of a penalty, and contours of the squared error: why the lasso gives zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import limits
from ..core.declare.params import check_of, check_value
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..engines.sparse_coefficients import dense
from ..parts.literal_text import literal_lines
from ._style import BLUE, GREY, ORANGE, RED, axes_or_new, check_learned, named_columns, plain

Penalty = Literal["l1", "l2", "elasticnet"]
PENALTIES: dict[str, Penalty] = {"ElasticNet": "elasticnet", "Lasso": "l1", "Ridge": "l2"}
RULES: dict[str, Any] = {
    "penalty": (Penalty, limits()),
    "size": (float, limits(above=0)),
    "l1_ratio": (float, limits(at_least=0, at_most=1)),
}
ANGLES = 7200
LETTERS = 40  # in a line of a label


@dataclass
class ConstraintRegionDisplay(ChecksSparse):
    """Constraint region of a penalty for two coefficients.

    Contours of the squared error, the region penalty(w) <= `size`, and its optimum.

    The best point under a constraint is that of the penalised problem for some alpha, so this shows the penalty too:
    the corners of the L1 region lie on the axes, where one coefficient is zero.
    """

    gram: Array
    free: Array
    penalty: Penalty
    size: float
    l1_ratio: float = 0.5
    names: tuple[str, str] = ("the first column", "the second column")

    @classmethod
    def from_data(
        cls, X: Any, y: Any, *, penalty: Penalty = "l1", size: float, l1_ratio: float = 0.5, ax: Any = None
    ) -> Self:
        """Draw for the centred columns of `X` (two of them) and target `y`."""
        matrix, names = named_columns("ConstraintRegionDisplay", X, None)
        if matrix.shape[1] != 2:
            raise ValueError(
                f"ConstraintRegionDisplay needs two columns; X has {matrix.shape[1]}: {', '.join(names[:5])}"
            )
        for name, value in (("penalty", penalty), ("size", size), ("l1_ratio", l1_ratio)):
            kind, rule = RULES[name]
            check_value("ConstraintRegionDisplay", name, value, *check_of(name, kind, rule, None))
        target = FeatureValidator("ConstraintRegionDisplay").target(y, len(matrix), np.float64, False)
        centred = matrix - matrix.mean(axis=0)
        gram = centred.T @ centred
        if np.linalg.matrix_rank(centred) < 2:
            raise DataError(
                "ConstraintRegionDisplay: a column of X is constant, or both are multiples of each other, so that "
                "least squares has no unique solution; give two other columns"
            )
        free = np.linalg.solve(gram, centred.T @ (target - target.mean()))
        return cls(gram, free, penalty, size, l1_ratio, (names[0], names[1])).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, penalty: Penalty | None = None, ax: Any = None) -> Self:
        """Draw the region on whose edge the two coefficients of a fitted lasso, ridge or elastic net lie.

        `penalty` is that of the model's name where it is not given.
        """
        check_learned("ConstraintRegionDisplay", estimator, "coef_")
        name, coef = type(estimator).__name__, np.ravel(dense(estimator.coef_))
        found = penalty or next((kind for word, kind in PENALTIES.items() if word in name), None)
        if found is None:
            raise ValueError(f"ConstraintRegionDisplay cannot infer the penalty of {name}; pass penalty=, such as 'l1'")
        given = float(getattr(estimator, "l1_ratio_", getattr(estimator, "l1_ratio", 0.5)))
        ratio = 2 * given / (1 + given)  # models take half the squares
        size = float(cls(np.eye(2), np.zeros(2), found, 0.0, ratio).value(coef))
        return cls.from_data(X, y, penalty=found, size=size, l1_ratio=ratio, ax=ax)

    def value(self, w: Array) -> Array:
        """The penalty of each row of `w`."""
        absolute, squared = np.abs(w).sum(axis=-1), (w**2).sum(axis=-1)
        if self.penalty == "elasticnet":
            return np.asarray(self.l1_ratio * absolute + (1 - self.l1_ratio) * squared)
        return np.asarray(absolute if self.penalty == "l1" else np.sqrt(squared))

    def boundary(self) -> Array:
        """Points around the edge of the region, those on the axes among them."""
        angle = np.linspace(0, 2 * np.pi, ANGLES + 1)
        ray = np.column_stack([np.cos(angle), np.sin(angle)])
        ray[np.abs(ray) < 1e-12] = 0
        if self.penalty != "elasticnet":
            return ray * (self.size / self.value(ray))[:, None]
        a, b = 1 - self.l1_ratio, self.l1_ratio * np.abs(ray).sum(axis=1)
        return np.asarray(ray * (2 * self.size / (b + np.sqrt(b * b + 4 * a * self.size)))[:, None])

    def best(self) -> Array:
        """The point of least squared error inside the region."""
        if self.value(self.free) <= self.size:
            return self.free
        edge = self.boundary()
        return np.asarray(edge[np.argmin(self._error(edge))])

    def _error(self, w: Array) -> Array:
        away = w - self.free
        return np.asarray(np.einsum("...i,ij,...j->...", away, self.gram, away))

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (4.6, 4.4)))
        self.figure_ = self.ax_.figure
        edge, best = self.boundary(), self.best()
        reach = 1.25 * max(np.abs(edge).max(), np.abs(self.free).max())
        grid = np.linspace(-reach, reach, 201)
        error = self._error(np.stack(np.meshgrid(grid, grid), axis=-1))
        touching = float(self._error(best))
        levels = np.unique([touching * share for share in (0.1, 0.4, 1.0, 2.0, 4.0) if touching > 0] or [1.0])
        self.ax_.contour(grid, grid, error, levels=levels, colors=ORANGE, linewidths=1)
        self.ax_.fill(edge[:, 0], edge[:, 1], color=BLUE, alpha=0.25)
        self.ax_.plot(*self.free, "o", color=ORANGE, label="least squares")
        self.ax_.plot(*best, "D", color=RED, label="best inside the region")
        self.ax_.axhline(0, color=GREY, linewidth=0.8)
        self.ax_.axvline(0, color=GREY, linewidth=0.8)
        first, second = (literal_lines(f"coefficient of {name}", LETTERS) for name in self.names)
        self.ax_.set(xlabel=first, ylabel=second, aspect="equal", title=self.penalty)
        self.ax_.legend(fontsize=7, loc="lower left")
        return self
