"""Neural networks: multi-layer perceptrons and restricted Boltzmann machines."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
