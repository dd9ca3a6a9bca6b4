from .frozen_estimator import FrozenEstimator as FrozenEstimator
