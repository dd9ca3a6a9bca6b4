"""Column transformers without having to think of names, and columns chosen by what they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..core.declare import registry
from ..core.errors import DataError
from ..core.validate.dataframes import is_frame, opened
from ..pipeline._steps import names_for
from .column_transformer import ColumnTransformer


def make_column_transformer(
    *transformers: tuple[Any, Any],
    remainder: Any = "drop",
    sparse_threshold: float = 0.3,
    n_jobs: int | None = None,
    verbose: bool = False,
    verbose_feature_names_out: Any = True,
) -> ColumnTransformer:
    """Construct a `ColumnTransformer` from (transformer, columns) pairs, each named after its class.

    >>> from learnable import StandardScaler
    >>> make_column_transformer((StandardScaler(), [0]), ("drop", [1])).transformers
    [('standardscaler', StandardScaler(), [0]), ('drop', 'drop', [1])]
    """
    names = names_for([part for part, _ in transformers])
    named = [(name, part, columns) for name, (part, columns) in zip(names, transformers, strict=True)]
    return ColumnTransformer(
        named,
        remainder=remainder,
        sparse_threshold=sparse_threshold,
        n_jobs=n_jobs,
        verbose=verbose,
        verbose_feature_names_out=verbose_feature_names_out,
    )


@registry.value
@dataclass(frozen=True)
class make_column_selector:
    """Column selector: columns of a data frame by a pattern in their names and by data type.

    Kinds are those of pandas (`"number"`, `object`, ...); in other frames "number", "object" (text), "category" and
    "bool" are understood.

    >>> import pandas
    >>> make_column_selector(dtype_include="number")(pandas.DataFrame({"a": [1], "b": ["x"]}))
    ['a']
    """

    pattern: str | None = None
    dtype_include: Any = None
    dtype_exclude: Any = None

    def __call__(self, frame: Any) -> list[Any]:
        """The names of the chosen columns of `frame`."""
        if not is_frame(frame):
            raise DataError(
                "make_column_selector needs a data frame (pandas, polars, pyarrow), whose columns have names and types"
            )
        names = self._of_kind(frame)
        return [name for name in names if self.pattern is None or re.search(self.pattern, name)]

    def _of_kind(self, frame: Any) -> list[Any]:
        if self.dtype_include is None and self.dtype_exclude is None:
            return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
        if hasattr(frame, "select_dtypes"):
            return list(frame.select_dtypes(include=self.dtype_include, exclude=self.dtype_exclude).columns)
        table = opened(frame)
        requested, unwanted = _kinds(self.dtype_include), _kinds(self.dtype_exclude)
        found = {name: _kind(dtype) for name, dtype in table.schema.items()}
        return [name for name, kind in found.items() if (not requested or kind in requested) and kind not in unwanted]


def _kinds(given: Any) -> set[str]:
    """Kinds as words, whatever they were given as."""
    entries = given if isinstance(given, (list, tuple, set)) else [] if given is None else [given]
    return {"object" if entry in (str, object) else getattr(entry, "__name__", str(entry)) for entry in entries}


def _kind(dtype: Any) -> str:
    import narwhals as nw

    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "bool"
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    return "datetime" if dtype.is_temporal() else "object"
