"""Structure learning: scores of families, searches over graphs, tests of independence."""
