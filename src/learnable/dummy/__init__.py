"""Baseline estimators that ignore the features: what every model has to beat."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
