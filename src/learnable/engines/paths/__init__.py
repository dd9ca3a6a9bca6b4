"""Coefficient paths: least angle regression and orthogonal matching pursuit."""
