"""Quantile regression: interior point, reweighting, vertices and linear programmes."""
