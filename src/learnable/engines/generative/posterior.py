"""Bayes' rule: from joint log densities of rows and classes to probabilities of the classes."""

from __future__ import annotations

import numpy as np

from ...core.errors import DataError, ParameterError, warn
from ...core.validate.features import Array


def log_posterior(joint: Array, log_prior: Array) -> Array:
    """log P(class | row) from log P(class, row), shape (samples, classes); the prior if all are zero.

    >>> log_posterior(np.log([[0.1, 0.3]]), np.log([0.5, 0.5])).round(3)
    array([[-1.386, -0.288]])
    """
    highest = joint.max(axis=1, keepdims=True)
    impossible = np.isneginf(highest[:, 0])
    if impossible.any():
        joint = np.where(impossible[:, None], log_prior, joint)
        highest = joint.max(axis=1, keepdims=True)
    apart = joint - highest
    return np.asarray(apart - np.log(np.exp(apart).sum(axis=1, keepdims=True)))


def checked_priors(owner: str, priors: object, classes: int, name: str = "priors", normalise: bool = False) -> Array:
    """Given class priors, checked; with `normalise`, a sum other than 1 is rescaled with a warning."""
    values = np.asarray(priors, dtype=np.float64)
    if values.shape != (classes,):
        raise ParameterError(
            f"{owner}: {name} must have an entry for each of the {classes} classes; its shape is {values.shape}"
        )
    total = float(values.sum())
    if total == 0 or (not normalise and not np.isclose(total, 1.0)):
        raise ParameterError(f"{owner}: {name} sums to {total:g}, not to 1; divide it by its sum")
    if abs(total - 1.0) > 1e-5:
        warn(f"{owner}: the {name} do not sum to 1. Renormalizing", UserWarning)
    return values / total if normalise else values


def class_frequencies(owner: str, weight: Array) -> Array:
    """Relative frequencies of the classes."""
    total = float(weight.sum())
    if total <= 0:
        raise DataError(f"{owner}: no rows are left to estimate class priors; keep at least one row")
    return np.asarray(weight / total)
