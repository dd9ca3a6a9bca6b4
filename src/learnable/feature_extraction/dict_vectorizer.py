"""Records as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Number
from typing import Any, Self

import numpy as np

from ..core import Array, Traits, WithContainers, estimator, learned, param
from ..core.declare import params
from ..core.errors import DataError
from ..core.roles.transformer import compressed_back
from ..core.sklearn_api.output_containers import wrapped
from .text._vectorizer_base import is_dtype

Cell = tuple[Any, Any]


@estimator
class DictVectorizer(WithContainers):
    """Dictionary vectoriser: records of named values as rows, with strings one-hot encoded.

    X[r, name] = number,   X[r, "name=text"] = 1

    A value may also be a list of texts, each of which gets its indicator. Names that fit did not see are ignored.

    >>> records = [{"city": "Rome", "warm": 25.0}, {"city": "Oslo", "warm": 12.0}]
    >>> rows = DictVectorizer(sparse=False)
    >>> rows.fit_transform(records)
    array([[ 0.,  1., 25.],
           [ 1.,  0., 12.]])
    >>> rows.get_feature_names_out().tolist()
    ['city=Oslo', 'city=Rome', 'warm']
    """

    dtype: Any = param(np.float64, "data type of the matrix", accepts=is_dtype, says="a number type")
    separator: str = param("=", "separator between the name and the value in the name of an indicator")
    sparse: bool = param(True, "whether the matrix is sparse")
    sort: bool = param(True, "whether columns are sorted by name")
    feature_names_: list[Any] = learned("name of each column")
    vocabulary_: dict[Any, int] = learned("name -> column")

    title = "dictionary vectoriser"
    reference = "Pedregosa et al., 2011"
    traits = Traits(takes="records", task="transformation", weights=False)

    def _unsound(self) -> str:
        """Every name has a column of its own, in the order of the names."""
        columns, names = self.vocabulary_, self.feature_names_
        sound = len(names) == len(columns) and all(columns.get(name) == place for place, name in enumerate(names))
        return "" if sound else "vocabulary_ must give the names in feature_names_ their columns"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the feature names; `y` is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the feature names and return the matrix; `y` is ignored."""
        params.check(self)
        rows = self._rows(X)
        with self._fitting() as trace:
            names = list(dict.fromkeys(name for row in rows for name, _ in row))
            self.feature_names_ = sorted(names) if self.sort else names
            self.vocabulary_ = {name: column for column, name in enumerate(self.feature_names_)}
            trace.exact("records are written down as they are", float(len(names)))
        return wrapped(self._matrix(rows), X, self)

    def transform(self, X: Any) -> Any:
        """The matrix of the records; names not seen in fit are ignored."""
        self._require_fit()
        return wrapped(self._matrix(self._rows(X)), X, self)

    def inverse_transform(self, X: Any, dict_type: type = dict) -> list[Any]:
        """The rows of `X` as records of what is not zero, under the names of the columns."""
        self._require_fit()
        matrix = compressed_back(self, X, len(self.vocabulary_)).tocoo()
        records = [dict_type() for _ in range(matrix.shape[0])]
        order = np.lexsort((matrix.col, matrix.row))
        for row, column, value in zip(matrix.row[order], matrix.col[order], matrix.data[order], strict=True):
            if value != 0:
                records[row][self.feature_names_[column]] = value
        return records

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns."""
        self._require_fit()
        return np.array([str(name) for name in self.feature_names_], dtype=object)

    def restrict(self, support: Any, indices: bool = False) -> Self:
        """Keep only the columns that `support` names, by a mask or by indices: for example those of a selector."""
        self._require_fit()
        kept = np.asarray(support) if indices else np.flatnonzero(support)
        self.feature_names_ = [self.feature_names_[column] for column in kept.tolist()]
        self.vocabulary_ = {name: column for column, name in enumerate(self.feature_names_)}
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "vocabulary_" in self.__dict__

    def _rows(self, X: Any) -> list[list[Cell]]:
        if isinstance(X, (str, bytes)) or not isinstance(X, Iterable):
            raise DataError(f"DictVectorizer: X must be records, a dict for each row; got {X!r:.40}")
        rows = [list(self._cells(record, row)) for row, record in enumerate([X] if isinstance(X, Mapping) else X)]
        if not rows:
            raise DataError("DictVectorizer: Sample sequence X is empty.")
        return rows

    def _cells(self, record: Any, row: int) -> Iterator[Cell]:
        """(column name, value) of everything in a record."""
        if not isinstance(record, Mapping):
            raise DataError(
                f"DictVectorizer: record {row} is {record!r:.40} of type {type(record).__name__}, not a dict; a table "
                "is converted by its method to_dict or to_pylist, or encoded directly by OneHotEncoder"
            )
        for name, value in record.items():
            if isinstance(value, str):
                yield f"{name}{self.separator}{value}", 1
            elif isinstance(value, Number) or value is None:
                yield name, np.nan if value is None else value
            elif isinstance(value, Iterable) and not isinstance(value, Mapping):
                for item in value:
                    if not isinstance(item, str):
                        raise TypeError(
                            f"DictVectorizer: {name!r} in record {row} is a list with an entry of {type(item)}; "
                            "a list may hold only strings"
                        )
                    yield f"{name}{self.separator}{item}", 1
            else:
                raise TypeError(
                    f"DictVectorizer: {name!r} in record {row} is {type(value)}; give a number, a text or a list of "
                    f"texts: {value!r:.60}"
                )

    def _matrix(self, rows: list[list[Cell]]) -> Any:
        from scipy.sparse import csr_matrix

        columns = self.vocabulary_
        known = [[(columns[name], value) for name, value in row if name in columns] for row in rows]
        cells = [cell for row in known for cell in row]
        index = np.array([column for column, _ in cells], dtype=np.int32)
        value = np.array([value for _, value in cells], dtype=self.dtype)
        start = np.cumsum([0, *map(len, known)], dtype=np.int32)
        matrix = csr_matrix((value, index, start), shape=(len(rows), len(columns)))
        matrix.sum_duplicates()
        return matrix if self.sparse else matrix.toarray()
