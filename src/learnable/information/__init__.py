"""Information theory: surprise, entropy, divergence and mutual information, of tables, samples and densities."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
