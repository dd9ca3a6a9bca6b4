"""Series of numbers as vectors: what they are distributed like, how they remember, move, repeat and surprise."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
