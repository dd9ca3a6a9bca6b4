"""Linear models: a weighted sum of columns, and every way to choose the weights."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
