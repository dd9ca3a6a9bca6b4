from .linear_regression import LinearRegression as LinearRegression
from .ridge import Ridge as Ridge
