"""Separation of classes, for which logistic regression without a penalty has no finite optimum."""

from __future__ import annotations

import numpy as np

from ...core import Array, Matrix, Trace, scaling
from ...core.errors import ConvergenceWarning, warn
from ...engines import matrix_products
from ...engines.minimise.spd_solve import PositiveSystem
from ...engines.sufficient_statistics import Moments
from ...parts.losses.multinomial import Multinomial

MAX_COLUMNS = 2000
SLACK = 1e-6  # relative tolerance of margins: rows within it are on the border
CUTS = (1e-12, 1e-8, 1e-4)  # of the largest contribution of a coefficient: smaller ones may be rounding

WORDS = (
    "the columns separate the classes perfectly, at least for some rows: without a penalty the likelihood has no "
    "maximum, and the coefficients diverge"
)


def is_separable(X: Matrix, code: Array, found: Array, move: Array | None) -> bool:
    """Whether the direction of the coefficients `found`, or of `move`, raises margins and lowers none.

    A row has a margin over each other class: the score of its own less that of the other. Along such a direction the
    likelihood increases without bound, so that it has no maximum; it exists if and only if classes are separable, with
    or without rows on the border. [Albert and Anderson, 1984]
    """
    directions = [
        sparser
        for direction in (found, move)
        if direction is not None
        for sparser in _without_small_entries(X, direction)
    ]
    return any(_separates(X, code, direction) for direction in directions)


def state_separation(trace: Trace) -> None:
    """Report the separation in a warning and in the certificate."""
    proof = trace.certificate
    if proof is not None:
        trace.certify(proof.kind, proof.value, proof.tolerance, f"{proof.claim}; but {WORDS}")
    warn(f"{WORDS}; give C a finite value, or drop the separating column", ConvergenceWarning)


def _scores(X: Matrix, found: Array) -> Array:
    """Scores of every class: of two, the first has none."""
    scores = np.stack([matrix_products.precise_scores(X, row[:-1], float(row[-1])) for row in found], axis=1)
    return np.hstack([np.zeros_like(scores), scores]) if len(found) == 1 else scores


def _without_small_entries(X: Matrix, direction: Array) -> list[Array]:
    """`direction`, also without its smallest entries, which may be rounding: either is a proof if it separates."""
    sizes = abs(direction) * np.append(scaling.column_sizes(X), 1.0)
    found = [direction]
    for cut in CUTS:
        sparser = np.where(sizes > cut * sizes.max(), direction, 0.0)
        if (sparser != found[-1]).any():
            found.append(sparser)
    return found


def _separates(X: Matrix, code: Array, direction: Array) -> bool:
    """Whether no row is on the wrong side along `direction`, beyond the rounding of its own score.

    An outlier has a margin beside which those of all others vanish, so each is compared with the scale of its own row.
    """
    scores = _scores(X, direction)
    gains = scores[np.arange(len(code)), code, None] - scores  # over every class, its own too
    top = float(gains.max())
    scale = np.minimum(top, _scores(abs(X), abs(direction)).max(axis=1))
    return bool(top > 0 and (gains.min(axis=1) >= -SLACK * scale).all())


def newton_move(X: Matrix, code: Array, found: Array, fit_intercept: bool) -> Array | None:
    """Newton's next step of two classes: where these are separable it follows the separating direction."""
    if X.shape[1] > MAX_COLUMNS:
        return None
    probability = Multinomial().predict(_scores(X, found))[:, 1]
    weights = np.maximum(probability * (1 - probability), 1e-300)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = Moments.of(X, ((code == 1) - probability) / weights, weights / weights.max(), fit_intercept)
        if not np.isfinite(moments.gram).all() or not np.isfinite(moments.cross).all():
            return None
    move = PositiveSystem(moments.gram).solve(moments.cross)
    return np.append(move, float(moments.mean_y - moments.mean_x @ move) if fit_intercept else 0.0)[None]
