"""Fitted models that others take as they are."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
