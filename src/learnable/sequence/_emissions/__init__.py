"""Emission distributions of hidden Markov models: log densities, their M-step, prior and draws."""
