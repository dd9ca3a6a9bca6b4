"""The result of least squares, in the units of the data and for several targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from ...core.errors import DataError
from ...core.validate.features import Array, Matrix

Proof = Literal["backward error", "duality gap", "share of the target", "optimality violation"]
TOLERANCES: dict[Proof, float] = {
    "backward error": 1e-9, "duality gap": 1e-10, "share of the target": 1e-9, "optimality violation": 1e-9
}  # fmt: skip
PENALISED: tuple[Proof, ...] = ("duality gap", "share of the target")  # certified where the objective has a penalty


class LinearFit(NamedTuple):
    """A solved linear model, targets first, with its statistics and certificate.

    `root_inverse` and `intercept_root` times the residual standard deviation are standard errors. `deviation` is the
    root of the residual sum of squares and `total_deviation` that of the centred targets, one per target, as is the
    `penalty` that the objective adds. `proof` names the certified quantity and `error` its value;
    `gram`, that of the rows where these are fewer, is None where it was not needed, and `iterations` (one per target)
    where nothing iterated.
    """

    coef: Array
    intercept: Array
    weight: float
    rank: int
    freedom: float
    condition: float
    method: str
    root_inverse: Array | None
    intercept_root: float
    deviation: Array
    total_deviation: Array
    penalty: Array
    objective: float
    proof: Proof
    error: float
    gram: Array | None = None
    iterations: Array | None = None

    def unscaled(self, scale_x: Array, scale_y: Array) -> LinearFit:
        """The fit of X, y if this is that of X * scale_x, y * scale_y; certificates do not depend on the scale."""
        with np.errstate(over="ignore"):
            coef = self.coef * (scale_x / scale_y[:, None])
            if not np.isfinite(coef).all():
                raise DataError(
                    "the coefficients are beyond the range of floating-point numbers; enlarge the columns of X"
                )
            return self._replace(
                coef=coef,
                intercept=self.intercept / scale_y,
                root_inverse=None if self.root_inverse is None else self.root_inverse * scale_x,
                deviation=self.deviation / scale_y,
                total_deviation=self.total_deviation / scale_y,
                penalty=self.penalty / scale_y / scale_y,
                objective=_times(self.objective, 1 / scale_y.min(), 1 / scale_y.min()),
                gram=None,
            )


def _times(value: float, *factors: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.prod([value, *factors]))


def fit_each_alpha(
    solve: Callable[..., LinearFit], X: Matrix, y: Array, weight: Array | None, centre: bool, alphas: Array
) -> LinearFit:
    """The fit by `solve` with an alpha per target, all targets together where they have the same."""
    if len(set(alphas.tolist())) == 1:
        return solve(X, y, weight, centre, float(alphas[0]))
    pairs = zip(np.hsplit(y, y.shape[1]), alphas.tolist(), strict=True)
    return _stack([solve(X, target, weight, centre, alpha) for target, alpha in pairs])


def _stack(fits: list[LinearFit]) -> LinearFit:
    """The fits of single targets stacked to one, certified as the worst; other attributes are those of the first."""
    worst = max(fits, key=lambda fit: fit.error / TOLERANCES[fit.proof])
    return fits[0]._replace(
        coef=np.vstack([fit.coef for fit in fits]),
        intercept=np.concatenate([fit.intercept for fit in fits]),
        deviation=np.concatenate([fit.deviation for fit in fits]),
        total_deviation=np.concatenate([fit.total_deviation for fit in fits]),
        penalty=np.concatenate([fit.penalty for fit in fits]),
        objective=sum(fit.objective for fit in fits),
        proof=worst.proof,
        error=worst.error,
        iterations=None if fits[0].iterations is None else np.concatenate([fit.iterations for fit in fits]),
    )
