"""Populations: individuals as rows, operators on whole populations, one random stream for each individual."""
