"""Forests of randomised trees: base classes of classifiers and regressors."""
