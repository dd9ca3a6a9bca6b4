"""The promises, by subject."""

from . import bits as bits
from . import capability as capability
from . import clusters as clusters
from . import contexts as contexts
from . import continuation as continuation
from . import degenerate as degenerate
from . import documentation as documentation
from . import files as files
from . import inputs as inputs
from . import names as names
from . import parameters as parameters
from . import resampling as resampling
from . import scope as scope
from . import weights as weights
