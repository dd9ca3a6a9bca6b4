from .gaussian_imputer import GaussianImputer as GaussianImputer
from .iterative_imputer import IterativeImputer as IterativeImputer
from .knn_imputer import KNNImputer as KNNImputer
from .missing_columns import DropMissing as DropMissing
from .missing_indicator import MissingIndicator as MissingIndicator
from .missing_rows import DropMissingRows as DropMissingRows
from .simple_imputer import SimpleImputer as SimpleImputer
