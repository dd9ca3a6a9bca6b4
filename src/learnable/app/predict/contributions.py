"""Contributions of the columns to the prediction for one row: sampled Shapley values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, generator
from .predictor import Predictor

ORDERS, FEWEST_ORDERS = 32, 2  # random orders of the columns, each also backwards
MOST_CELLS = 10**8  # maximum number of predicted cells; fewer orders where there are very many columns
CELLS = 10**7  # of rows that are predicted at once


def contributions(predictor: Predictor, frame: Any, row: int, seed: int = 0) -> tuple[float, float, Array]:
    """The mean prediction, the prediction for a row, and the contribution of each column to their difference.

    phi_j = mean over orders of  f(row in j and the columns before it, background elsewhere) - the same without j

    Shapley values, estimated with random orders of the columns, each also reversed, and random background rows of the
    frame. They add up to the difference between the prediction and the mean over the background rows.
    [Strumbelj and Kononenko, 2014]
    """
    rng, width = generator(seed), frame.num_columns
    count = max(FEWEST_ORDERS, min(ORDERS, MOST_CELLS // (2 * width * width)))
    walks = np.array([order for _ in range(count) for order in _both(rng.permutation(width))])
    others = rng.integers(0, frame.num_rows, len(walks))
    index = index_of_class(predictor, frame.slice(row, 1))
    frame = frame.combine_chunks()
    predictions, most = np.empty(len(walks) * (width + 1)), max(CELLS // width, 1)
    when = np.argsort(walks, axis=1)  # the step at which each order reaches each column
    for begin in range(0, len(predictions), most):
        walk, step = np.divmod(np.arange(begin, min(begin + most, len(predictions))), width + 1)
        mixed = _mixed(frame, row, others[walk], when[walk] < step[:, None])
        predictions[begin : begin + most] = _value(predictor, index, mixed)
    predictions = predictions.reshape(len(walks), width + 1)
    parts = np.zeros(width)
    for order, changes in zip(walks, np.diff(predictions, axis=1), strict=True):
        parts[order] += changes / len(walks)
    return float(predictions[:, 0].mean()), float(predictions[0, width]), parts


def _both(order: Array) -> tuple[Array, Array]:
    return order, order[::-1]


def _mixed(frame: Any, row: int, others: Array, own: Array) -> Any:
    """Rows with the entries of the explained row where `own`, and of background rows elsewhere."""
    import pyarrow as pa

    columns = [
        column.take(pa.array(np.where(own[:, index], row, others))) for index, column in enumerate(frame.columns)
    ]
    return pa.table(columns, names=frame.column_names)


def _value(predictor: Predictor, index: int, frame: Any) -> Array:
    """The explained number: the prediction, or the probability of a class."""
    found = predictor.predict(frame)
    if found.probabilities is None:
        return np.asarray(found.prediction, dtype=np.float64)
    return np.asarray(found.probabilities[:, index])


def index_of_class(predictor: Predictor, one: Any) -> int:
    """Index of the class whose probability is explained: the positive one, otherwise the most probable one."""
    model = predictor.model
    if model.positive is not None:
        return int(np.argmax(model.classes_ == model.positive))
    probabilities = predictor.predict(one).probabilities
    return 0 if probabilities is None else int(probabilities[0].argmax())
