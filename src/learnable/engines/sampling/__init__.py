"""Sampling of rows that depends neither on their order nor on copies."""
