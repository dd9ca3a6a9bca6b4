"""Two tables of the same rows: directions in which they covary or correlate most, and regression on them."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
