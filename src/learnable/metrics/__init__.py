"""How good predictions are: scores of classes, numbers, rankings, probabilities and clusters; distances of rows."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
