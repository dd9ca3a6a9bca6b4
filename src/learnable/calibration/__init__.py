"""Probabilities that mean what they say: sigmoid and isotonic calibration, and how to see it."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, pictures=("CalibrationDisplay",))
