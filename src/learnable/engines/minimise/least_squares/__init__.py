"""Least squares without iterating, with an optional squared penalty: which factorisation to use, and each of them."""
