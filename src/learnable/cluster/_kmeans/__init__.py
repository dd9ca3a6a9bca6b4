"""Centroid-based clustering: initialisation, constraints and the base class."""
