"""Plots: matplotlib displays with the interface of scikit-learn's (`from_estimator`, `from_predictions`)."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
