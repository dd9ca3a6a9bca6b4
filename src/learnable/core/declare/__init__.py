"""Declarations: parameters, learned attributes, checked functions and the registry of classes."""
