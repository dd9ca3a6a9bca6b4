"""Lasso and elastic net: parameters, fit, cross-validation."""
