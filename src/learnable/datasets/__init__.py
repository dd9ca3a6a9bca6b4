"""Small data sets that come with the package, and generators of problems with a known answer."""

from learnable.datasets.bunch import Bunch
from learnable.datasets.diabetes import load_diabetes
from learnable.datasets.friedman import make_friedman1, make_friedman2, make_friedman3
from learnable.datasets.regression import make_low_rank_matrix, make_regression, make_sparse_uncorrelated

__all__ = [
    "Bunch",
    "load_diabetes",
    "make_friedman1",
    "make_friedman2",
    "make_friedman3",
    "make_low_rank_matrix",
    "make_regression",
    "make_sparse_uncorrelated",
]
