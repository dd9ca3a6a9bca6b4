"""Small data sets that come with the package, and generators of problems with a known answer."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
