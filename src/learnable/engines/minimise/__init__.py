"""Loss plus penalty over a linear model: one problem, several solvers."""
