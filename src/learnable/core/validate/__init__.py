"""Input validation: features, targets, weights, tables and their columns."""
