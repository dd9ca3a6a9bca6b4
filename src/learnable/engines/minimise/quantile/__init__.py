"""Quantile regression: interior point, IRLS, vertex solutions and linear programming."""
