"""Stochastic gradient descent: base classes of linear models and factorisation machines."""
