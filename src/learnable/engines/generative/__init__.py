"""Generative models of classes: sufficient statistics, missing values, and Bayes' rule."""
