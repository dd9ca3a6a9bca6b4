"""Regularisation path: coefficients against alpha."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, DataError
from ..core.validate.sparse_input import ChecksSparse
from ._coefficient_path import coefficient_path
from ._style import GREY, axes_or_new, name_line_ends, plain

FINE = 500  # points of a line


@dataclass
class RegularizationPathDisplay(ChecksSparse):
    """Regularisation path.

    Each coefficient against the regularisation strength, and the number of nonzero coefficients.

    `coefs` has a row per column of the data and a column per alpha; `chosen` is the alpha of a model, if any.
    """

    alphas: Array
    coefs: Array
    names: list[str]
    chosen: float | None = None
    strength: str = "alpha"

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, alphas: Any = None, ax: Any = None) -> Self:
        """Draw the coefficients of `estimator` on the data over `alphas`, by default all that matter.

        Ridge, lasso, elastic net and least angle regression, and their cross-validated forms, have a path
        that costs little more than one fit; a fitted one draws its own values of alpha. So has logistic regression,
        with the penalty of its `l1_ratio`, over 1 / C. Any other estimator with a parameter `alpha` is
        fitted for each alpha.
        """
        return cls(*coefficient_path(estimator, X, y, alphas)).plot(ax=ax)

    @classmethod
    def from_path(cls, alphas: Any, coefs: Any, *, names: Any = None, strength: str = "alpha", ax: Any = None) -> Self:
        """Draw what `lasso_path`, `enet_path` or `ridge_path` returned, or `logistic_path` with alphas = 1 / Cs."""
        alphas, coefs = np.asarray(alphas), np.asarray(coefs)
        if alphas.ndim != 1 or coefs.shape[1:] != alphas.shape or not (alphas > 0).any():
            raise DataError(
                f"RegularizationPathDisplay: coefs of shape {coefs.shape} do not fit alphas of shape {alphas.shape}; "
                "give a row for each column of the data and an entry for each alpha, at least one above 0"
            )
        labels = [f"x{j}" for j in range(len(coefs))] if names is None else [str(name) for name in names]
        if len(labels) != len(coefs):
            raise DataError(
                f"RegularizationPathDisplay: {len(labels)} names for {len(coefs)} coefficients; give one for each"
            )
        return cls(alphas, coefs, labels, strength=strength).plot(ax=ax)

    def plot(self, *, ax: Any = None, most_labels: int = 12) -> Self:
        """Draw onto `ax`, or a new figure; the largest coefficients are named at the end of their lines."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        positive = self.alphas > 0
        x, lines = self.alphas[positive], self.coefs[:, positive]
        last = int(np.argmin(x))
        between, drawn = _filled(x, lines)
        self.lines_ = self.ax_.plot(between, drawn.T, linewidth=1.5)
        self.ax_.axhline(0, color=GREY, linewidth=0.8)
        if self.chosen is not None and x.min() <= self.chosen <= x.max():
            self.ax_.axvline(self.chosen, color=GREY, linestyle="--", linewidth=1)
        self.ax_.set_xscale("log")
        self.ax_.invert_xaxis()
        self.ax_.set(xlabel=f"{self.strength} (weaker to the right)", ylabel="coefficient")
        named = np.argsort(-np.abs(lines[:, last]))[:most_labels]
        ends = [self.lines_[j].get_color() for j in named]
        name_line_ends(self.ax_, float(x[last]), lines[named, last], [self.names[j] for j in named], ends)
        counts = (lines != 0).sum(axis=0)
        span = f"{counts.min()} to {counts.max()}" if counts.min() < counts.max() else f"{counts.max()}"
        self.ax_.set_title(f"{span} non-zero coefficients", fontsize=9, loc="left", color=GREY)
        return self


def _filled(alphas: Array, coefs: Array) -> tuple[Array, Array]:
    """The path on a finer grid: it is piecewise linear in alpha, hence nonlinear in log alpha."""
    between = np.union1d(alphas, np.geomspace(alphas.min(), alphas.max(), FINE))
    order = np.argsort(alphas)
    return between, np.array([np.interp(between, alphas[order], row[order]) for row in coefs])
