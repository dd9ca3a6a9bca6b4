from . import compose as compose
from . import datasets as datasets
from . import dummy as dummy
from . import feature_extraction as feature_extraction
from . import feature_selection as feature_selection
from . import imbalance as imbalance
from . import impute as impute
from . import inference as inference
from . import information as information
from . import linear_model as linear_model
from . import metrics as metrics
from . import model_selection as model_selection
from . import pipeline as pipeline
from . import plot as plot
from . import preprocessing as preprocessing
from . import theory as theory
from ._version import __version__ as __version__
from .compose import *
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
from .dummy import *
from .feature_extraction import *
from .feature_selection import *
from .imbalance import *
from .impute import *
from .inference import *
from .information import *
from .linear_model import *
from .metrics import *
from .model_selection import *
from .pipeline import *
from .plot import *
from .preprocessing import *
from .theory import *

def public_names() -> set[str]: ...
