"""Automatic differentiation: arrays that record how they were computed, and gradients by going back over the record."""
