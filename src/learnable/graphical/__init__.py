"""Probabilistic graphical models: Bayesian networks, Markov random fields, inference and structure learning."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
