"""Kernels: inner products in spaces of many columns, their sums and products, and what they alone can tell."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
