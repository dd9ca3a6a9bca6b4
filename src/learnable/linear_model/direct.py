"""What a fit in closed form leaves in a model: coefficients, statistics, a trace of one row, a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Data, Trace
from ..engines import design
from ..engines.minimise.closed import LinearFit, Proof

SENTENCES: dict[Proof, str] = {
    "backward error": "the coefficients are the exact answer for data changed by at most this relative amount.",
    "duality gap": "no other coefficients can lower the objective by more than this share of it.",
    "optimality violation": "no gradient points to a better answer by more than this, relative to its largest term.",
}
TOLERANCES: dict[Proof, float] = {"backward error": 1e-9, "duality gap": 1e-10, "optimality violation": 1e-9}


def keep_solver(model: Any, fit: LinearFit, data: Data) -> None:
    """Set how the answer was found, in how many iterations, and what scikit-learn calls the solver."""
    usual = "lbfgs" if model.positive else "sparse_cg" if design.is_sparse(data.X) else "cholesky"
    model.solver_ = usual if model.solver == "auto" else model.solver
    model.n_iter_ = 1 if fit.iterations is None else fit.iterations
    model.method_ = fit.method


def keep(model: Any, fit: LinearFit, data: Data, trace: Trace) -> None:
    """Set the coefficients of `model` in the shape of the target, what its summary needs, and how good they are."""
    dtype = data.X.dtype
    several = data.y.ndim == 2
    coef, intercept = fit.coef.astype(dtype, copy=False), fit.intercept.astype(dtype, copy=False)
    model.coef_ = coef if several else coef[0]
    model.intercept_ = (intercept if several else float(intercept[0])) if model.fit_intercept else 0.0
    model.statistics_ = {
        "weight": fit.weight,
        "rank": fit.rank,
        "freedom": fit.freedom,
        "condition": fit.condition,
        "deviation": fit.deviation,
        "total_deviation": fit.total_deviation,
        "root_inverse": fit.root_inverse,
        "intercept_root": fit.intercept_root,
        "intercept": model.fit_intercept,
        "positive": fit.proof == "optimality violation",
        "penalised": fit.proof == "duality gap",
        "log_precision": 0.0,
    }
    trace.record(fit.objective)
    trace.stopped = "exact"
    rounding = float(np.finfo(dtype).eps)  # of the coefficients as they are stored; a gap grows with its square
    added = rounding**2 if fit.proof == "duality gap" else rounding
    trace.certify(fit.proof, fit.error + added, max(TOLERANCES[fit.proof], 64 * added), SENTENCES[fit.proof])
