"""File formats of networks."""
