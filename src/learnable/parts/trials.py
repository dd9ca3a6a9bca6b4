"""How often to draw a random sample until one is free of outliers."""

from __future__ import annotations

import math

from ..core.errors import ParameterError


def ransac_trials(inlier_share: float, sample_size: int, confidence: float) -> float:
    """Samples to draw so that with probability `confidence` at least one of them holds inliers only.

    m >= log(1 - q) / log(1 - p^k)

    for a share p of inliers, samples of size k and confidence q: one sample is clean with probability p^k, and all of m
    samples are spoilt with probability (1 - p^k)^m. Infinite where no number of samples is enough.

    >>> ransac_trials(0.5, 2, 0.99), ransac_trials(0.7, 3, 0.99)
    (17, 11)
    """
    for name, value in (("inlier_share", inlier_share), ("confidence", confidence)):
        if not 0 <= value <= 1:
            raise ParameterError(f"ransac_trials: {name} must be between 0 and 1; got {value!r}")
    if sample_size < 1:
        raise ParameterError(f"ransac_trials: sample_size must be at least 1; got {sample_size!r}")
    clean = inlier_share**sample_size
    if confidence == 0:
        return 0
    if clean == 1:
        return 1
    if clean == 0 or confidence == 1:
        return math.inf
    return math.ceil(math.log1p(-confidence) / math.log1p(-clean))


def chance_of_no_clean_sample(inlier_share: float, sample_size: int, trials: int) -> float:
    """The probability (1 - p^k)^m that none of `trials` samples holds inliers only.

    >>> round(chance_of_no_clean_sample(0.5, 2, 17), 4)
    0.0075
    """
    clean = inlier_share**sample_size
    if clean == 1:
        return 0.0 if trials > 0 else 1.0
    return math.exp(trials * math.log1p(-clean))
