"""The theory of generalisation, computed: bounds, shattering, bias and variance, votes and averages."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
