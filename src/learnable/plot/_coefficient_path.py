"""Regularisation path: coefficients of an estimator over values of alpha, by the cheapest method available."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, NotFittedError, ParameterError
from ..core.validate.features import FeatureValidator
from ..engines.sparse_coefficients import dense
from ._style import fitted_names

N_ALPHAS = 100


class CoefficientPath(NamedTuple):
    """Values of alpha, coefficients (a row per feature, a column per alpha), names, and the alpha of the model."""

    alphas: Array
    coefs: Array
    names: list[str]
    chosen: float | None
    strength: str = "alpha"


def coefficient_path(model: Any, X: Any, y: Any, alphas: Any) -> CoefficientPath:
    """The path of a model on the data: the one it stores, that of its path function, or one fit for each alpha."""
    kind = type(model).__name__
    matrix, names = FeatureValidator(kind).matrix(X)
    names = names if names is not None else [f"x{j}" for j in range(matrix.shape[1])]
    if kind in ("LogisticRegression", "LogisticRegressionCV"):
        return _logistic(model, matrix, y, names, alphas)
    target = FeatureValidator(kind).target(y, matrix.shape[0], np.float64, False)
    if kind in ("Ridge", "RidgeCV"):
        return CoefficientPath(*_ridge(model, matrix, target, alphas), names, _chosen_alpha(model))
    if kind in ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"):
        return CoefficientPath(*_elastic_net(model, matrix, target, alphas), names, _chosen_alpha(model))
    if kind in ("Lars", "LarsCV", "LassoLars", "LassoLarsCV", "LassoLarsIC"):
        return _knots(model, X, y)
    if "alpha" in model.get_params(deep=False):
        return _one_by_one(model, X, y, alphas)
    raise ParameterError(
        f"RegularizationPathDisplay: {kind} has neither a path nor a parameter alpha; draw what you have with from_path"
    )


def _chosen_alpha(model: Any) -> float | None:
    """The alpha that a fitted model chose, or that of its parameter."""
    chosen = getattr(model, "alpha_", getattr(model, "alpha", None))
    return float(chosen) if chosen is not None and np.ndim(chosen) == 0 else None


def _ridge(model: Any, X: Array, y: Array, alphas: Any) -> tuple[Array, Array]:
    from ..linear_model import ridge_path

    path_alphas, coefs, _ = ridge_path(X, y, alphas=alphas, n_alphas=N_ALPHAS, fit_intercept=model.fit_intercept)
    return path_alphas, coefs


def _elastic_net(model: Any, X: Array, y: Array, alphas: Any) -> tuple[Array, Array]:
    """The path function has no intercept, so columns and target are centred for it."""
    from ..linear_model import enet_path

    if alphas is None:
        alphas = getattr(model, "alphas_", None)
    if alphas is None or np.ndim(alphas) != 1:
        alphas = N_ALPHAS
    if model.fit_intercept:
        X, y = X - X.mean(axis=0), y - y.mean()
    blend = getattr(model, "l1_ratio_", getattr(model, "l1_ratio", 1.0))
    path_alphas, coefs, _ = enet_path(X, y, l1_ratio=_blend(model, blend), alphas=alphas, positive=model.positive)
    return path_alphas, coefs


def _logistic(model: Any, X: Array, y: Any, names: list[str], alphas: Any) -> CoefficientPath:
    """The path of binary logistic regression over 1 / C."""
    from ..linear_model import logistic_path
    from ..linear_model._logistic.logistic_objective import requested_penalty

    if hasattr(model, "C"):
        C, blend = requested_penalty(model)
    else:  # of one that chooses, what it chose
        C, blend = (float(np.ravel(getattr(model, name, none))[0]) for name, none in (("C_", np.nan), ("l1_ratio_", 0)))
    Cs: Any = N_ALPHAS if alphas is None else 1 / np.asarray(alphas, dtype=np.float64)
    Cs, coefs, _ = logistic_path(X, y, Cs=Cs, l1_ratio=blend, fit_intercept=model.fit_intercept)
    return CoefficientPath(1 / Cs, coefs, names, None if np.isnan(C) else 1 / C, "1 / C")


def _blend(model: Any, blend: Any) -> float:
    if np.ndim(blend):
        raise NotFittedError(
            f"RegularizationPathDisplay: fit this {type(model).__name__} first, to choose its l1_ratio"
        )
    return float(blend)


def _knots(model: Any, X: Any, y: Any) -> CoefficientPath:
    """The knots of the path of least angle regression, stored by the model or found by one fit."""
    if "coef_path_" not in model.__dict__:
        from ..linear_model import Lars, LassoLars

        whole: Any = Lars if type(model).__name__.startswith("Lars") else LassoLars
        chosen = model.__dict__.get("alpha_", getattr(model, "alpha", None))
        whole = whole(fit_intercept=model.fit_intercept, **({} if whole is Lars else {"alpha": 0.0})).fit(X, y)
        return CoefficientPath(whole.alphas_, whole.coef_path_, fitted_names(whole), chosen)
    return CoefficientPath(model.alphas_, model.coef_path_, fitted_names(model), _chosen_alpha(model))


def _one_by_one(model: Any, X: Any, y: Any, alphas: Any) -> CoefficientPath:
    if alphas is None:
        alphas = (float(model.alpha) or 1.0) * np.geomspace(1e3, 1e-3, 50)
    fitted = [model.clone().set_params(alpha=float(alpha)).fit(X, y) for alpha in alphas]
    coefs = np.column_stack([np.ravel(dense(one.coef_)) for one in fitted])
    return CoefficientPath(np.asarray(alphas, dtype=float), coefs, fitted_names(fitted[0]), _chosen_alpha(model))
