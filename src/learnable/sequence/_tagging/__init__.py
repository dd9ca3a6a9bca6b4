"""Taggers with features of tokens: input, features, objective, online training and decoding."""
