"""What every estimator is made of."""

from .declare.params import REQUIRED, declaring, estimator, learned, param
from .errors import (
    BudgetError,
    ConvergenceWarning,
    DataConversionWarning,
    DataError,
    LearnableError,
    ModelFileError,
    NotFittedError,
    ParameterError,
    ParameterTypeError,
    ScaleError,
)
from .files.model_file import load, save
from .roles.classifier import Classifier, ProbabilisticClassifier
from .roles.composite import Composite
from .roles.estimator import Estimator, clone, cloned, fitted_estimator
from .roles.regressor import Regressor
from .roles.resampler import Drawn, Resampler
from .roles.row_filter import RowFilter
from .roles.traits import Traits
from .roles.transformer import Incremental, Invertible, Transformer, UnweightedTransformer, WithContainers
from .roles.unsupervised import Clusterer, WeightedClusterer
from .runtime.context import Event, budget, checkpoint, progress, watch
from .runtime.random import RandomState, generator, seed_of, uniforms
from .runtime.threads import threads
from .runtime.trace import Certificate, Trace
from .sklearn_api.conditional_methods import available_if
from .sklearn_api.configuration import config_context, get_config, set_config
from .validate.features import Array, Data, Matrix
from .validate.mixed_table import Table
from .validate.target_type import target_kind

__all__ = [
    "REQUIRED",
    "Array",
    "BudgetError",
    "Certificate",
    "Classifier",
    "Clusterer",
    "Composite",
    "ConvergenceWarning",
    "Data",
    "DataConversionWarning",
    "DataError",
    "Drawn",
    "Estimator",
    "Event",
    "Incremental",
    "Invertible",
    "LearnableError",
    "Matrix",
    "ModelFileError",
    "NotFittedError",
    "ParameterError",
    "ParameterTypeError",
    "ProbabilisticClassifier",
    "RandomState",
    "Regressor",
    "Resampler",
    "RowFilter",
    "ScaleError",
    "Table",
    "Trace",
    "Traits",
    "Transformer",
    "UnweightedTransformer",
    "WeightedClusterer",
    "WithContainers",
    "available_if",
    "budget",
    "checkpoint",
    "clone",
    "cloned",
    "config_context",
    "declaring",
    "estimator",
    "fitted_estimator",
    "generator",
    "get_config",
    "learned",
    "load",
    "param",
    "progress",
    "save",
    "seed_of",
    "set_config",
    "target_kind",
    "threads",
    "uniforms",
    "watch",
]
