"""What every estimator is made of."""

from .ambient import Event, budget, checkpoint, progress, watch
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
)
from .estimator import Estimator, Regressor, Transformer
from .files import load, save
from .params import estimator, learned, param
from .random import RandomState, generator, seed_of, uniforms
from .targets import target_kind
from .threads import threads
from .trace import Certificate, Trace

__all__ = [
    "Array",
    "BudgetError",
    "Certificate",
    "ConvergenceWarning",
    "Data",
    "DataConversionWarning",
    "DataError",
    "Estimator",
    "Event",
    "LearnableError",
    "Matrix",
    "ModelFileError",
    "NotFittedError",
    "ParameterError",
    "RandomState",
    "Regressor",
    "Trace",
    "Transformer",
    "budget",
    "checkpoint",
    "estimator",
    "generator",
    "learned",
    "load",
    "param",
    "progress",
    "save",
    "seed_of",
    "target_kind",
    "threads",
    "uniforms",
    "watch",
]
