"""Data larger than memory and clusters: scans of files and collections, and where passes over them run."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
