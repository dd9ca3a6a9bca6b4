from .missing_indicator import MissingIndicator as MissingIndicator
from .simple_imputer import SimpleImputer as SimpleImputer
