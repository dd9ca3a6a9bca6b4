"""Random projections: few columns that nearly keep all distances."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
