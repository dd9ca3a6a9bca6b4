"""Kernels: similarities of two rows that are inner products of their images in some space."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
