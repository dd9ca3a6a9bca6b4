"""Coefficients against the strength of a penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from .style import GREY, axes_or_new, fitted_names, plain


@dataclass
class RegularizationPathDisplay:
    """How each coefficient grows as the penalty weakens, and how many are not zero.

    `coefs` has a row per column of the data and a column per strength.
    """

    alphas: Array
    coefs: Array
    names: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, alphas: Any = None, ax: Any = None) -> Self:
        """Fit copies of `estimator` over `alphas` (50 around its own by default) and draw their coefficients."""
        if alphas is None:
            alphas = float(estimator.alpha) * np.geomspace(1e3, 1e-3, 50)
        fitted = [estimator.clone().set_params(alpha=float(alpha)).fit(X, y) for alpha in alphas]
        coefs = np.column_stack([np.ravel(model.coef_) for model in fitted])
        return cls(np.asarray(alphas, dtype=float), coefs, fitted_names(fitted[0])).plot(ax=ax)

    @classmethod
    def from_path(cls, alphas: Any, coefs: Any, *, names: Any = None, ax: Any = None) -> Self:
        """Draw what `lasso_path`, `enet_path` or `ridge_path` returned."""
        coefs = np.asarray(coefs)
        labels = [f"x{j}" for j in range(len(coefs))] if names is None else [str(name) for name in names]
        return cls(np.asarray(alphas), coefs, labels).plot(ax=ax)

    def plot(self, *, ax: Any = None, most_labels: int = 12) -> Self:
        """Draw onto `ax`, or a new figure; the largest coefficients are named at the end of their lines."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        positive = self.alphas > 0
        x, lines = self.alphas[positive], self.coefs[:, positive]
        last = int(np.argmin(x))
        self.lines_ = self.ax_.plot(x, lines.T, linewidth=1.5)
        named = np.argsort(-np.abs(lines[:, last]))[:most_labels]
        for j in named:
            self.ax_.annotate(
                f" {self.names[j]}",
                (x[last], lines[j, last]),
                fontsize=7,
                va="center",
                color=self.lines_[j].get_color(),
            )
        self.ax_.axhline(0, color=GREY, linewidth=0.8)
        self.ax_.set_xscale("log")
        self.ax_.invert_xaxis()
        self.ax_.set(xlabel="alpha (weaker to the right)", ylabel="coefficient")
        counts = (lines != 0).sum(axis=0)
        self.ax_.set_title(
            f"{counts.min()} to {counts.max()} non-zero coefficients", fontsize=9, loc="left", color=GREY
        )
        return self
