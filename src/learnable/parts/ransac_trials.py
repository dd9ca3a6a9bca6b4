"""The number of RANSAC trials until one sample is free of outliers."""

from __future__ import annotations

import math

from ..core.declare.checked_functions import checked, limits

share = limits(at_least=0, at_most=1)


@checked(inlier_share=share, sample_size=limits(at_least=1), confidence=share)
def ransac_trials(inlier_share: float, sample_size: int, confidence: float) -> float:
    """Samples to draw so that with probability `confidence` at least one of them holds inliers only.

    m >= log(1 - q) / log(1 - p^k)

    for a share p of inliers, samples of size k and confidence q: one sample is clean with probability p^k, and all of m
    samples all contain an outlier with probability (1 - p^k)^m. Infinite where no number of samples is enough.

    >>> ransac_trials(0.5, 2, 0.99), ransac_trials(0.7, 3, 0.99)
    (17, 11)
    """
    clean = inlier_share**sample_size
    if confidence == 0:
        return 0
    if clean == 1:
        return 1
    if clean == 0 or confidence == 1:
        return math.inf
    return math.ceil(math.log1p(-confidence) / math.log1p(-clean))


def probability_of_no_clean_sample(inlier_share: float, sample_size: int, trials: int) -> float:
    """The probability (1 - p^k)^m that none of `trials` samples holds inliers only.

    >>> round(probability_of_no_clean_sample(0.5, 2, 17), 4)
    0.0075
    """
    clean = inlier_share**sample_size
    if clean == 1:
        return 0.0 if trials > 0 else 1.0
    return math.exp(trials * math.log1p(-clean))
