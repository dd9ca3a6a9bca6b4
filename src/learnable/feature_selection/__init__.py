"""Columns chosen: by filters, by wrappers around a learner, by the learner itself."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
