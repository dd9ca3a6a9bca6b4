"""Bayesian linear regression by maximisation of the evidence."""
