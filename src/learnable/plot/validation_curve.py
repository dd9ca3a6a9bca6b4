"""Validation curve: scores against a hyperparameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..model_selection import minimal_error_rule, one_standard_error_rule, validation_curve
from ._score_curve import draw_scores, label, named_score, scale_of, split_style
from ._style import GREEN, GREY, axes_or_new, plain


@dataclass(kw_only=True)
class ValidationCurveDisplay(ChecksSparse):
    """Validation curve.

    Training and test scores for each value of a hyperparameter, the best value, and the simplest within one standard
    error.

    `simpler` says on which side models are simpler, which positions the second mark: many estimators declare it, for
    others it must be given, or there is no such mark.
    """

    param_name: str
    param_range: Array
    train_scores: Array
    test_scores: Array
    score_name: str | None = None
    simpler: Literal["larger", "smaller"] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        param_name: str,
        param_range: Any,
        groups: Any = None,
        cv: Any = None,
        scoring: Any = None,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        simpler: Literal["larger", "smaller"] | None = None,
        **options: Any,
    ) -> Self:
        """Cross-validate `estimator` for each value of the parameter and draw the scores."""
        style, others = split_style(options)
        curve = validation_curve(
            estimator, X, y, param_name=param_name, param_range=param_range, groups=groups, cv=cv, scoring=scoring,
            **others,
        )  # fmt: skip
        display = cls(
            param_name=param_name, param_range=np.asarray(param_range), train_scores=curve[0], test_scores=curve[1],
            score_name=named_score(scoring, negate_score) if score_name is None else score_name,
            simpler=simpler or curve.simpler,
        )  # fmt: skip
        return display.plot(ax=ax, negate_score=negate_score, **style)

    def plot(self, ax: Any = None, *, negate_score: bool = False, score_name: str | None = None, **style: Any) -> Self:
        """Draw onto `ax`, or a new figure; bands are one standard deviation of the folds to either side.

        `style` may have scikit-learn's score_type, std_display_style, line_kw, fill_between_kw and errorbar_kw.
        """
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        draw_scores(self, self.param_range, negate_score=negate_score, **style)
        for place, colour, dashes, name in self._marks():
            self.ax_.axvline(self.param_range[place], color=colour, linestyle=dashes, linewidth=1.3, label=name)
        self.ax_.set_xscale(scale_of(self.param_range))
        label(self.ax_, self.param_name, score_name or self.score_name)
        return self

    def _marks(self) -> list[tuple[int, str, str, str]]:
        """Positions of the values to mark, with colours, dashes and names; both show where they fall together."""
        marks = [(minimal_error_rule(self.test_scores), GREY, "--", "best")]
        if self.simpler is not None:
            order = np.unique(np.asarray(self.param_range, dtype=float), return_inverse=True)[1]
            order = -order if self.simpler == "larger" else order
            marks.append((one_standard_error_rule(self.test_scores, order), GREEN, ":", "within one standard error"))
        return marks
