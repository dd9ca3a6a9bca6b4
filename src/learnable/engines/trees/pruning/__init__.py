"""Paths to make a grown tree smaller."""
