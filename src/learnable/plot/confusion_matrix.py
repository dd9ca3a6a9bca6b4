"""Plot of the confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core.validate.sparse_input import ChecksSparse
from ..metrics import confusion_matrix
from ..metrics._labels import labelled
from ..parts.literal_text import literal_texts
from ._style import axes_or_new

INCHES_OF_LETTER = 0.09


@dataclass
class ConfusionMatrixDisplay(ChecksSparse):
    """Confusion matrix: rows are true classes, columns predicted classes, or as `layout` says.

    >>> ConfusionMatrixDisplay(np.eye(2)).display_labels is None
    True
    """

    confusion_matrix: Any
    display_labels: Any = None
    layout: Literal["actual", "predicted"] = "actual"  # what the rows of the matrix are

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Predict the classes of the rows of `X` and draw."""
        return cls.from_predictions(y, estimator.predict(X), **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: Any = None,
        display_labels: Any = None,
        layout: Literal["actual", "predicted"] = "actual",
        **options: Any,
    ) -> Self:
        """Count and draw; `normalize` and `layout` as in `confusion_matrix`."""
        table = confusion_matrix(
            y_true, y_pred, labels=labels, sample_weight=sample_weight, normalize=normalize, layout=layout
        )
        if display_labels is None:
            display_labels = labelled("ConfusionMatrixDisplay", y_true, y_pred).classes if labels is None else labels
        return cls(table, display_labels, layout).plot(**options)

    def plot(
        self,
        *,
        include_values: bool = True,
        cmap: Any = "Blues",
        xticks_rotation: Any = "auto",
        values_format: str | None = None,
        ax: Any = None,
        colorbar: bool = True,
        im_kw: dict[str, Any] | None = None,
        text_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw onto `ax`, or a new figure; numbers are dark on light fields and light on dark ones.

        Names that would overlap below the matrix are turned, unless `xticks_rotation` says how.
        """
        self.ax_ = axes_or_new(ax, (5.0, 4.2))
        self.figure_ = self.ax_.figure
        table = np.asarray(self.confusion_matrix)
        self.im_ = self.ax_.imshow(table, **{"interpolation": "nearest", "cmap": cmap, **(im_kw or {})})
        self.text_ = self._write(table, values_format, text_kw or {}) if include_values else None
        if colorbar:
            self.figure_.colorbar(self.im_, ax=self.ax_)
        names = np.arange(len(table)) if self.display_labels is None else self.display_labels
        points = np.arange(len(table))
        self.ax_.set(xticks=points, yticks=points, xticklabels=literal_texts(names), yticklabels=literal_texts(names))
        across, down = ("predicted", "actual") if self.layout == "actual" else ("actual", "predicted")
        self.ax_.set(xlabel=f"{across} class", ylabel=f"{down} class", ylim=(len(table) - 0.5, -0.5))
        self._turn(xticks_rotation, [str(name) for name in names])
        return self

    def _turn(self, rotation: Any, names: list[str]) -> None:
        """Turn the names below the matrix: as requested, or enough to avoid overlap."""
        if rotation == "auto":
            inches = self.ax_.get_window_extent().width / self.figure_.dpi
            fits = max(map(len, names), default=0) * INCHES_OF_LETTER < inches / max(1, len(names))
            rotation = "horizontal" if fits else 45
        angle = {"horizontal": 0, "vertical": 90}.get(rotation, rotation)
        self.ax_.tick_params(axis="x", rotation=angle)
        for label in self.ax_.get_xticklabels() if angle not in (0, 90) else ():
            label.set(ha="right", rotation_mode="anchor")

    def _write(self, table: Any, values_format: str | None, options: dict[str, Any]) -> Any:
        light, dark = self.im_.cmap(0.0), self.im_.cmap(1.0)
        middle = (table.max() + table.min()) / 2
        texts = np.empty(table.shape, dtype=object)
        for (i, j), value in np.ndenumerate(table):
            shown = format(value, values_format) if values_format else _short(value)
            style = {"ha": "center", "va": "center", "color": dark if value < middle else light, **options}
            texts[i, j] = self.ax_.text(j, i, shown, **style)
        return texts


def _short(value: Any) -> str:
    """Whole numbers in full where they are not long, others to two digits."""
    short = format(value, ".2g")
    if np.issubdtype(np.asarray(value).dtype, np.integer) or float(value).is_integer():
        whole = format(int(value), "d")
        return whole if len(whole) <= 7 else short
    return short
