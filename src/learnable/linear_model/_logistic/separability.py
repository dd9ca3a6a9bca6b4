"""Classes that some combination of columns tells apart without error, so that no finite coefficients are best."""

from __future__ import annotations

import numpy as np

from ...core import Array, Matrix, Trace
from ...core.errors import ConvergenceWarning, warn
from ...engines import matrix_products
from ...engines.minimise.spd_solve import PositiveSystem
from ...engines.sufficient_statistics import Moments
from ...parts.losses.multinomial import Multinomial

MOST_COLUMNS = 2000
SLACK = 1e-6  # of the margins and of what a row's own sums: a row this little on the wrong side is on the border
CUTS = (1e-12, 1e-8, 1e-4)  # of the largest that a coefficient gives to a row: what is below may be rounding

WORDS = (
    "the columns separate the classes perfectly, at least for some rows: without a penalty the likelihood has no "
    "maximum, and coefficients grow without bound the longer the fit goes on"
)


def is_separable(X: Matrix, code: Array, found: Array, move: Array | None) -> bool:
    """Whether going on from the coefficients `found` along them, or along `move`, raises margins and lowers none.

    A row has a margin over each other class: the score of its own less that of the other. Along such a direction the
    likelihood rises for ever, which proves that it has no maximum; it exists if and only if classes are separable, with
    or without rows on the border. [Albert and Anderson, 1984]
    """
    ways = [simpler for way in (found, move) if way is not None for simpler in _simpler(X, way)]
    return any(_separates(X, code, way) for way in ways)


def state_separation(trace: Trace) -> None:
    """Say so, in a warning and in the certificate."""
    proof = trace.certificate
    if proof is not None:
        trace.certify(proof.kind, proof.value, proof.tolerance, f"{proof.claim}; but {WORDS}")
    warn(f"{WORDS}; give C a finite value, or drop the column that does it", ConvergenceWarning)


def _scores(X: Matrix, found: Array) -> Array:
    """Scores of every class: of two, the first has none."""
    scores = np.stack([matrix_products.precise_scores(X, row[:-1], float(row[-1])) for row in found], axis=1)
    return np.hstack([np.zeros_like(scores), scores]) if len(found) == 1 else scores


def _simpler(X: Matrix, way: Array) -> list[Array]:
    """`way`, and `way` without its smallest entries, which may be rounding: whichever separates is a proof."""
    sizes = abs(way) * np.append(matrix_products.column_sizes(X), 1.0)
    found = [way]
    for cut in CUTS:
        simpler = np.where(sizes > cut * sizes.max(), way, 0.0)
        if (simpler != found[-1]).any():
            found.append(simpler)
    return found


def _separates(X: Matrix, code: Array, way: Array) -> bool:
    """Whether no row is on the wrong side along `way`, beyond what its own numbers leave in doubt.

    One row far off has a margin beside which those of all others vanish, so it must not judge them.
    """
    scores = _scores(X, way)
    gains = scores[np.arange(len(code)), code, None] - scores  # over every class, its own too
    top = float(gains.max())
    doubt = np.minimum(top, _scores(abs(X), abs(way)).max(axis=1))
    return bool(top > 0 and (gains.min(axis=1) >= -SLACK * doubt).all())


def newton_move(X: Matrix, code: Array, found: Array, fit_intercept: bool) -> Array | None:
    """Newton's next step of two classes: where these are separable it goes on along the separating direction."""
    if X.shape[1] > MOST_COLUMNS:
        return None
    chance = Multinomial().predict(_scores(X, found))[:, 1]
    heavy = np.maximum(chance * (1 - chance), 1e-300)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = Moments.of(X, ((code == 1) - chance) / heavy, heavy / heavy.max(), fit_intercept)
        if not np.isfinite(moments.gram).all() or not np.isfinite(moments.cross).all():
            return None
    move = PositiveSystem(moments.gram).solve(moments.cross)
    return np.append(move, float(moments.mean_y - moments.mean_x @ move) if fit_intercept else 0.0)[None]
