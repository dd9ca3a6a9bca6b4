"""Decision function, predicted classes and probabilities of linear classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix
from ..engines import matrix_products
from ..engines.sparse_coefficients import SparseCoefficients as SparseCoefficients
from ..engines.sparse_coefficients import dense
from ..parts.losses.logistic import Logistic
from ..parts.losses.multinomial import Multinomial


def decision(model: Any, X: Matrix) -> Array:
    """Scores of shape (samples,) for two classes, (samples, classes) for more."""
    scores = matrix_products.scores(X, np.atleast_2d(dense(model.coef_)), model.intercept_)
    return scores[:, 0] if scores.shape[1] == 1 else scores


def predicted_codes(scores: Array, each_alone: bool = False) -> Array:
    """The code of the predicted class: the second of two where the score is positive, else that of the largest score.

    `each_alone`: rows have any number of labels, those whose scores are positive.
    """
    return np.asarray((scores > 0).astype(np.int64) if scores.ndim == 1 or each_alone else scores.argmax(axis=1))


def probabilities(scores: Array, each_alone: bool = False) -> Array:
    """Class probabilities of the logistic model; `each_alone`: one versus rest, normalised."""
    if scores.ndim == 1:
        second = Logistic().predict(scores)
        return np.stack([Logistic().predict(-scores), second], axis=1)
    if not each_alone:
        return Multinomial().predict(scores)
    alone = Logistic().predict(scores)
    total = alone.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, alone / np.where(total > 0, total, 1.0), 1 / alone.shape[1]))
