"""Scores against the number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..model_selection import learning_curve
from .score_curve import band, label, named_score
from .style import BLUE, ORANGE, axes_or_new, plain


@dataclass(kw_only=True)
class LearningCurveDisplay:
    """Training and test scores as training sets grow: two lines that meet low want a richer model, a gap wants rows."""

    train_sizes: Array
    train_scores: Array
    test_scores: Array
    score_name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        train_sizes: Any = None,
        cv: Any = None,
        scoring: Any = None,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        **options: Any,
    ) -> Self:
        """Cross-validate `estimator` on growing training sets and draw the scores."""
        sizes = np.linspace(0.1, 1.0, 5) if train_sizes is None else train_sizes
        found = learning_curve(
            estimator, X, y, groups=groups, train_sizes=sizes, cv=cv, scoring=scoring, **options
        )  # fmt: skip
        name = named_score(scoring, negate_score) if score_name is None else score_name
        display = cls(train_sizes=found[0], train_scores=found[1], test_scores=found[2], score_name=name)
        return display.plot(ax=ax, negate_score=negate_score)

    def plot(self, ax: Any = None, *, negate_score: bool = False, score_name: str | None = None) -> Self:
        """Draw onto `ax`, or a new figure; bands are one standard deviation of the folds to either side."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        sign = -1 if negate_score else 1
        self.lines_ = [
            band(self.ax_, self.train_sizes, sign * scores, colour, name)
            for scores, colour, name in ((self.train_scores, BLUE, "train"), (self.test_scores, ORANGE, "test"))
        ]
        label(self.ax_, "training rows", score_name or self.score_name)
        return self
