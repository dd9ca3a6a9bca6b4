"""Functions of sets of columns: predictions where some columns are those of a row, the others of a background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.validate.dataframes import is_frame

CELLS = 10**7  # of rows that are predicted at once

Predict = Callable[[Any], Array]


class RowMixer:
    """Rows that have some columns of a row `x` and all others of background rows."""

    def __init__(self, X: Any, background: Any) -> None:
        self.columns, self.names = _columns(X, background)
        self.first = len(X) if isinstance(X, np.ndarray) else X.shape[0]
        self.n, self.width = len(self.columns[0]), len(self.columns)

    def table(self, row: Array, others: Array, own: Array) -> Any:
        """A row for each entry of `others`, the background rows; `own` marks the columns of the explained `row`."""
        taken = [np.where(own[:, j], row, self.first + others) for j in range(self.width)]
        if self.names is None:
            return np.column_stack([column[index] for column, index in zip(self.columns, taken, strict=True)])
        import pyarrow

        parts = [column.take(pyarrow.array(index)) for column, index in zip(self.columns, taken, strict=True)]
        return pyarrow.table(parts, names=self.names)

    def predict(self, predict: Predict, row: int | Array, others: Array, own: Array) -> Array:
        """The predictions for these rows, a part at a time."""
        most, rows = max(CELLS // self.width, 1), np.broadcast_to(row, len(others))
        parts = [slice(k, k + most) for k in range(0, len(others), most)]
        return np.concatenate([predict(self.table(rows[part], others[part], own[part])) for part in parts])


def refuse_several_outputs(model: Any, row: Any, owner: str) -> None:
    """Refuse a model that predicts several numbers or classes for a row."""
    count = np.asarray(model.predict(row)).size
    if count > 1:
        raise DataError(
            f"{owner}: {type(model).__name__} predicts {count} numbers for each row; explain a model of one target"
        )


def index_of_output(model: Any, output: Any, owner: str) -> int | None:
    """The index of a class, by default the last one; None in regression."""
    if not hasattr(model, "classes_"):
        if output is not None:
            raise DataError(f"{owner}: output is a class, and {type(model).__name__} predicts numbers; leave it out")
        return None
    classes = list(model.classes_)
    if output is None:
        return len(classes) - 1
    if np.ndim(np.array(output, dtype=object)) or output not in classes:
        raise DataError(f"{owner}: output {output!r:.60} is not a class; the classes are {classes[:8]}")
    return classes.index(output)


def _columns(X: Any, background: Any) -> tuple[list[Any], list[str] | None]:
    """The columns of both tables, one below the other, and their names if they are frames."""
    if not is_frame(X):
        table = np.concatenate([np.asarray(X), np.asarray(background)])
        return list(table.T), None
    import narwhals
    import pyarrow

    first, second = (narwhals.from_native(one, eager_only=True).to_arrow() for one in (X, background))
    second = second.select(first.column_names).cast(first.schema)
    table = pyarrow.concat_tables([first, second]).unify_dictionaries().combine_chunks()
    return [column.combine_chunks() for column in table.columns], list(table.column_names)


def enumerated(rows: RowMixer, predict: Predict, row: int, count: int) -> tuple[Array, float]:
    """Exact Shapley values of all sets of columns, and the mean prediction of the background.

    phi_j = sum over sets S without j of |S|! (p - |S| - 1)! / p! (v(S + j) - v(S)),   v(S) = mean_b f(x_S, b)
    """
    p = rows.width
    sets = (np.arange(2**p)[:, None] >> np.arange(p)) & 1
    own, others = np.repeat(sets.astype(bool), count, axis=0), np.tile(np.arange(count), 2**p)
    value = rows.predict(predict, row, others, own).reshape(2**p, count).mean(axis=1)
    size = sets.sum(axis=1)
    weight = np.array([1.0 / (p * _choose(p - 1, k)) for k in range(p)])
    found = np.empty(p)
    for j in range(p):
        without = np.flatnonzero(sets[:, j] == 0)
        found[j] = float(weight[size[without]] @ (value[without | (1 << j)] - value[without]))
    return found, float(value[0])


def _choose(n: int, k: int) -> float:
    from math import comb

    return float(comb(n, k))


def sampled(
    rows: RowMixer, predict: Predict, row: int, count: int, walks: int, rng: Any
) -> tuple[Array, float, Array]:  # fmt: skip
    """Shapley values by random orders of the columns, each also reversed; the mean prediction, and standard errors.

    phi_j = mean over orders of  f(row in j and the columns before it, background elsewhere) - the same without j
    """
    p = rows.width
    orders = np.array([one for _ in range(walks) for one in _both(rng.permutation(p))])
    drawn = np.resize(rng.permutation(count), walks) if walks >= count else rng.permutation(count)[:walks]
    others, when = np.repeat(drawn, 2), np.argsort(orders, axis=1)  # the step at which an order reaches a column
    walk, step = np.divmod(np.arange(len(orders) * (p + 1)), p + 1)
    value = rows.predict(predict, row, others[walk], when[walk] < step[:, None]).reshape(len(orders), p + 1)
    changes = np.empty((len(orders), p))
    np.put_along_axis(changes, orders, np.diff(value, axis=1), axis=1)
    pairs = changes.reshape(walks, 2, p).mean(axis=1)
    return pairs.mean(axis=0), float(value[:, 0].mean()), pairs.std(axis=0, ddof=1) / np.sqrt(walks)


def _both(order: Array) -> tuple[Array, Array]:
    return order, order[::-1]
