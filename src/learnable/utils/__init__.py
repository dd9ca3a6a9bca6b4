"""Paths under which scikit-learn keeps some of its tools."""
