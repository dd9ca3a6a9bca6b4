"""What each column adds to the answer for one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, generator
from .answering import Answering

ORDERS = 32  # random orders of the columns, each also backwards


def contributions(asked: Answering, frame: Any, row: int, seed: int = 0) -> tuple[float, float, Array]:
    """The mean answer, the answer for a row, and the part of their difference that each column brings.

    part_j = mean over orders of  f(row in j and the columns before it, others elsewhere) - the same without j

    These are Shapley values, by drawn orders and drawn rows of the frame for what stands elsewhere; each order is also
    walked backwards. They add up to the difference of the answer from the mean over the rows drawn.
    [Strumbelj and Kononenko, 2014]
    """
    rng, width = generator(seed), frame.num_columns
    walks = [order for _ in range(ORDERS) for order in _both(rng.permutation(width))]
    others = rng.integers(0, frame.num_rows, len(walks))
    own = np.zeros((len(walks), width + 1, width), dtype=bool)  # who stands in a column: the row, or the other
    for walk, order in enumerate(walks):
        for step, column in enumerate(order):
            own[walk, step + 1 :, column] = True
    place = place_of_class(asked, frame.slice(row, 1))
    answers = _value(asked, place, _mixed(frame, row, np.repeat(others, width + 1), own.reshape(-1, width)))
    steps = np.diff(answers.reshape(len(walks), width + 1), axis=1)
    parts = np.zeros(width)
    for order, changes in zip(walks, steps, strict=True):
        parts[order] += changes / len(walks)
    return float(answers.reshape(len(walks), -1)[:, 0].mean()), float(answers[width]), parts


def _both(order: Array) -> tuple[Array, Array]:
    return order, order[::-1]


def _mixed(frame: Any, row: int, others: Array, own: Array) -> Any:
    """Rows whose entries are those of the row where it is their own, else those of others."""
    import pyarrow as pa

    columns = [
        frame.column(place).combine_chunks().take(pa.array(np.where(own[:, place], row, others)))
        for place in range(frame.num_columns)
    ]
    return pa.table(columns, names=frame.column_names)


def _value(asked: Answering, place: int, frame: Any) -> Array:
    """The number that is explained: the answer, or the probability of a class."""
    found = asked.answers(frame)
    if found.chances is None:
        return np.asarray(found.prediction, dtype=np.float64)
    return np.asarray(found.chances[:, place])


def place_of_class(asked: Answering, one: Any) -> int:
    """Which class a probability is explained for: the positive one, or else the likeliest one of the row."""
    model = asked.model
    if model.positive is not None:
        return int(np.argmax(model.classes_ == model.positive))
    chances = asked.answers(one).chances
    return 0 if chances is None else int(chances[0].argmax())
