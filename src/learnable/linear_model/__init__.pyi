from .linear_regression import LinearRegression as LinearRegression
from .ridge import Ridge as Ridge
from .ridge_cv import RidgeCV as RidgeCV
from .ridge_cv import ridge_path as ridge_path
