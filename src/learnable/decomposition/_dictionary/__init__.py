"""Sparse codes and the update of dictionaries."""
