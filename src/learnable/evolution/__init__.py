"""Evolutionary computation: genetic algorithms, differential evolution, CMA-ES, swarms, several objectives."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
