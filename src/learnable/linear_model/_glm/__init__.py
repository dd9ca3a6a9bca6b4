"""Generalised linear models: base class, fit, coefficient table, separation."""
