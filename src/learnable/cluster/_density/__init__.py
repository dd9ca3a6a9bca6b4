"""Density-based clustering: core samples, condensed trees, reachability."""
