"""Baselines that look at the targets alone: what every model has to beat."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
