"""Mixture models, fitted by the EM algorithm (expectation-maximisation)."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
