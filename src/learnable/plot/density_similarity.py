"""Similarity of the class-conditional histograms of each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_texts
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, fitted_names, plain


@dataclass
class DensitySimilarityDisplay:
    """Bar chart of the similarity of the class-conditional histograms of each column, with the filter's threshold."""

    names: list[str]
    similarities: Array
    threshold: float

    @classmethod
    def from_estimator(cls, estimator: Any, *, sort: bool = True, ax: Any = None) -> Self:
        """Draw the similarities of a fitted ConditionalDensityFilter; `sort`: the most discriminative on top."""
        check_learned("DensitySimilarityDisplay", estimator, "similarities_")
        found = np.asarray(estimator.similarities_)
        order = np.argsort(found, kind="stable") if sort else np.arange(len(found))
        names = fitted_names(estimator)
        return cls([names[j] for j in order], found[order], float(estimator.threshold)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (6.0, 1.2 + 0.28 * len(self.names))))
        self.figure_ = self.ax_.figure
        points = np.arange(len(self.names))
        stays = self.similarities <= self.threshold
        self.ax_.barh(points, self.similarities, color=np.where(stays, BLUE, GREY), height=0.7)
        self.ax_.axvline(self.threshold, color=ORANGE, linestyle="--", linewidth=1.5)
        self.ax_.set_yticks(points, literal_texts(self.names))
        self.ax_.invert_yaxis()
        self.ax_.set_xlim(0, 1.02)
        self.ax_.set_xlabel("similarity of the classes")
        self.ax_.set_title(f"{int(stays.sum())} of {len(stays)} columns are kept", loc="left", fontsize="medium")
        return self
