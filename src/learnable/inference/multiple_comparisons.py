"""Many tests at once: which p values are small even though there are many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked
from ..parts.confidence_intervals import sample
from .finding import SHARE


@dataclass(frozen=True, slots=True)
class Correction:
    """Result of a correction for multiple testing: which hypotheses are rejected, in the order given.

    `critical` is what each p value was held against, `adjusted` the smallest alpha at which it would be rejected.
    """

    rule: str
    alpha: float
    p_values: Array
    critical: Array
    adjusted: Array
    rejected: Array

    def __str__(self) -> str:
        count, total = int(self.rejected.sum()), len(self.rejected)
        which = f" (at indices {', '.join(map(str, np.flatnonzero(self.rejected)))})" if count else ""
        return f"{count} of {total} differences observed{which} at alpha = {self.alpha:g} by {self.rule}"


@checked(alpha=SHARE)
def benjamini_hochberg(
    p_values: Rows, alpha: float = 0.05, *, rule: Literal["step-up", "per-item"] = "step-up"
) -> Correction:
    """Benjamini-Hochberg procedure: reject hypotheses with a false discovery rate of at most `alpha`.

    z_i = alpha i / M    for the i-th smallest of M p values
    step-up:   reject the smallest i of them for the largest i with p_i <= z_i
    per-item:  reject each i with p_i < z_i, as some texts have it

    Only the step-up rule has the proof. The per-item rule rejects a part of what that rejects, and may pass over a
    smaller p value while it rejects a larger one. [Benjamini and Hochberg, 1995]

    >>> benjamini_hochberg([0.01, 0.032, 0.035, 0.04]).rejected.tolist()
    [True, True, True, True]
    >>> benjamini_hochberg([0.01, 0.032, 0.035, 0.04], rule="per-item").rejected.tolist()
    [True, False, True, True]
    """
    values, order, place = _sorted(p_values, "benjamini_hochberg")
    count = len(values)
    critical = alpha * np.arange(1, count + 1) / count
    ratios = values[order] * count / np.arange(1, count + 1)
    if rule == "per-item":
        return Correction("the per-item rule of Benjamini and Hochberg", alpha, values, critical[place], ratios[place],
                          (values[order] < critical)[place])  # fmt: skip
    adjusted = np.minimum(np.minimum.accumulate(ratios[::-1])[::-1], 1.0)
    passed = np.flatnonzero(values[order] <= critical)
    rejected = np.arange(count) <= (passed[-1] if len(passed) else -1)
    return Correction("Benjamini and Hochberg", alpha, values, critical[place], adjusted[place], rejected[place])


@checked(alpha=SHARE)
def holm(p_values: Rows, alpha: float = 0.05) -> Correction:
    """Holm's step-down procedure: reject hypotheses with a family-wise error rate of at most `alpha`.

    Reject the smallest p values as long as p_i <= alpha / (M - i + 1). Never weaker than Bonferroni's. [Holm, 1979]

    >>> holm([0.01, 0.04, 0.03]).adjusted.tolist()
    [0.03, 0.06, 0.06]
    """
    values, order, place = _sorted(p_values, "holm")
    count = len(values)
    left = count - np.arange(count)
    adjusted = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    rejected = np.logical_and.accumulate(values[order] <= alpha / left)
    return Correction("Holm", alpha, values, (alpha / left)[place], adjusted[place], rejected[place])


@checked(alpha=SHARE)
def bonferroni(p_values: Rows, alpha: float = 0.05) -> Correction:
    """Bonferroni correction: reject hypotheses with a family-wise error rate of at most `alpha`, p_i <= alpha / M.

    >>> bonferroni([0.01, 0.04]).rejected.tolist()
    [True, False]
    """
    values, _, _ = _sorted(p_values, "bonferroni")
    critical = np.full(len(values), alpha / len(values))
    adjusted = np.minimum(values * len(values), 1.0)
    return Correction("Bonferroni", alpha, values, critical, adjusted, values <= critical)


def _sorted(p_values: Any, owner: str) -> tuple[Array, Array, Array]:
    """The checked p values, their order, and the place of each in that order."""
    values = sample(p_values, owner, 1, "p_values")
    if (values < 0).any() or (values > 1).any():
        raise DataError(f"{owner}: p_values must be between 0 and 1; got {values.min():g} to {values.max():g}")
    order = np.argsort(values, kind="stable")
    place = np.empty(len(values), dtype=np.intp)
    place[order] = np.arange(len(values))
    return values, order, place
