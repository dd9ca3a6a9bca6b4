"""Diagnosis of underfitting and overfitting from training and test errors, with remedies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked, limits
from ..parts.confidence_intervals import sample

Regime = Literal["high variance", "high bias", "on target"]
REMEDIES: dict[str, tuple[str, ...]] = {
    "high variance": (
        "more training rows",
        "a simpler model, or more regularisation",
        "fewer features",
        "averaging of many models (bagging)",
    ),
    "high bias": (
        "more or better features",
        "a more flexible model, or less regularisation",
        "boosting, or products and powers of features",
        "not more rows: they do not help here",
    ),
    "on target": (),
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Diagnosis of a model, underfitting or overfitting, with the reason and remedies."""

    regime: Regime
    reason: str
    remedies: tuple[str, ...]

    def __str__(self) -> str:
        advice = f"; try {'; '.join(self.remedies)}" if self.remedies else ""
        return f"{self.regime}: {self.reason}{advice}"


error = limits(at_least=0, says="an error (of a score that grows, take 1 - score or -score)")


@checked(train_error=error, test_error=error, target_error=error)
def diagnose(train_error: float, test_error: float, target_error: float) -> Diagnosis:
    """Diagnose underfitting (bias) or overfitting (variance) of a model, given a target error.

    train < target < test:  high variance: the model fits the noise of its training set
    train > target:         high bias: the model does not even fit its training set
    test <= target:         on target

    >>> diagnose(0.02, 0.20, 0.10).regime, diagnose(0.15, 0.17, 0.10).regime
    ('high variance', 'high bias')
    """
    numbers = (
        f"{train_error:.4g} on the training set, {test_error:.4g} on the test set, {target_error:.4g} as the target"
    )
    if test_error <= target_error:
        return Diagnosis("on target", f"the test error is low enough ({numbers})", REMEDIES["on target"])
    if train_error > target_error:
        reason = f"even the training error is too high ({numbers})"
        return Diagnosis("high bias", reason, REMEDIES["high bias"])
    reason = f"the test error is too high, the training error is not ({numbers})"
    return Diagnosis("high variance", reason, REMEDIES["high variance"])


@checked()
def overfits(train_errors: Rows, test_errors: Rows) -> Array:
    """Indices of the fitted models that overfit, given training and test errors.

    h overfits if some other h' has the larger training error, yet the smaller test error.

    >>> overfits([0.30, 0.10, 0.02], [0.32, 0.15, 0.25]).tolist()
    [False, False, True]
    """
    train = sample(train_errors, "overfits", 1, "train_errors")
    test = sample(test_errors, "overfits", 1, "test_errors")
    if len(train) != len(test):
        raise DataError(f"overfits: one error of each kind for each model; got {len(train)} and {len(test)}")
    return np.asarray(((train[:, None] < train) & (test[:, None] > test)).any(axis=1))
