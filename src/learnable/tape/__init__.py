"""Automatic differentiation: tensors that record their computation, gradients, and checks of gradients."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
