"""Recommenders: ratings of items by users predicted, and items recommended, from those that are known."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
