"""Feature importances as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_texts
from ._style import BLUE, axes_or_new, check_learned, fitted_names, plain


@dataclass
class ImportancesDisplay:
    """Feature importances as a bar chart, the most important on top, with intervals where there are any."""

    names: list[str]
    importances: Array
    low: Array | None = None
    high: Array | None = None
    xlabel: str = "importance"

    @classmethod
    def from_estimator(cls, estimator: Any, *, max_features: int | None = None, ax: Any = None) -> Self:
        """Draw `feature_importances_`, the fraction of the impurity decrease due to each column."""
        check_learned("ImportancesDisplay", estimator, "feature_importances_")
        label = "share of the impurity removed"
        return cls(fitted_names(estimator), estimator.feature_importances_, xlabel=label).plot(max_features, ax=ax)

    @classmethod
    def from_importances(
        cls, found: Any, *, names: Any = None, max_features: int | None = None, ax: Any = None
    ) -> Self:
        """Draw what `permutation_importance` found, with its intervals."""
        mean = np.asarray(found["importances_mean"])
        own = found.get("names", [f"x{j}" for j in range(len(mean))])
        called = [str(name) for name in (own if names is None else names)]
        low, high = (found["low"], found["high"]) if "low" in found else (None, None)
        return cls(called, mean, low, high, "decrease of the score if the column is shuffled").plot(max_features, ax=ax)

    def plot(self, max_features: int | None = None, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure; only the first `max_features`, if given."""
        order = np.argsort(-self.importances, kind="stable")[:max_features]
        self.ax_ = plain(axes_or_new(ax, (6.0, 1.0 + 0.3 * len(order))))
        self.figure_ = self.ax_.figure
        points = np.arange(len(order))
        self.ax_.barh(points, self.importances[order], height=0.62, color=BLUE, alpha=0.85)
        if self.low is not None and self.high is not None:
            self.ax_.hlines(points, self.low[order], self.high[order], color="#111827", linewidth=1.4)
        self.ax_.set_yticks(points, literal_texts([self.names[j] for j in order]))
        self.ax_.invert_yaxis()
        self.ax_.axvline(0, color="#111827", linewidth=0.8)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_xlabel(self.xlabel)
        return self
