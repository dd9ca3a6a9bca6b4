"""Statistical inference: confidence intervals, hypothesis tests and comparisons of models."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
