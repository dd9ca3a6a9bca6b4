"""The graphical lasso as a function of a covariance."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Trace
from ..core.declare.checked_functions import Rows, checked, limits, numbers
from ..core.errors import ConvergenceWarning, DataError, warn
from ._graphical_lasso import GraphicalLassoSettings, solve_graphical_lasso


@checked(alpha=limits(at_least=0), tol=limits(at_least=0), enet_tol=limits(above=0), max_iter=limits(at_least=1))
def graphical_lasso(
    emp_cov: Rows,
    alpha: float,
    *,
    mode: Literal["cd", "lars"] = "cd",
    tol: float = 1e-4,
    enet_tol: float = 1e-4,
    max_iter: int = 100,
    verbose: bool | int = False,
    return_costs: bool = False,
    eps: float = np.finfo(np.float64).eps,
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """The graphical lasso: covariance and sparse precision matrix of an empirical covariance.

    minimise over P    tr(S P) - log det P + alpha sum over i != j of |P_ij|

    `return_costs` adds the list of objectives and duality gaps, `return_n_iter` the number of sweeps; `mode`, `verbose`
    and `eps` are accepted for compatibility. [Friedman, Hastie and Tibshirani, 2008]

    >>> covariance, precision = graphical_lasso([[1.0, 0.5], [0.5, 1.0]], 0.5)
    >>> precision
    array([[1., 0.],
           [0., 1.]])
    """
    S = numbers("graphical_lasso", "emp_cov", emp_cov, None, None)
    if S.shape[0] != S.shape[1]:
        raise DataError(f"graphical_lasso: emp_cov must be square; got the shape {S.shape}")
    trace = Trace()
    settings = GraphicalLassoSettings(tol, enet_tol, max_iter, "graphical_lasso")
    found = solve_graphical_lasso((S + S.T) / 2, alpha, settings, trace)
    if trace.certificate is not None and not trace.certificate.holds:
        warn(f"graphical_lasso: stopped after {trace.work}, {trace.certificate}", ConvergenceWarning)
    costs = (found.costs,) if return_costs else ()
    return (found.covariance, found.precision, *costs, *((len(found.costs),) if return_n_iter else ()))
