"""Logistic models of two or more classes, with squared or absolute penalties."""
