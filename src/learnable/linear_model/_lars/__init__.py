"""Least angle regression: base classes."""
