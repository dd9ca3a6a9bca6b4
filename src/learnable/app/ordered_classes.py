"""Classes that have an order: numbers, and words of usual scales."""

from __future__ import annotations

from typing import Any

SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("very low", "low", "moderate", "high", "very high"),
    ("very low", "low", "middle", "high", "very high"),
    ("very small", "small", "medium", "large", "very large"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("very bad", "bad", "fair", "good", "very good", "excellent"),
    ("unacc", "acc", "good", "vgood"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("none", "mild", "moderate", "severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("first", "second", "third", "fourth", "fifth"),
    ("bronze", "silver", "gold", "platinum"),
)
MIN_CLASSES = 3


def in_order(classes: list[Any]) -> list[Any] | None:
    """The classes from the lowest to the highest; None if they have no order that is known, or are fewer than three.

    >>> in_order(["high", "Low", "medium"]), in_order([3, 1, 2]), in_order(["red", "green", "blue"])
    (['Low', 'medium', 'high'], [1, 2, 3], None)
    """
    if len(classes) < MIN_CLASSES:
        return None
    if not any(isinstance(one, str) for one in classes):
        return sorted(classes)
    names = {str(one).strip().lower().replace("_", " ").replace("-", " "): one for one in classes}
    if len(names) < len(classes):
        return None
    scale = next((scale for scale in SCALES if set(names) <= set(scale)), None)
    return None if scale is None else [names[name] for name in scale if name in names]
