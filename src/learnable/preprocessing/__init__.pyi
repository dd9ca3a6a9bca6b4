from .max_abs_scaler import MaxAbsScaler as MaxAbsScaler
from .min_max_scaler import MinMaxScaler as MinMaxScaler
from .robust_scaler import RobustScaler as RobustScaler
from .standard_scaler import StandardScaler as StandardScaler
