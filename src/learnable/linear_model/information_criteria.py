"""Information criteria of a regression with Gaussian noise."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..core.declare.checked_functions import checked, has_rows, limits
from ..core.errors import DataError, ParameterError
from ..core.validate.features import Array, FeatureValidator
from ..core.validate.rows import row_count
from ..parts.information_criteria import Convention, Criterion, penalised


@checked(noise_variance=limits(above=0))
def information_criterion(
    y: Any,
    prediction: Any,
    degrees_of_freedom: Any,
    *,
    criterion: Criterion = "aic",
    convention: Convention = "deviance",
    noise_variance: float | None = None,
    constants: bool = True,
    sample_weight: Any = None,
) -> float:
    """Information criterion of predictions: Gaussian log likelihood penalised by the degrees of freedom.

    The deviance -2 log L is n log(2 pi s^2) + RSS / s^2 with the noise variance s^2 given, or its best value RSS / n;
    without `constants` it is RSS / s^2, or n log(RSS / n). To it is added 2 df ("aic"), 2 df n / (n - df - 1) ("aicc"),
    df log n ("bic") or 2 df log log n ("hqc"). df may include one for an
    estimated noise variance. n is the number of samples, or the total weight.

    `convention`: "deviance" as above, smaller is better; "cost" is half of it (-log L + df/2 log n), smaller is better;
    "score" is minus that (log L - df/2 log n), larger is better. All three rank models alike.
    [Akaike, 1974; Schwarz, 1978; Hurvich and Tsai, 1989]

    >>> round(information_criterion([1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 4.0, 4.0], 2, constants=False), 4)
    1.2274
    """
    validator = FeatureValidator("information_criterion")
    _check(y, degrees_of_freedom)
    rows = row_count(y, "y")
    if row_count(prediction, "prediction") != rows:
        raise DataError(f"y has {rows} rows but prediction has {row_count(prediction)}")
    truth, guess = (validator.target(values, rows, np.float64, False) for values in (y, prediction))
    weight = validator.weights(sample_weight, len(truth))
    weight = np.ones(len(truth)) if weight is None else weight
    deviance = gaussian_deviance(truth - guess, weight, noise_variance, constants)
    return penalised(-deviance / 2, degrees_of_freedom, float(weight.sum()), criterion, convention)


def _check(y: Any, degrees_of_freedom: Any) -> None:
    if hasattr(y, "predict") or not has_rows(y):
        raise DataError(
            "information_criterion: y must be the true targets, followed by predictions for them: call "
            f"information_criterion(y, model.predict(X), degrees_of_freedom); got {y!r:.60}"
        )
    if not isinstance(degrees_of_freedom, Real) or not float(degrees_of_freedom) >= 0:
        raise ParameterError(
            "information_criterion: degrees_of_freedom must be a number of at least 0, for example that of "
            f"effective_degrees_of_freedom(model, X, y); got {degrees_of_freedom!r:.60}"
        )


def gaussian_deviance(residual: Array, weight: Array, variance: float | None, constants: bool = True) -> float:
    """-2 log likelihood of residuals; with the most likely variance if none is given.

    Squares are taken in the unit of the noise, or of the largest residual, so that they neither vanish nor overflow.
    """
    residual, weight = residual[weight > 0], weight[weight > 0]
    n, unit = float(weight.sum()), float(np.abs(residual).max() if variance is None else np.sqrt(variance))
    if unit == 0:
        raise DataError(
            "information_criterion: predictions are perfect, so the noise variance has no maximum-likelihood estimate"
        )
    with np.errstate(over="ignore"):  # noise far below the residuals is infinitely unlikely
        squares = float(weight @ (residual / unit) ** 2)
    if variance is None:
        return float(n * (np.log(squares / n) + 2 * np.log(unit) + (1 + np.log(2 * np.pi) if constants else 0.0)))
    return float(squares + (n * (np.log(2 * np.pi) + 2 * np.log(unit)) if constants else 0.0))
