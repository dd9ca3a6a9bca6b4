"""Made-up rows of rare classes where some columns are categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    REQUIRED,
    Array,
    Data,
    DataError,
    Drawn,
    ParameterError,
    RandomState,
    Table,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)
from ..core.runtime.random import stream
from ..core.validate.mixed_table import is_missing
from ._interpolation import Pairs, joined
from ._neighbours import nearest
from ._sampler_base import Sampler


@estimator
class SMOTENC(Sampler):
    """Synthetic minority oversampling (SMOTE-NC) for mixed features: categories by majority of the neighbours.

    x_new = x_i + u (x_j - x_i) in columns of numbers; in columns of categories the commonest value among the k nearest

    Two categories that differ are as far apart as the median standard deviation of the numeric columns in the class.
    Missing values in categories are a value of their own. [Chawla et al., 2002]

    >>> X = [[0.0, "a"], [1.0, "a"], [5.0, "b"], [6.0, "b"], [7.0, "b"]]
    >>> X, y = SMOTENC([1], k_neighbors=1, random_state=0).fit_resample(X, [1, 1, 0, 0, 0])
    >>> X[-1, 1], y.tolist()
    ('a', [1, 1, 0, 0, 0, 1])
    """

    traits = Traits(takes="table", sparse=True, missing="native", stochastic=True)
    direction = "over"
    title = "synthetic minority oversampling"
    reference = "Chawla et al., 2002"

    categorical_features: Any = param(
        REQUIRED,
        'categorical features: indices, names or mask; "auto" for string, boolean and categorical columns',
        kw_only=False,
        accepts=lambda value: isinstance(value, (str, list, tuple, np.ndarray)),
        says="indices, names or a mask",
    )
    random_state: RandomState = param(None, "seed of the draws")
    k_neighbors: int = param(
        5, "number of neighbours from which the second row of an interpolation is drawn", at_least=1, tune=(3, 5, 9)
    )

    categorical_features_: Array = learned("indices of the categorical features", shape="categories", index="features")
    median_std_: dict[Any, float] = learned("distance of two categories, by class")

    def _resample(self, data: Data, trace: Trace) -> Drawn:
        self.categorical_features_ = _categorical_indices(data.X, self.categorical_features)
        numeric = [j for j in range(data.p) if j not in set(self.categorical_features_.tolist())]
        if not numeric or not len(self.categorical_features_):
            kind, remedy = ("numeric", "SMOTE") if numeric else ("categorical", "RandomOverSampler")
            raise DataError(
                f"SMOTENC is not designed to work only with {kind} features (n_features={data.p}): use {remedy}"
            )
        return self._drawn(data, _numbers(data.X, numeric), numeric)

    def _drawn(self, data: Data, numbers: Array, numeric: list[int]) -> Drawn:
        rng, members = stream(self.random_state), self._members(data)
        coded = [_codes(data.X.columns[j]) for j in self.categorical_features_]
        self.median_std_ = {}
        made, codes, weights = [], [], []
        for code, (label, rows) in enumerate(zip(self.classes_.tolist(), members, strict=True)):
            count = self.sampling_strategy_.get(label, 0)
            if count == 0:
                continue
            own, categories = numbers[rows], [codes_of[rows] for codes_of, _ in coded]
            apart = float(np.median(np.nan_to_num(np.nanstd(own, axis=0))))
            self.median_std_[label] = apart
            around = nearest(_joined(own, categories, apart), self.k_neighbors, type(self).__name__, label)
            pairs = Pairs.drawn(around, count, rng)
            chosen = [_commonest(column, around)[pairs.first] for column in categories]
            made.append(_columns(pairs.between(own), numeric, chosen, self.categorical_features_, coded))
            codes.append(np.full(count, code))
            weights.append(pairs.weights(None if data.weight is None else data.weight[rows]))
        kept = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight > 0)
        if not made:
            return Drawn(kept)
        columns = tuple(np.concatenate(parts) for parts in zip(*made, strict=True))
        return Drawn(kept, columns, np.concatenate(codes), joined(weights))


def _categorical_indices(table: Table, chosen: Any) -> Array:
    """Indices of the categorical features: given by index, name or mask, or inferred from non-numeric columns."""
    if isinstance(chosen, str) and chosen == "auto":
        return np.flatnonzero([not _is_numeric(column) for column in table.columns])
    entries = np.atleast_1d(np.asarray(chosen, dtype=object)).tolist()
    width, names = table.shape[1], table.names or []
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != width:
            raise ParameterError(f"SMOTENC: categorical_features is a mask of {len(entries)} for {width} columns")
        return np.flatnonzero(entries)
    indices = [names.index(entry) if entry in names else entry for entry in entries]
    for place in indices:
        if isinstance(place, str) or not -width <= place < width:
            raise ParameterError(f"SMOTENC: categorical_features names {place!r}, and there is no such column")
    return np.unique(np.array(indices, dtype=np.int64) % width)


def _is_numeric(column: Array) -> bool:
    if column.dtype.kind != "O":
        return column.dtype.kind in "fiu"
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in column[~is_missing(column)])


def _numbers(table: Table, numeric: list[int]) -> Array:
    columns = []
    for j in numeric:
        try:
            columns.append(np.asarray(table.columns[j], dtype=np.float64))
        except (TypeError, ValueError):
            name = table.names[j] if table.names is not None else j
            raise DataError(
                f"SMOTENC: column {name!r} holds something that is not a number; name it in categorical_features"
            ) from None
    return np.column_stack(columns)


def _codes(column: Array) -> tuple[Array, Array]:
    """Categories as whole numbers, and what they stand for; missing values are one of them."""
    gone = is_missing(column)
    texts = np.array(
        [("", "") if lost else (type(v).__name__, str(v)) for v, lost in zip(column.tolist(), gone, strict=True)]
    )
    _, first, codes = np.unique(texts, axis=0, return_index=True, return_inverse=True)
    return codes.ravel(), column[first]


def _joined(numbers: Array, categories: list[Array], apart: float) -> Array:
    """Numbers beside indicators of the categories, of which two that differ are `apart`."""
    indicators = [(codes[:, None] == np.unique(codes)) * (apart / np.sqrt(2)) for codes in categories]
    return np.column_stack([numbers, *indicators])


def _commonest(codes: Array, around: Array) -> Array:
    """The commonest category among the neighbours of each row; of equally common ones the first."""
    votes = codes[around]
    counts = np.zeros((len(votes), int(codes.max()) + 1))
    np.add.at(counts, (np.arange(len(votes))[:, None], votes), 1.0)
    return np.asarray(counts.argmax(axis=1))


def _columns(
    numbers: Array, numeric: list[int], chosen: list[Array], indices: Array, coded: list[tuple[Array, Array]]
) -> list[Array]:
    """New rows as columns in the order of the table."""
    columns: dict[int, Array] = {j: numbers[:, k] for k, j in enumerate(numeric)}
    for k, j in enumerate(indices.tolist()):
        columns[j] = coded[k][1][chosen[k]]
    return [columns[j] for j in sorted(columns)]
