from .deployed_model import DeployedModel as DeployedModel
from .expected_column import ExpectedColumn as ExpectedColumn
from .forecast_model import ForecastModel as ForecastModel
from .lag_features import LagFeatures as LagFeatures
from .time_grid import TimeGrid as TimeGrid
