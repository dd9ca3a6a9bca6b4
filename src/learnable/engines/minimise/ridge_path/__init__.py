"""Ridge regression for many values of alpha at once, with leave-one-out errors."""
