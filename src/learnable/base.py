"""Copies of estimators, and what these are for, under the path where people look for them."""

from .core.estimator import clone as clone
from .core.roles import is_classifier as is_classifier
from .core.roles import is_clusterer as is_clusterer
from .core.roles import is_outlier_detector as is_outlier_detector
from .core.roles import is_regressor as is_regressor
