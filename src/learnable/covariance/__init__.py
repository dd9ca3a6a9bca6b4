"""Covariance estimation: empirical, shrunk, robust and sparse."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
