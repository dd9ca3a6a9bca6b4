"""Maximum-entropy models: constraints on expectations, iterative scaling and L-BFGS."""
