"""Density estimation by histograms and Gaussians, and density-based anomaly detection."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
