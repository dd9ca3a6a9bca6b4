"""Boosting: base classes, validation split, constraints and custom losses."""
