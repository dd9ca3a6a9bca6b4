"""IterativeImputer is in `learnable.impute` without this import."""
