from . import datasets as datasets
from . import linear_model as linear_model
from . import plot as plot
from ._version import __version__ as __version__
from .core import BudgetError as BudgetError
from .core import Certificate as Certificate
from .core import ConvergenceWarning as ConvergenceWarning
from .core import DataError as DataError
from .core import LearnableError as LearnableError
from .core import ModelFileError as ModelFileError
from .core import NotFittedError as NotFittedError
from .core import ParameterError as ParameterError
from .core import Trace as Trace
from .core import budget as budget
from .core import checkpoint as checkpoint
from .core import load as load
from .core import progress as progress
from .core import save as save
from .core import target_kind as target_kind
from .core import threads as threads
from .core import watch as watch
from .datasets import *
from .linear_model import *
from .plot import *

def public_names() -> set[str]: ...
