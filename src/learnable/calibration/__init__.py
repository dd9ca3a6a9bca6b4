"""Probability calibration: sigmoid and isotonic calibration, and calibration curves."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, pictures=("CalibrationDisplay",))
