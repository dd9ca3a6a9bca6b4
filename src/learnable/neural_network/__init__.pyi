from .mlp_classifier import MLPClassifier as MLPClassifier
from .mlp_regressor import MLPRegressor as MLPRegressor
