"""What a test found, in numbers and in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..core.declare.checked_functions import limits
from ..core.numeric import EPSILON
from ..parts.confidence_intervals import Interval

Alternative = Literal["two-sided", "greater", "less"]
SHARE = limits(above=0, below=1)  # what a confidence or a significance level is
NO_PROOF = "this does not prove that there is none"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a statistical test.

    The statistic, its degrees of freedom, the p-value, and the estimate with its confidence interval.

    `significant` says whether p is below 1 - `confidence`. Printed, a finding is one sentence, and a large p value is
    "no difference observed", never equality: a test can fail to detect a difference.

    >>> print(Finding("paired t test", "t", 1.0, 0.32, 0.01, (-0.012, 0.032), 9))
    no difference observed: 0.01 (95 % interval -0.012 to 0.032), p = 0.32 (paired t test, t = 1, 9 degrees of freedom);
    this does not prove that there is none
    """

    test: str
    symbol: str
    statistic: float
    p_value: float
    estimate: float
    interval: tuple[float, float] | None = None
    df: float | None = None
    confidence: float = 0.95
    what: str = "difference"

    @property
    def significant(self) -> bool:
        """Whether the p value is below 1 - confidence."""
        return self.p_value < round(1 - self.confidence, 12)  # 1 - 0.95 is a little more than 0.05

    @property
    def sentence(self) -> str:
        """The finding in words."""
        seen = f"{self.what} observed" if self.significant else f"no {self.what} observed"
        reach = f" ({self.confidence * 100:g} % interval {span(self.interval)})" if self.interval else ""
        freedom = "" if self.df is None else f", {self.df:.4g} degrees of freedom"
        how = f"{self.test}, {self.symbol} = {self.statistic:.4g}{freedom}"
        end = "" if self.significant else f"; {NO_PROOF}"
        return f"{seen}: {self.estimate:.4g}{reach}, {p_text(self.p_value)} ({how}){end}"

    def __str__(self) -> str:
        return self.sentence


def span(interval: tuple[float, float]) -> str:
    """An interval in words; an end at infinity has no number."""
    low, high = interval
    if math.isinf(low):
        return f"up to {high:.4g}"
    return f"from {low:.4g} on" if math.isinf(high) else f"{low:.4g} to {high:.4g}"


def p_text(p_value: float) -> str:
    """`p = 0.032`, or `p < 0.0001`."""
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.2g}"


def level_of_both(alternative: str, confidence: float) -> float:
    """The confidence of the interval with two ends that shares an end with the requested one."""
    return confidence if alternative == "two-sided" else max(2 * confidence - 1, EPSILON)


def one_sided(interval: Interval, alternative: str, bounds: Interval) -> Interval:
    """The interval, its end on the side outside the alternative moved to the bound."""
    low, high = interval
    return bounds[0] if alternative == "less" else low, bounds[1] if alternative == "greater" else high
