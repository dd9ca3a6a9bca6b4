"""Errors and warnings, under the path where people look for them."""

from .core.errors import BudgetError as BudgetError
from .core.errors import ConvergenceWarning as ConvergenceWarning
from .core.errors import DataConversionWarning as DataConversionWarning
from .core.errors import DataDimensionalityWarning as DataDimensionalityWarning
from .core.errors import DataError as DataError
from .core.errors import EfficiencyWarning as EfficiencyWarning
from .core.errors import FitFailedWarning as FitFailedWarning
from .core.errors import LearnableError as LearnableError
from .core.errors import ModelFileError as ModelFileError
from .core.errors import NotFittedError as NotFittedError
from .core.errors import ParameterError as ParameterError
from .core.errors import PositiveSpectrumWarning as PositiveSpectrumWarning
from .core.errors import UndefinedMetricWarning as UndefinedMetricWarning
from .core.errors import UnsetMetadataPassedError as UnsetMetadataPassedError
