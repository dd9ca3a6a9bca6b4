"""Detection error trade-off (DET) curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..metrics import det_curve
from ._binary_base import CurveDisplay, draw_line, legend, positive_words
from ._style import axes_or_new, plain

TICKS = np.array([0.001, 0.01, 0.05, 0.20, 0.5, 0.80, 0.95, 0.99, 0.999])


@dataclass
class DetCurveDisplay(CurveDisplay):
    """Detection error trade-off (DET) curve.

    False negative rate against false positive rate on axes of normal deviates.

    Down and left is better; `scale="linear"` draws plain rates.

    >>> DetCurveDisplay(fpr=[0.5, 0.0], fnr=[0.0, 0.5]).estimator_name is None
    True
    """

    fpr: Any
    fnr: Any
    estimator_name: str | None = None
    pos_label: Any = None

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, sample_weight: Any, drop_intermediate: bool, pos_label: Any, name: str | None
    ) -> Self:
        """The curve of scores of the positive class, not drawn yet."""
        given = {"pos_label": pos_label, "sample_weight": sample_weight, "drop_intermediate": drop_intermediate}
        alarms, missed, _ = det_curve(y_true, y_score, **given)
        return cls(alarms, missed, name, pos_label)

    def plot(self, ax: Any = None, *, name: str | None = None, scale: str = "normal", **options: Any) -> Self:
        """Draw onto `ax`, or a new figure."""
        if scale not in ("normal", "linear"):
            raise ValueError(f'DetCurveDisplay: scale must be "normal" or "linear"; got {scale!r}')
        self.ax_ = plain(axes_or_new(ax, (4.6, 4.6)))
        self.figure_ = self.ax_.figure
        alarms, missed = np.asarray(self.fpr, dtype=float), np.asarray(self.fnr, dtype=float)
        if scale == "normal":
            alarms, missed = (_deviates(rates) for rates in (alarms, missed))
            _deviate_axes(self.ax_)
        self.line_ = draw_line(self.ax_, alarms, missed, name or self.estimator_name, options)
        words = positive_words(self.pos_label)
        self.ax_.set(xlabel=f"false positive rate{words}", ylabel=f"false negative rate{words}")
        legend(self.ax_, "upper right")
        return self


def _deviates(rates: Any) -> Any:
    from scipy.special import ndtri

    smallest = float(np.finfo(float).eps)
    return ndtri(np.clip(rates, smallest, 1 - smallest))


def _deviate_axes(ax: Any) -> None:
    labels = [f"{tick:.0%}" if (100 * tick).is_integer() else f"{tick:.1%}" for tick in TICKS.tolist()]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(_deviates(TICKS), labels)
    ax.tick_params(labelsize=8)
    ax.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2))
