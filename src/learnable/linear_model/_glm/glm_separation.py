"""Separation in generalised linear models with the log link: zero counts that make the optimum infinite."""

from __future__ import annotations

import numpy as np

from ...core import Array, Matrix, Trace
from ...core.errors import ConvergenceWarning, warn
from ...engines import matrix_products
from ...engines.minimise.row_losses import RowLoss, Terms
from ...engines.minimise.spd_solve import PositiveSystem
from ...engines.sufficient_statistics import Moments

MAX_COLUMNS = 2000
FAINTEST = 1e-6  # of the largest: means this small are as good as zero
GONE = 1e-40  # of the largest: means that nothing draws on
FALL = 0.1  # of a log mean in one step, which near a minimum would be next to nothing
SLACK = 1e-3  # of the largest fall: a log mean that moves this little is left where it is

WORDS = (
    "the columns separate rows whose target is zero from all others: without a penalty their means tend to zero, "
    "the likelihood has no maximum, and the coefficients diverge"
)


def means_vanish(X: Matrix, y: Array, rows: RowLoss, coef: Array, intercept: float, fit_intercept: bool) -> bool:
    """Whether a direction lowers the log means of rows with target zero by much, and those of no other row.

    Along such a direction the Poisson likelihood increases without bound. [Santos Silva and Tenreyro, 2010]
    Means that have vanished are ignored: an outlier has such a mean at coefficients that the others determine, and
    moves so much that these seem to stay.
    """
    if X.shape[1] > MAX_COLUMNS or y.all():
        return False
    terms = rows.terms(matrix_products.precise_scores(X, coef, intercept))
    along = _step(X, y, terms, fit_intercept)
    left = (y == 0) & (terms.curvature > GONE * terms.curvature.max())
    most = SLACK * -float(along[left].min(initial=0.0))
    return bool(along.min() < -FALL and along.max() <= most and (np.abs(along[y > 0]) <= most).all())


def _step(X: Matrix, y: Array, terms: Terms, fit_intercept: bool) -> Array:
    """How far Newton's next step would move the score of each row if no mean were smaller than `FAINTEST`."""
    curvature = np.maximum(terms.curvature, FAINTEST * terms.curvature.max())
    downhill = np.where(y > 0, -terms.gradient / curvature, -1.0)
    moments = Moments.of(X, downhill[:, None], curvature, fit_intercept)
    move = PositiveSystem(moments.gram).solve(moments.cross)[:, 0]
    return matrix_products.precise_scores(
        X, move, float(moments.mean_y[0] - moments.mean_x @ move) if fit_intercept else 0.0
    )


def state_glm_separation(trace: Trace) -> None:
    """Report the separation in a warning and in the certificate."""
    proof = trace.certificate
    if proof is not None:
        trace.certify(proof.kind, proof.value, proof.tolerance, f"{proof.claim}; but {WORDS}")
    warn(f"{WORDS}; give alpha a value above 0, or drop the separating column", ConvergenceWarning)
