"""Information criteria: AIC, AICc, BIC and HQC."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core.errors import DataError, ParameterError

Criterion = Literal["aic", "aicc", "bic", "hqc"]
Convention = Literal["deviance", "cost", "score"]


def penalty_per_parameter(criterion: str, n: float) -> float:
    """The penalty per parameter on the scale of -2 log likelihood: 2 (aic), log n (bic), 2 log log n (hqc)."""
    if criterion == "aic":
        return 2.0
    if criterion == "bic":
        return float(np.log(n))
    if criterion == "hqc":
        if n <= np.e:
            raise DataError(f'criterion="hqc" needs at least 3 samples, as log log n must be positive; got {n:g}')
        return float(2 * np.log(np.log(n)))
    raise ParameterError(f'criterion must be "aic", "aicc", "bic" or "hqc"; got {criterion!r}')


def penalised(
    log_likelihood: float,
    parameters: float,
    n: float,
    criterion: Criterion = "bic",
    convention: Convention = "deviance",
) -> float:
    """A criterion from the log likelihood of a model with `parameters` free parameters on `n` samples.

    "deviance" is -2 log L + penalty and smaller is better; "cost" is half of it; "score" is log L minus half the
    penalty, and larger is better. "aicc" is "aic" corrected for few samples, infinite if there are too few.

    >>> penalised(-10.0, 3, 100, "aic"), penalised(-10.0, 3, 100, "aic", "score")
    (26.0, -13.0)
    """
    if criterion == "aicc":
        room = n - parameters - 1
        penalty = 2 * parameters * n / room if room > 0 else np.inf
    else:
        penalty = penalty_per_parameter(criterion, n) * parameters
    deviance = float(-2 * log_likelihood + penalty)
    if convention not in ("deviance", "cost", "score"):
        raise ParameterError(f'convention must be "deviance", "cost" or "score"; got {convention!r}')
    return {"deviance": deviance, "cost": deviance / 2, "score": -deviance / 2}[convention]
