"""Output containers of transformers."""

from __future__ import annotations

from typing import Any

from ..errors import DataError
from ..validate.features import Matrix
from ..validate.targets import is_sparse
from .configuration import setting
from .output_config import OUTPUT


def container_of(transformer: Any, *results: Any) -> str:
    """The container for these `results`: the one of `set_output`, or of `set_config` for what can be a frame."""
    own: str | None = transformer.__dict__.get(OUTPUT, {}).get("transform")
    requested: str = own or setting("transform_output")
    if own is not None or requested == "default":
        return requested
    framed = hasattr(transformer, "get_feature_names_out") and not any(map(is_sparse, results))
    return requested if framed else "default"


def wrapped(result: Matrix, given: Any, transformer: Any) -> Any:
    """`result` as the requested container, with column names and, for pandas, the rows' index."""
    requested = container_of(transformer, result)
    if requested == "default":
        return result
    if is_sparse(result):
        dense = "sparse_output=False" if hasattr(transformer, "sparse_output") else "a dense encoding"
        raise DataError(
            f"{type(transformer).__name__}: the result is sparse, and {requested} has no tables of that kind here; "
            f'choose {dense}, or set_output(transform="default")'
        )
    names = list(transformer.get_feature_names_out())
    if requested == "polars":
        import polars

        return polars.DataFrame(result, schema=names, orient="row")
    import pandas

    index = getattr(given, "index", None)
    return pandas.DataFrame(result, columns=names, index=None if callable(index) else index)  # lists have such a method
