"""Copies of estimators, what these are for, and what custom ones inherit from, where people look for them."""

from .core.base_estimator import BaseEstimator as BaseEstimator
from .core.estimator import clone as clone
from .core.mixins import BiclusterMixin as BiclusterMixin
from .core.mixins import ClassifierMixin as ClassifierMixin
from .core.mixins import ClassNamePrefixFeaturesOutMixin as ClassNamePrefixFeaturesOutMixin
from .core.mixins import ClusterMixin as ClusterMixin
from .core.mixins import DensityMixin as DensityMixin
from .core.mixins import MetaEstimatorMixin as MetaEstimatorMixin
from .core.mixins import MultiOutputMixin as MultiOutputMixin
from .core.mixins import OneToOneFeatureMixin as OneToOneFeatureMixin
from .core.mixins import OutlierMixin as OutlierMixin
from .core.mixins import RegressorMixin as RegressorMixin
from .core.mixins import TransformerMixin as TransformerMixin
from .core.roles import is_classifier as is_classifier
from .core.roles import is_clusterer as is_clusterer
from .core.roles import is_outlier_detector as is_outlier_detector
from .core.roles import is_regressor as is_regressor
