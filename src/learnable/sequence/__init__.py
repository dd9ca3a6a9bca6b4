"""Models of sequences: hidden Markov models, conditional random fields and other taggers."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
