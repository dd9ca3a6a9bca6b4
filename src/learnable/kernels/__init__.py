"""Kernels: inner products in spaces of many columns, their sums and products, and what follows from them alone."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
