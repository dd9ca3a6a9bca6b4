"""What each column adds to the answer for one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, generator
from .predictor import Answering

ORDERS, FEWEST_ORDERS = 32, 2  # random orders of the columns, each also backwards
MOST_CELLS = 10**8  # of the rows that are asked about; fewer orders where columns are very many
CELLS = 10**7  # of rows that are asked about at once


def contributions(requested: Answering, frame: Any, row: int, seed: int = 0) -> tuple[float, float, Array]:
    """The mean answer, the answer for a row, and the part of their difference that each column brings.

    part_j = mean over orders of  f(row in j and the columns before it, others elsewhere) - the same without j

    These are Shapley values, by drawn orders and drawn rows of the frame for what stands elsewhere; each order is also
    walked backwards. They add up to the difference of the answer from the mean over the rows drawn.
    [Strumbelj and Kononenko, 2014]
    """
    rng, width = generator(seed), frame.num_columns
    count = max(FEWEST_ORDERS, min(ORDERS, MOST_CELLS // (2 * width * width)))
    walks = np.array([order for _ in range(count) for order in _both(rng.permutation(width))])
    others = rng.integers(0, frame.num_rows, len(walks))
    place = place_of_class(requested, frame.slice(row, 1))
    frame = frame.combine_chunks()
    answers, most = np.empty(len(walks) * (width + 1)), max(CELLS // width, 1)
    when = np.argsort(walks, axis=1)  # the step at which a walk comes to each column
    for begin in range(0, len(answers), most):
        walk, step = np.divmod(np.arange(begin, min(begin + most, len(answers))), width + 1)
        mixed = _mixed(frame, row, others[walk], when[walk] < step[:, None])
        answers[begin : begin + most] = _value(requested, place, mixed)
    answers = answers.reshape(len(walks), width + 1)
    parts = np.zeros(width)
    for order, changes in zip(walks, np.diff(answers, axis=1), strict=True):
        parts[order] += changes / len(walks)
    return float(answers[:, 0].mean()), float(answers[0, width]), parts


def _both(order: Array) -> tuple[Array, Array]:
    return order, order[::-1]


def _mixed(frame: Any, row: int, others: Array, own: Array) -> Any:
    """Rows whose entries are those of the row where it is their own, else those of others."""
    import pyarrow as pa

    columns = [
        column.take(pa.array(np.where(own[:, place], row, others))) for place, column in enumerate(frame.columns)
    ]
    return pa.table(columns, names=frame.column_names)


def _value(requested: Answering, place: int, frame: Any) -> Array:
    """The number that is explained: the answer, or the probability of a class."""
    found = requested.answers(frame)
    if found.chances is None:
        return np.asarray(found.prediction, dtype=np.float64)
    return np.asarray(found.chances[:, place])


def place_of_class(requested: Answering, one: Any) -> int:
    """Which class a probability is explained for: the positive one, or else the likeliest one of the row."""
    model = requested.model
    if model.positive is not None:
        return int(np.argmax(model.classes_ == model.positive))
    chances = requested.answers(one).chances
    return 0 if chances is None else int(chances[0].argmax())
