"""What every estimator is made of."""

from .ambient import Event, budget, checkpoint, progress, watch
from .available import available_if
from .classifier import Classifier, ProbabilisticClassifier
from .clusterer import Clusterer, WeightedClusterer
from .composite import Composite
from .configuration import config_context, get_config, set_config
from .data import Array, Data, Matrix
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
)
from .estimator import Estimator, clone, cloned
from .files import load, save
from .params import REQUIRED, declaring, estimator, learned, param
from .random import RandomState, generator, seed_of, uniforms
from .regressor import Regressor
from .resampler import Drawn, Resampler
from .row_filter import RowFilter
from .table import Table
from .targets import target_kind
from .threads import threads
from .trace import Certificate, Trace
from .transformer import Incremental, Invertible, Transformer, WithContainers

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
    "Table",
    "Trace",
    "Transformer",
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
