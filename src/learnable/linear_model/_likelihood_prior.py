"""Maximum a posteriori estimators from assumptions about the noise and the prior of the coefficients."""

from __future__ import annotations

from typing import Literal

from ..core import ParameterError, Regressor
from ..core.declare.checked_functions import checked, limits

Noise = Literal["gaussian", "laplace", "student"]
Prior = Literal["uniform", "gaussian", "laplace"]


@checked(rows=limits(above=0), noise_scale=limits(above=0), prior_scale=limits(above=0), degrees=limits(above=0))
def likelihood_prior(
    noise: Noise = "gaussian",
    prior: Prior = "uniform",
    *,
    rows: int | None = None,
    noise_scale: float | None = 1.0,
    prior_scale: float = 1.0,
    degrees: float = 4.0,
) -> Regressor:
    """The estimator whose fit maximises the posterior: log-likelihood of the noise plus log-density of the prior.

    ============  ===================  ====================  ====================
    noise         uniform prior        Gaussian prior        Laplace prior
    ============  ===================  ====================  ====================
    Gaussian      least squares        ridge                 lasso
    Laplace       least absolute       the same, with ridge  the same, with lasso
    Student's t   robust t regression  the same, with ridge  the same, with lasso
    ============  ===================  ====================  ====================

    `noise_scale` is the standard deviation of Gaussian noise, the mean size of Laplace noise, or the scale of Student's
    (None to estimate it, Student only); `prior_scale` that of the coefficients likewise. `rows` is how many rows the
    model will be fitted on, which is required where estimators measure their penalty against the mean over rows:
    with every prior but the uniform one, and for all but Gaussian noise with a Gaussian prior. The intercept has a
    uniform prior.

    >>> likelihood_prior("gaussian", "gaussian", noise_scale=2.0, prior_scale=1.0)
    Ridge(alpha=4.0)
    >>> likelihood_prior("laplace", "laplace", rows=100, prior_scale=0.5)
    QuantileRegressor(alpha=0.01)
    """
    _check(noise, prior, rows, noise_scale)
    count = rows or 1  # where none are needed
    build = {"gaussian": _gaussian, "laplace": _laplace}.get(noise)
    if build is None:
        return _student(prior, count, noise_scale, prior_scale, degrees)
    return build(prior, count, float(noise_scale or 1.0), prior_scale)


def _gaussian(prior: Prior, rows: int, noise_scale: float, prior_scale: float) -> Regressor:
    """|r|^2 / (2 s^2) + |w|^2 / (2 t^2)  or  + |w|_1 / t."""
    if prior == "uniform":
        from .linear_regression import LinearRegression

        return LinearRegression()
    if prior == "gaussian":
        from .ridge import Ridge

        return Ridge(alpha=(noise_scale / prior_scale) ** 2)
    from .lasso import Lasso

    return Lasso(alpha=noise_scale**2 / (rows * prior_scale))


def _laplace(prior: Prior, rows: int, noise_scale: float, prior_scale: float) -> Regressor:
    """|r|_1 / s + |w|^2 / (2 t^2)  or  + |w|_1 / t; half the mean of |r| is what the median regression minimises."""
    from .quantile_regressor import QuantileRegressor

    against = noise_scale / (2 * rows)
    if prior == "gaussian":
        return QuantileRegressor(alpha=0.0, ridge=against / prior_scale**2)
    return QuantileRegressor(alpha=0.0 if prior == "uniform" else against / prior_scale)


def _student(prior: Prior, rows: int, noise_scale: float | None, prior_scale: float, degrees: float) -> Regressor:
    """-sum log t(r / s) + |w|^2 / (2 t^2)  or  + |w|_1 / t."""
    from .student_t_regressor import StudentTRegressor

    alpha = {"uniform": 0.0, "gaussian": 1 / (rows * prior_scale**2), "laplace": 1 / (rows * prior_scale)}[prior]
    l1_ratio = 1.0 if prior == "laplace" else 0.0
    return StudentTRegressor(degrees=degrees, scale=noise_scale, alpha=alpha, l1_ratio=l1_ratio)


def _check(noise: str, prior: str, rows: int | None, noise_scale: float | None) -> None:
    if noise_scale is None and noise != "student":
        raise ParameterError("likelihood_prior: noise_scale can be None (estimated) for noise='student' only")
    if rows is None and prior != "uniform" and (noise, prior) != ("gaussian", "gaussian"):
        raise ParameterError(
            f"likelihood_prior: noise={noise!r} with prior={prior!r} needs rows=..., the number of rows that the model "
            "will be fitted on: its penalty is measured against the mean over them"
        )
