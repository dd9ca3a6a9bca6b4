from .coefficients import CoefficientDisplay as CoefficientDisplay
from .constraint_region import ConstraintRegionDisplay as ConstraintRegionDisplay
from .correlation import CorrelationDisplay as CorrelationDisplay
from .losses import LossDisplay as LossDisplay
from .pairs import PairDisplay as PairDisplay
from .prediction_error import PredictionErrorDisplay as PredictionErrorDisplay
from .regularization_path import RegularizationPathDisplay as RegularizationPathDisplay
from .trace import TraceDisplay as TraceDisplay
