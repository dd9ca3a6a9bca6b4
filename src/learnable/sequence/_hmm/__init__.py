"""Hidden Markov models: the Baum-Welch algorithm, its initialisation, and what all of these models share."""
