"""Naive Bayes classifiers, and generative classifiers by density estimation."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
