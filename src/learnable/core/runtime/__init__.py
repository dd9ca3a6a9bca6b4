"""Run time of a fit: kernels, threads, randomness, trace, budgets, checkpoints, progress."""
