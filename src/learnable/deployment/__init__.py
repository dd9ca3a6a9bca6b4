"""Deployed models: expected columns, prediction intervals and sets, and detection of values outside training."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
