"""EM for linear Gaussian state-space models."""
