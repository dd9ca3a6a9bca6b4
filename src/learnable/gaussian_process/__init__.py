"""Gaussian processes: priors over functions, whose posterior predicts with a standard deviation."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, ("kernels",))
