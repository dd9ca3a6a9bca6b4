"""A classifier of two classes with a given threshold."""

from __future__ import annotations

from typing import Any

from ..core import Trace, cloned, estimator, param
from ._evaluation import FitArguments, fitted
from ._threshold_base import ThresholdClassifier


@estimator
class FixedThresholdClassifier(ThresholdClassifier):
    """Binary classifier with a fixed decision threshold.

    f(x) = positive class if s(x) >= threshold, else the other    s: probability or decision value of the positive class

    Where the two errors do not cost the same, the threshold that costs least is not one half. Nothing else is learned:
    the classifier inside is fitted as it is, or predicts at once if it is fitted already. [Elkan, 2001]

    >>> from learnable import DummyClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1]
    >>> FixedThresholdClassifier(DummyClassifier(), threshold=0.2).fit(X, y).predict([[5.0]])
    array([1])
    """

    title = "decision threshold"
    reference = "Elkan, The foundations of cost-sensitive learning, IJCAI 2001"

    threshold: float | str = param(
        "auto", 'decision threshold; "auto": 0.5 for probabilities, 0 for decision values',
        infinite=True,
        accepts=lambda value: not isinstance(value, str) or value == "auto", says='a number or "auto"',
    )  # fmt: skip
    pos_label: int | float | str | bool | None = param(None, "the positive class; None: the last one")

    def _fit_inside(self, sample: FitArguments, trace: Trace) -> None:
        self.estimator_ = fitted(cloned(self.estimator), sample)

    def _cut(self, method: str) -> float:
        if self.threshold == "auto":
            return 0.5 if method == "predict_proba" else 0.0
        return float(self.threshold)

    @property
    def _positive(self) -> Any:
        return self.pos_label

    def __sklearn_is_fitted__(self) -> bool:
        inside = self._inside  # it may have come fitted
        own = getattr(inside, "__sklearn_is_fitted__", None)
        return hasattr(inside, "classes_") if own is None else bool(own())
