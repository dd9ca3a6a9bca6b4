"""Several targets from models of one: independent fits and chains."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
