"""The eigenvalues behind an embedding, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ..utils.validation import check_is_fitted
from ._style import BLUE, GREY, axes_or_new, plain


@dataclass
class EigenvalueDisplay:
    """Eigenvalues in the order of their components: where they fall, or jump, dimensions end."""

    eigenvalues: Array

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the `eigenvalues_` of a fitted model, or those of its kernel PCA."""
        check_is_fitted(estimator)
        model = getattr(estimator, "kernel_pca_", estimator)
        if not hasattr(model, "eigenvalues_"):
            raise ParameterError(
                f"EigenvalueDisplay: a model with eigenvalues_ is needed; {type(estimator).__name__} learns none"
            )
        return cls(np.asarray(model.eigenvalues_)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        numbers = np.arange(1, len(self.eigenvalues) + 1)
        self.ax_.bar(numbers, self.eigenvalues, color=BLUE, width=0.7)
        self.ax_.axhline(0, color=GREY, linewidth=0.8)
        self.ax_.set(xlabel="component", ylabel="eigenvalue")
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        return self
