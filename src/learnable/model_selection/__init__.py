"""Honest scores and the choice of models: splits, cross-validation, curves and searches."""

from ..lazy import attach

PICTURES = ("LearningCurveDisplay", "ValidationCurveDisplay")
__getattr__, __dir__, __all__ = attach(__name__, __file__, pictures=PICTURES)
