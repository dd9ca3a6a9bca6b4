"""How good predictions are: scores of classes, numbers, rankings, probabilities and clusters, and distances between rows."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
