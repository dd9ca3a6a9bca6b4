"""Robust regression: subset models of RANSAC and Theil-Sen."""
