"""Where passes run: one module for each engine."""
