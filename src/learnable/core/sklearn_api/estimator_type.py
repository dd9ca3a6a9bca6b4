"""The type of an estimator (classifier, regressor, ...), ours or of another library with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

TYPES = {
    "regression": "regressor",
    "classification": "classifier",
    "clustering": "clusterer",
    "transformation": "transformer",
    "outlier detection": "outlier_detector",
    "mixture modelling": "density_estimator",
}


def is_estimator(value: Any) -> bool:
    """Whether it is an estimator, which can be fitted, and not a class of them."""
    return hasattr(value, "fit") and not isinstance(value, type)


def role(estimator: Any) -> str | None:
    """ "classifier", "regressor", "clusterer", ... or None if the estimator has no type.

    >>> from learnable.linear_model import Ridge
    >>> role(Ridge())
    'regressor'
    """
    if hasattr(estimator, "_estimator_type"):  # of those of ours that are what they hold, too
        return str(estimator._estimator_type)
    task = getattr(getattr(estimator, "traits", None), "task", None)
    if isinstance(task, str):  # ours: scikit-learn, which may not be installed, is not consulted
        return TYPES.get(task)
    if hasattr(estimator, "__sklearn_tags__"):
        kind = estimator.__sklearn_tags__().estimator_type
        return None if kind is None else str(kind)
    return None


def is_classifier(estimator: Any) -> bool:
    """Whether the estimator predicts classes."""
    return role(estimator) == "classifier"


def is_regressor(estimator: Any) -> bool:
    """Whether the estimator predicts numbers."""
    return role(estimator) == "regressor"


def is_clusterer(estimator: Any) -> bool:
    """Whether the estimator finds groups."""
    return role(estimator) == "clusterer"


def is_outlier_detector(estimator: Any) -> bool:
    """Whether the estimator finds rows unlike the others."""
    return role(estimator) == "outlier_detector"


def is_pairwise(estimator: Any) -> bool:
    """Whether the columns it takes are comparisons with the training rows, so that they are chosen with those."""
    own = getattr(estimator, "pairwise", None)
    if isinstance(own, bool):
        return own
    return hasattr(estimator, "__sklearn_tags__") and bool(estimator.__sklearn_tags__().input_tags.pairwise)


def decides_pairs(estimator: Any) -> bool:
    """Whether a fitted classifier, or the one inside a pipeline or search, has a decision for each pair of classes."""
    inside = estimator
    while hasattr(inside, "best_estimator_") or hasattr(inside, "steps"):
        inside = inside.best_estimator_ if hasattr(inside, "best_estimator_") else inside.steps[-1][1]
    return getattr(inside, "decision_function_shape", None) == "ovo" and len(estimator.classes_) > 2


def is_fitted(estimator: Any) -> bool:
    """Whether the estimator says that it is fitted, or has what a fit leaves: something whose name ends in "_"."""
    if hasattr(estimator, "__sklearn_is_fitted__"):
        return bool(estimator.__sklearn_is_fitted__())
    return any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))
