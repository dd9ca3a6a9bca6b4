"""Categories as indicator columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, ParameterError, Table, Trace, Traits, Transformer, estimator, learned, param
from ..core.errors import warn
from ..core.files.learned_limits import flaw_of_categories
from ..core.roles.transformer import numbers_back
from ..engines.columns.value_counts import value_counts
from ..engines.passes import TrainingRows
from ._category_encoding import (
    LISTS,
    CategoryCodes,
    codes_in,
    fitted_and_encoded,
    is_list_or_auto,
    is_number_type,
    learn,
    learn_from_counts,
    lookup,
    lumped_together,
)

Unknown = Literal["error", "ignore", "infrequent_if_exist", "warn"]
DROPS = 'None, "first", "last", "if_binary" or a list'


def _names_drops(value: Any) -> bool:
    if isinstance(value, str | None):
        return value in (None, "first", "last", "if_binary")
    return isinstance(value, (list, tuple, np.ndarray))


@estimator
class OneHotEncoder(Transformer):
    """One-hot encoding: a binary indicator for each category of each feature.

    z_(j,v) = 1 if x_j = v else 0

    With `drop="first"` or "last" (dummy coding) the K values of a column become K - 1 indicators, which with a constant
    are not collinear. Rare values can share an indicator (`min_frequency`, `max_categories`). Missing is a value of its
    own.

    >>> OneHotEncoder(sparse_output=False).fit_transform([["red"], ["blue"], ["red"]])
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    """

    title = "one-hot encoding"
    traits = Traits(takes="table", missing="native", categorical=True)

    categories: Any = param(
        "auto", 'categories of each column; "auto" to find them', accepts=is_list_or_auto, says=LISTS
    )
    drop: Any = param(None, "category of each column without an indicator", accepts=_names_drops, says=DROPS)
    sparse_output: bool = param(True, "whether the result is sparse")
    dtype: Any = param(np.float64, "data type of the result", accepts=is_number_type, says="a dtype")
    handle_unknown: Unknown = param("error", "handling of categories not seen in fit")
    min_frequency: int | float | None = param(None, "frequency below which categories share one indicator", at_least=0)
    max_categories: int | None = param(None, "maximum number of indicators of a column", at_least=1)
    feature_name_combiner: Callable[..., str] | Literal["concat"] = param(
        "concat", "function of a column name and a category that returns the feature name"
    )

    categories_: list[Any] = learned("the values of each column, sorted", counts="features")
    drop_idx_: Any = learned("index of the dropped category of each column; None if none is dropped")
    rare_: list[Any] = learned("which values of each column share an indicator; None where none do", counts="features")

    def _unsound(self) -> str:
        """Categories, rare ones and dropped ones belong together."""
        wrong = flaw_of_categories(self.categories_, self.rare_)
        dropped = [None] * self.n_features_in_ if self.drop_idx_ is None else self.drop_idx_
        if wrong or len(dropped) != self.n_features_in_:
            return wrong or "drop_idx_ must name a category of each column, or be None"
        sound = all(
            index is None or (isinstance(index, (int, np.integer)) and 0 <= index < len(values))
            for index, values in zip(dropped, self.categories_, strict=True)
        )
        return "" if sound else "drop_idx_ must name a category of each column, or be None"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X).transform(X)`, in one pass over the columns."""
        return fitted_and_encoded(self, X, y, sample_weight)

    def _learn(self, data: Data) -> list[Array]:
        """Learn the values of each column; the indices of the training entries among them."""
        owner, few, most = type(self).__name__, self.min_frequency, self.max_categories
        codings, entry_codes = learn(data.X, data.weight, self.categories, few, most, owner, self._unknown)
        self._keep(codings)
        return entry_codes

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        owner, few, most = type(self).__name__, self.min_frequency, self.max_categories
        counts, names = rows.total(value_counts, owner), rows.first.names
        self._keep(learn_from_counts(counts, names, self.categories, few, most, owner, self._unknown))

    def _keep(self, codings: list[CategoryCodes]) -> None:
        """Store the values of each column, and which of them has no indicator."""
        self.categories_ = [coding.values for coding in codings]
        self.rare_ = [coding.rare for coding in codings]
        self.drop_idx_ = self._dropped(codings)

    @property
    def _unknown(self) -> str:
        return "error" if self.handle_unknown == "error" else "ignore"

    @property
    def _codings(self) -> list[CategoryCodes]:
        return [CategoryCodes(values, rare) for values, rare in zip(self.categories_, self.rare_, strict=True)]

    def _dropped(self, codings: list[CategoryCodes]) -> Any:
        if self.drop is None:
            return None
        if isinstance(self.drop, str):
            choose = _last if self.drop == "last" else _first
            entry_codes = [
                choose(coding) if self.drop != "if_binary" or coding.size == 2 else None for coding in codings
            ]
        elif len(self.drop) != len(codings):
            raise ParameterError(
                f"OneHotEncoder: drop must name a value for each of {len(codings)} columns; got {len(self.drop)}"
            )
        else:
            entry_codes = [
                self._place(j, value, coding) for j, (value, coding) in enumerate(zip(self.drop, codings, strict=True))
            ]
        found = np.empty(len(codings), dtype=object)
        found[:] = entry_codes
        return None if all(place is None for place in entry_codes) else found

    def _place(self, j: int, value: Any, coding: CategoryCodes) -> int | None:
        if value is None and not any(known is None for known in coding.values.tolist()):
            return None
        for place, known in enumerate(coding.values.tolist()):
            if known == value or (known != known and value != value):
                if coding.rare is not None and coding.rare[place]:
                    raise ParameterError(
                        f"OneHotEncoder: Unable to drop category {value!r:.40} from feature {j} because it is "
                        "infrequent; drop a frequent one, or lower min_frequency"
                    )
                return place
        raise ParameterError(f"OneHotEncoder: drop names {value!r:.40} for column {j}, which does not occur there")

    def _transform(self, X: Table) -> Any:
        entry_codes = codes_in(X, self._codings, type(self).__name__, self._unknown)
        if self.handle_unknown == "warn" or (self.handle_unknown != "error" and self.drop is not None):
            self._warn_of_unknown([j for j, place in enumerate(entry_codes) if (place < 0).any()])
        return self._encoded(entry_codes)

    def _warn_of_unknown(self, columns: list[int]) -> None:
        """Say that unknown categories are not distinguishable from the dropped or the infrequent one."""
        if columns:
            become = "all zeros" if self.handle_unknown == "ignore" else "the infrequent category"
            warn(
                f"OneHotEncoder: Found unknown categories in columns {columns} during transform. These unknown "
                f"categories will be encoded as {become}.",
                UserWarning,
            )

    def _encoded(self, entry_codes: list[Array]) -> Any:
        """The indicators of entries given by their codes."""
        ends = np.cumsum([0, *self._widths])
        tables = [self._table(coding, j, int(ends[j])) for j, coding in enumerate(self._codings)]
        return self._matrix(lookup(tables, entry_codes, np.int32), tables, int(ends[-1]))

    def _table(self, coding: CategoryCodes, j: int, first: int) -> Array:
        """The place of the indicator of each value of a column, that of unknown ones last; -1 for none."""
        rare = self.handle_unknown in ("infrequent_if_exist", "warn") and coding.rare is not None
        codes = np.append(coding.code(np.arange(len(coding.values))), coding.size - 1 if rare else -1)
        gone = self._gone(j)
        if gone is not None:
            codes = np.where(codes == gone, -1, codes - (codes > gone))
        return np.where(codes < 0, -1, codes + first).astype(np.int32)

    def _gone(self, j: int) -> int | None:
        """The code of the value of column j without an indicator."""
        place = None if self.drop_idx_ is None else self.drop_idx_[j]
        return None if place is None else int(self._codings[j].code(np.array([place]))[0])

    @property
    def _widths(self) -> list[int]:
        """Number of indicators of each column."""
        return [coding.size - (self._gone(j) is not None) for j, coding in enumerate(self._codings)]

    def _matrix(self, entry_codes: Array, tables: list[Array], width: int) -> Any:
        """Ones at the codes of each row; where a table has values without an indicator, some rows have fewer."""
        rows = len(entry_codes)
        incomplete = any((table[:-1] < 0).any() for table in tables) or bool((entry_codes < 0).any())
        if not self.sparse_output:
            dense = np.zeros((rows, width + 1), dtype=self.dtype)
            np.put_along_axis(dense, entry_codes, 1, axis=1)  # -1 is the column too many
            return np.ascontiguousarray(dense[:, :-1])
        from scipy.sparse import csr_matrix

        starts, indices = np.arange(rows + 1, dtype=np.int64) * entry_codes.shape[1], entry_codes.ravel()
        if incomplete:
            shown = entry_codes >= 0
            starts, indices = np.concatenate([[0], np.cumsum(shown.sum(axis=1))]), entry_codes[shown]
        kind = np.int32 if len(indices) < 2**31 else np.int64
        parts = (np.ones(len(indices), dtype=self.dtype), indices, starts.astype(kind))
        return csr_matrix(parts, shape=(rows, width))

    def inverse_transform(self, X: Any) -> Array:
        """The values that the indicators stand for; None where no indicator is set and none was dropped."""
        self._require_fit()
        ends = np.cumsum([0, *self._widths])
        matrix = numbers_back(self, X, int(ends[-1]))
        same = len({values.dtype for values in self.categories_}) == 1 and all(rare is None for rare in self.rare_)
        columns = [self._values(matrix[:, ends[j] : ends[j + 1]], j) for j in range(len(self.categories_))]
        lost = any(value is None for column in columns for value in (column.tolist() if column.dtype == object else ()))
        dtype = self.categories_[0].dtype if same and not lost else np.dtype(object)
        return np.column_stack([column.astype(dtype) for column in columns])

    def _values(self, block: Array, j: int) -> Array:
        coding, gone = self._codings[j], self._gone(j)
        if block.shape[1] == 0:
            return np.repeat(coding.values[:1], len(block))
        codes = block.argmax(axis=1)
        codes = codes if gone is None else codes + (codes >= gone)
        found, none = coding.decode(codes), ~(block != 0).any(axis=1)
        if not none.any():
            return found
        if gone is not None:
            return np.where(none, coding.decode(np.array([gone])), found)
        if self.handle_unknown == "error":
            row = int(np.argmax(none))
            raise DataError(f"OneHotEncoder: Samples [{row}] can not be inverted: no indicator of column {j} is set")
        found = found.astype(object)
        found[none] = None
        return found

    @property
    def infrequent_categories_(self) -> list[Any]:
        """The values of each column that share an indicator; None where none do."""
        return lumped_together(self.categories_, self.rare_)

    def _names_out(self, names: list[str]) -> list[str]:
        join = (lambda column, value: f"{column}_{value!s}") if self.feature_name_combiner == "concat" else None
        speak: Callable[..., str] = join or self.feature_name_combiner  # type: ignore[assignment]  # it is a function
        found = []
        for j, (name, coding) in enumerate(zip(names, self._codings, strict=True)):
            gone = self._gone(j)
            spoken = list(coding.decode(np.arange(coding.size)))  # numbers are written in their own precision
            found += [speak(name, value) for code, value in enumerate(spoken) if code != gone]
        wrong = [name for name in found if not isinstance(name, str)]
        if wrong:
            raise TypeError(
                "OneHotEncoder: When `feature_name_combiner` is a callable, it should return a Python string. Got "
                f"{type(wrong[0])} instead."
            )
        return found


def _first(coding: CategoryCodes) -> int:
    """The place of the first value that is not rare, if there is one."""
    return 0 if coding.rare is None else int(np.argmin(coding.rare))


def _last(coding: CategoryCodes) -> int:
    """The place of the last value that is not rare, if there is one."""
    last = len(coding.values) - 1
    return last if coding.rare is None else last - int(np.argmin(coding.rare[::-1]))
