from .features import time_series_features as time_series_features
from .transformer import TimeSeriesFeatures as TimeSeriesFeatures
