"""Semi-supervised learning: classes of few rows, and rows without a class."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
