"""Numbers that every layer means alike."""

from __future__ import annotations

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)  # the relative rounding unit of double precision
TINY, HUGE = 1e-300, 1e300  # what is divided by, or kept, stays between these: no zero, no infinity
