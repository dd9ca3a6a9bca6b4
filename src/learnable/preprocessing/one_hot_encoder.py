"""Categories as indicator columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, ParameterError, Table, Trace, Transformer, estimator, learned, param
from ..core.answers import is_sparse
from ..core.errors import not_fitted, warn
from .coding import LISTS, Coding, is_list_or_auto, is_number_type, learn, places_in

Unknown = Literal["error", "ignore", "infrequent_if_exist", "warn"]
DROPS = 'None, "first", "if_binary" or a list'


def _names_drops(value: Any) -> bool:
    if isinstance(value, str | None):
        return value in (None, "first", "if_binary")
    return isinstance(value, (list, tuple, np.ndarray))


@estimator
class OneHotEncoder(Transformer):
    """A column of zeros and ones for each value of each column.

    z_(j,v) = 1 if x_j = v else 0

    With `drop="first"` the K values of a column become K - 1 indicators, which with a constant are not collinear. Rare
    values can share an indicator (`min_frequency`, `max_categories`). Missing is a value of its own.

    >>> OneHotEncoder(sparse_output=False).fit_transform([["red"], ["blue"], ["red"]])
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    """

    takes = "table"
    missing = "native"
    categorical = True

    categories: Any = param("auto", "values of each column, or to find them", accepts=is_list_or_auto, says=LISTS)
    drop: Any = param(None, "value of each column that gets no indicator", accepts=_names_drops, says=DROPS)
    sparse_output: bool = param(True, "whether the result is sparse")
    dtype: Any = param(np.float64, "number type of the result", accepts=is_number_type, says="a dtype")
    handle_unknown: Unknown = param("error", "what happens to values that fit has not seen")
    min_frequency: int | float | None = param(None, "values that occur less often share an indicator", at_least=0)
    max_categories: int | None = param(None, "most indicators of a column", at_least=1)
    feature_name_combiner: Callable[..., str] | Literal["concat"] = param(
        "concat", "how a column and a value make a name"
    )

    categories_: list[Any] = learned("the values of each column, sorted")
    drop_idx_: Any = learned("place of the value that each column has no indicator for; None for none at all")
    rare_: list[Any] = learned("which values of each column share an indicator; None where nobody does")

    def _fit(self, data: Data, trace: Trace) -> None:
        owner, few, most = type(self).__name__, self.min_frequency, self.max_categories
        codings, _, _ = learn(data.X, data.weight, self.categories, few, most, owner, self._unknown)
        self.categories_ = [coding.values for coding in codings]
        self.rare_ = [coding.rare for coding in codings]
        self.drop_idx_ = self._dropped(codings)

    @property
    def _unknown(self) -> str:
        return "error" if self.handle_unknown == "error" else "ignore"

    @property
    def _codings(self) -> list[Coding]:
        return [Coding(values, rare) for values, rare in zip(self.categories_, self.rare_, strict=True)]

    def _dropped(self, codings: list[Coding]) -> Any:
        if self.drop is None:
            return None
        if isinstance(self.drop, str):
            places = [_first(coding) if self.drop == "first" or coding.size == 2 else None for coding in codings]
        else:
            places = [
                self._place(j, value, coding) for j, (value, coding) in enumerate(zip(self.drop, codings, strict=True))
            ]
        found = np.empty(len(codings), dtype=object)
        found[:] = places
        return None if all(place is None for place in places) else found

    def _place(self, j: int, value: Any, coding: Coding) -> int | None:
        if value is None and not any(known is None for known in coding.values.tolist()):
            return None
        for place, known in enumerate(coding.values.tolist()):
            if known == value or (known != known and value != value):
                return place
        raise ParameterError(f"OneHotEncoder: drop names {value!r:.40} for column {j}, which does not occur there")

    def _transform(self, X: Table) -> Any:
        codings = self._codings
        places = places_in(X, codings, type(self).__name__, self._unknown)
        blocks = []
        for j, (coding, place) in enumerate(zip(codings, places, strict=True)):
            codes = coding.code(place)
            if self.handle_unknown in ("infrequent_if_exist", "warn") and coding.rare is not None:
                codes = np.where(codes < 0, coding.size - 1, codes)
            if self.handle_unknown == "warn" and (place < 0).any():
                warn(f"OneHotEncoder: column {j} has unknown values, which become zeros or the rare value", UserWarning)
            blocks.append(self._without_dropped(codes, j))
        return self._matrix(blocks, X.shape[0])

    def _without_dropped(self, codes: Array, j: int) -> Array:
        """Codes of the indicators that are left; -1 for the dropped one."""
        gone = self._gone(j)
        return codes if gone is None else np.where(codes == gone, -1, codes - (codes > gone))

    def _gone(self, j: int) -> int | None:
        """The code of the value of column j without an indicator."""
        place = None if self.drop_idx_ is None else self.drop_idx_[j]
        return None if place is None else int(self._codings[j].code(np.array([place]))[0])

    @property
    def _widths(self) -> list[int]:
        """Number of indicators of each column."""
        return [coding.size - (self._gone(j) is not None) for j, coding in enumerate(self._codings)]

    def _matrix(self, blocks: list[Array], rows: int) -> Any:
        """Indicators for the codes of each column."""
        ends = np.cumsum([0, *self._widths])
        places = np.column_stack([np.where(codes < 0, -1, codes + ends[j]) for j, codes in enumerate(blocks)])
        shown = places >= 0
        if self.sparse_output:
            from scipy.sparse import csr_matrix

            starts = np.concatenate([[0], np.cumsum(shown.sum(axis=1))])
            indices = places[shown].astype(np.int32)
            return csr_matrix((np.ones(len(indices), dtype=self.dtype), indices, starts), shape=(rows, int(ends[-1])))
        dense = np.zeros((rows, int(ends[-1])), dtype=self.dtype)
        row, column = np.nonzero(shown)
        dense[row, places[row, column]] = 1
        return dense

    def inverse_transform(self, X: Any) -> Array:
        """The values that the indicators stand for; None where no indicator is set and none was dropped."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        matrix = X.toarray() if is_sparse(X) else np.asarray(X)
        ends = np.cumsum([0, *self._widths])
        if matrix.ndim != 2 or matrix.shape[1] != ends[-1]:
            raise DataError(f"OneHotEncoder: Shape of the passed X data is not correct. Expected {ends[-1]} columns")
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
        """The values of each column that share an indicator; None where nobody does."""
        pairs = zip(self.categories_, self.rare_, strict=True)
        return [None if rare is None else values[rare] for values, rare in pairs]

    def _names_out(self, names: list[str]) -> list[str]:
        join = (lambda column, value: f"{column}_{value}") if self.feature_name_combiner == "concat" else None
        speak: Callable[..., str] = join or self.feature_name_combiner  # type: ignore[assignment]  # it is a function
        found = []
        for j, (name, coding) in enumerate(zip(names, self._codings, strict=True)):
            gone = self._gone(j)
            spoken = coding.decode(np.arange(coding.size)).tolist()
            found += [speak(name, value) for code, value in enumerate(spoken) if code != gone]
        return found


def _first(coding: Coding) -> int:
    """The place of the first value that is not rare, if there is one."""
    return 0 if coding.rare is None else int(np.argmin(coding.rare))
