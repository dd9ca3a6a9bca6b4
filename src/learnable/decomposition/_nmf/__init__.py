"""Nonnegative matrix factorisation: initial factors, divergences and solvers."""
