"""Logistic regression: objective, fit, cross-validation, coefficient tables."""
