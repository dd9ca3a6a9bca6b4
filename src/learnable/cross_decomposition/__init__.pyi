from .cca import CCA as CCA
from .pls_canonical import PLSCanonical as PLSCanonical
from .pls_regression import PLSRegression as PLSRegression
from .pls_svd import PLSSVD as PLSSVD
