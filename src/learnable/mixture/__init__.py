"""Several distributions at once, learned by expectation and maximisation."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
