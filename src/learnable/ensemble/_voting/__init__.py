"""Voting, stacking and model averaging: base classes."""
