"""Kernels of Gaussian processes: covariance functions with hyperparameters, which add, multiply and have gradients."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
