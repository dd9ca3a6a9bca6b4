"""The promises, by subject."""

from . import ambient as ambient
from . import bits as bits
from . import capability as capability
from . import clusters as clusters
from . import degenerate as degenerate
from . import files as files
from . import going_on as going_on
from . import inputs as inputs
from . import names as names
from . import parameters as parameters
from . import resampling as resampling
from . import scope as scope
from . import weights as weights
from . import words as words
