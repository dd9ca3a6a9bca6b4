"""Neural networks: layers compiled to a plan, and its training by minibatches or on all rows."""
