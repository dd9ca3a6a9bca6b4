"""Copies of estimators, what these are for, and what custom ones inherit from, where people look for them."""

from .core.roles.estimator import clone as clone
from .core.sklearn_api.base_estimator import BaseEstimator as BaseEstimator
from .core.sklearn_api.estimator_type import is_classifier as is_classifier
from .core.sklearn_api.estimator_type import is_clusterer as is_clusterer
from .core.sklearn_api.estimator_type import is_outlier_detector as is_outlier_detector
from .core.sklearn_api.estimator_type import is_regressor as is_regressor
from .core.sklearn_api.mixins import BiclusterMixin as BiclusterMixin
from .core.sklearn_api.mixins import ClassifierMixin as ClassifierMixin
from .core.sklearn_api.mixins import ClassNamePrefixFeaturesOutMixin as ClassNamePrefixFeaturesOutMixin
from .core.sklearn_api.mixins import ClusterMixin as ClusterMixin
from .core.sklearn_api.mixins import DensityMixin as DensityMixin
from .core.sklearn_api.mixins import MetaEstimatorMixin as MetaEstimatorMixin
from .core.sklearn_api.mixins import MultiOutputMixin as MultiOutputMixin
from .core.sklearn_api.mixins import OneToOneFeatureMixin as OneToOneFeatureMixin
from .core.sklearn_api.mixins import OutlierMixin as OutlierMixin
from .core.sklearn_api.mixins import RegressorMixin as RegressorMixin
from .core.sklearn_api.mixins import TransformerMixin as TransformerMixin
