"""The training of a network, epoch by epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, plain


@dataclass
class TrainingDisplay:
    """Training curve: the training loss of each epoch, and the validation score with the epoch of the best weights."""

    losses: Array
    scores: Array | None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw `loss_curve_` and `validation_scores_` of a fitted network."""
        check_learned("TrainingDisplay", estimator, "loss_curve_")
        scores = estimator.__dict__.get("validation_scores_")
        return cls(np.asarray(estimator.loss_curve_), None if scores is None else np.asarray(scores)).plot(ax=ax)

    @property
    def best_epoch(self) -> int:
        """The epoch, from 1, whose weights are the result: the one with the best validation score, else the last."""
        return len(self.losses) if self.scores is None else int(self.scores.argmax()) + 1

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure; the scores have the axis on the right."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        epochs = np.arange(1, len(self.losses) + 1)
        (self.loss_line_,) = self.ax_.plot(epochs, self.losses, color=BLUE, label="training loss")
        self.ax_.set(xlabel="epoch", ylabel="training loss")
        if self.scores is None:
            return self
        self.score_ax_ = self.ax_.twinx()
        (self.score_line_,) = self.score_ax_.plot(
            np.arange(1, len(self.scores) + 1), self.scores, color=ORANGE, label="validation score"
        )
        self.score_ax_.set_ylabel("validation score")
        self.score_ax_.spines["top"].set_visible(False)
        self.ax_.axvline(self.best_epoch, color=GREY, linestyle=":")
        self.ax_.annotate(
            "best weights", (self.best_epoch, 0.02), xycoords=("data", "axes fraction"), xytext=(-4, 0),
            textcoords="offset points", color=GREY, ha="right",
        )  # fmt: skip
        self.ax_.legend(handles=[self.loss_line_, self.score_line_], loc="center right", frameon=False)
        return self
