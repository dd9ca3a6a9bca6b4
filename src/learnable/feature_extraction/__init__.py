"""Text, images, records and time series as tables of numbers."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, ("image", "text"))
