"""Ridge regression for many strengths at once, with leave-one-out errors."""
