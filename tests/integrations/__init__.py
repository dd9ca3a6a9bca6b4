"""Packages of others around our estimators and inside them; each test runs where its package is installed."""
