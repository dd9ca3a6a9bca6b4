"""ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..metrics import auc, roc_curve
from ..metrics._operating_points import both_classes
from ._binary_base import draw_chance_level, legend, positive_words, square_axes
from ._fold_curves import FoldCurvesDisplay, Style, draw_curves


@dataclass
class RocCurveDisplay(FoldCurvesDisplay):
    """Receiver operating characteristic (ROC) curve.

    True positive rate against false positive rate over all thresholds.

    Lists of rates draw a curve each, as `from_cv_results` does for the folds of a cross-validation.

    >>> RocCurveDisplay(fpr=[0.0, 1.0], tpr=[0.0, 1.0], roc_auc=0.5).roc_auc
    0.5
    """

    fpr: Any
    tpr: Any
    roc_auc: float | list[float] | None = None
    name: str | list[str] | None = None
    pos_label: Any = None

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, sample_weight: Any, drop_intermediate: bool, pos_label: Any, name: str | None
    ) -> Self:
        """The curve of scores of the positive class, not drawn yet."""
        both_classes(cls.__name__, y_true, y_score, pos_label, sample_weight)
        given = {"pos_label": pos_label, "sample_weight": sample_weight, "drop_intermediate": drop_intermediate}
        alarms, hits, _ = roc_curve(y_true, y_score, **given)
        return cls(alarms, hits, auc(alarms, hits), name, pos_label)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | list[str] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        curve_kwargs: Style = None,
        despine: bool = True,
        **options: Any,
    ) -> Self:
        """Draw onto `ax`, or a new figure; call it on one `ax` several times to compare models."""
        self.ax_ = square_axes(ax)
        self.figure_ = self.ax_.figure
        style = options or curve_kwargs
        self.line_ = draw_curves(self.ax_, self.fpr, self.tpr, "AUC", self.roc_auc, name or self.name, style)
        self.chance_level_ = None
        if plot_chance_level:
            self.chance_level_ = draw_chance_level(self.ax_, [0, 1], [0, 1], "chance (AUC = 0.5)", chance_level_kw)
        words = positive_words(self.pos_label)
        self.ax_.set(xlabel=f"false positive rate{words}", ylabel=f"true positive rate{words}")
        legend(self.ax_, "lower right")
        return self
