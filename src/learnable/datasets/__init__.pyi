from .bunch import Bunch as Bunch
from .diabetes import load_diabetes as load_diabetes
from .friedman import make_friedman1 as make_friedman1
from .friedman import make_friedman2 as make_friedman2
from .friedman import make_friedman3 as make_friedman3
from .regression import make_low_rank_matrix as make_low_rank_matrix
from .regression import make_regression as make_regression
from .regression import make_sparse_uncorrelated as make_sparse_uncorrelated
