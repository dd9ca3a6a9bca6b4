"""Containers for what a transformer returns."""

from __future__ import annotations

from typing import Any

from .answers import is_sparse
from .data import Matrix
from .errors import DataError


def wrapped(result: Matrix, given: Any, transformer: Any) -> Any:
    """`result` as the container that `set_output` asked for, with column names and, for pandas, the rows' index."""
    wanted = getattr(transformer, "_sklearn_output_config", {}).get("transform", "default")
    if wanted == "default":
        return result
    if is_sparse(result):
        dense = "sparse_output=False" if hasattr(transformer, "sparse_output") else "a dense encoding"
        raise DataError(
            f"{type(transformer).__name__}: the result is sparse, and {wanted} has no tables of that kind here; choose "
            f'{dense}, or set_output(transform="default")'
        )
    names = list(transformer.get_feature_names_out())
    if wanted == "polars":
        import polars

        return polars.DataFrame(result, schema=names, orient="row")
    import pandas

    index = getattr(given, "index", None)
    return pandas.DataFrame(result, columns=names, index=None if callable(index) else index)  # lists have such a method
