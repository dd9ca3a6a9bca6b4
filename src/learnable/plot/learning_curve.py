"""Learning curve: scores against the number of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..model_selection import learning_curve
from ._score_curve import draw_scores, label, named_score, scale_of, split_style
from ._style import axes_or_new, plain


@dataclass(kw_only=True)
class LearningCurveDisplay(ChecksSparse):
    """Learning curve: training and test scores as training sets grow.

    Curves that converge to a low score suggest a more flexible model; a gap between them suggests more rows.
    """

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
        style, others = split_style(options)
        sizes = np.linspace(0.1, 1.0, 5) if train_sizes is None else train_sizes
        found = learning_curve(
            estimator, X, y, groups=groups, train_sizes=sizes, cv=cv, scoring=scoring, **others
        )  # fmt: skip
        name = named_score(scoring, negate_score) if score_name is None else score_name
        display = cls(train_sizes=found[0], train_scores=found[1], test_scores=found[2], score_name=name)
        return display.plot(ax=ax, negate_score=negate_score, **style)

    def plot(self, ax: Any = None, *, negate_score: bool = False, score_name: str | None = None, **style: Any) -> Self:
        """Draw onto `ax`, or a new figure; bands are one standard deviation of the folds to either side.

        `style` may have scikit-learn's score_type, std_display_style, line_kw, fill_between_kw and errorbar_kw.
        """
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        draw_scores(self, self.train_sizes, negate_score=negate_score, **style)
        self.ax_.set_xscale(scale_of(self.train_sizes))
        label(self.ax_, "training rows", score_name or self.score_name)
        return self
