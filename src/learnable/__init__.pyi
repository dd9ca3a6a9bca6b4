from . import active as active
from . import base as base
from . import calibration as calibration
from . import cluster as cluster
from . import compose as compose
from . import conjugate as conjugate
from . import covariance as covariance
from . import cross_decomposition as cross_decomposition
from . import datasets as datasets
from . import decomposition as decomposition
from . import density as density
from . import deployment as deployment
from . import discriminant_analysis as discriminant_analysis
from . import dummy as dummy
from . import ensemble as ensemble
from . import evolution as evolution
from . import exceptions as exceptions
from . import experimental as experimental
from . import feature_extraction as feature_extraction
from . import feature_selection as feature_selection
from . import frozen as frozen
from . import gaussian_process as gaussian_process
from . import graphical as graphical
from . import imbalance as imbalance
from . import impute as impute
from . import inference as inference
from . import information as information
from . import inspection as inspection
from . import isotonic as isotonic
from . import kernel_approximation as kernel_approximation
from . import kernel_machine as kernel_machine
from . import kernel_ridge as kernel_ridge
from . import kernels as kernels
from . import linear_model as linear_model
from . import manifold as manifold
from . import metrics as metrics
from . import mixture as mixture
from . import model_selection as model_selection
from . import multiclass as multiclass
from . import multioutput as multioutput
from . import naive_bayes as naive_bayes
from . import neighbors as neighbors
from . import neural_network as neural_network
from . import pipeline as pipeline
from . import plot as plot
from . import preprocessing as preprocessing
from . import random_projection as random_projection
from . import recommend as recommend
from . import reinforcement as reinforcement
from . import sampling as sampling
from . import scale as scale
from . import semi_supervised as semi_supervised
from . import sequence as sequence
from . import svm as svm
from . import tape as tape
from . import theory as theory
from . import tree as tree
from . import utils as utils
from ._version import __version__ as __version__
from .active import *
from .app.study import study as study
from .calibration import *
from .cluster import *
from .compose import *
from .conjugate import *
from .core import BudgetError as BudgetError
from .core import Certificate as Certificate
from .core import ConvergenceWarning as ConvergenceWarning
from .core import DataError as DataError
from .core import LearnableError as LearnableError
from .core import ModelFileError as ModelFileError
from .core import NotFittedError as NotFittedError
from .core import ParameterError as ParameterError
from .core import ScaleError as ScaleError
from .core import Trace as Trace
from .core import budget as budget
from .core import checkpoint as checkpoint
from .core import clone as clone
from .core import config_context as config_context
from .core import get_config as get_config
from .core import load as load
from .core import progress as progress
from .core import save as save
from .core import set_config as set_config
from .core import target_kind as target_kind
from .core import threads as threads
from .core import watch as watch
from .covariance import *
from .cross_decomposition import *
from .datasets import *
from .decomposition import *
from .density import *
from .deployment import *
from .discriminant_analysis import *
from .dummy import *
from .ensemble import *
from .evolution import *
from .feature_extraction import *
from .feature_selection import *
from .frozen import *
from .gaussian_process import *
from .graphical import *
from .imbalance import *
from .impute import *
from .inference import *
from .information import *
from .inspection import *
from .isotonic import *
from .kernel_approximation import *
from .kernel_machine import *
from .kernel_ridge import *
from .kernels import *
from .linear_model import *
from .manifold import *
from .metrics import *
from .mixture import *
from .model_selection import *
from .multiclass import *
from .multioutput import *
from .naive_bayes import *
from .neighbors import *
from .neural_network import *
from .pipeline import *
from .plot import *
from .preprocessing import *  # type: ignore[no-redef]  # which has a function scale
from .random_projection import *
from .recommend import *
from .reinforcement import *
from .sampling import *
from .scale import *
from .semi_supervised import *
from .sequence import *
from .svm import *
from .tape import *
from .theory import *
from .tree import *

def public_names() -> set[str]: ...
