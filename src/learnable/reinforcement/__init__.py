"""Reinforcement learning: Markov decision processes solved and learned, bandits, small worlds."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
