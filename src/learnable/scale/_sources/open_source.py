"""The source that reads what `scan` is given."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core import DataError
from ...core.validate.dataframes import is_frame
from ...core.validate.row_source import is_collection
from ...core.validate.targets import is_sparse
from .files import found_files
from .source import InMemory, Source


def open_source(source: Any, y: Any = None, weight: Any = None) -> Source:
    """The source of rows that `source` stands for; `y` and `weight` are arrays beside it, if any."""
    if is_collection(source):
        from .collections import DaskCollection

        return DaskCollection(source, y, weight)
    if isinstance(source, (str, Path)) or type(source).__module__.partition(".")[0] in ("ray", "pyspark"):
        refuse_arrays(y, weight)
        return _opened_files(source) if isinstance(source, (str, Path)) else _opened_query(source)
    y, weight = (None if part is None else np.asarray(part) for part in (y, weight))
    if (isinstance(source, np.ndarray) and source.ndim == 2) or is_frame(source):
        return InMemory(source, y, weight)
    if is_sparse(source):
        return InMemory(source.tocsr(), y, weight)
    if isinstance(source, list):
        return InMemory(np.asarray(source), y, weight)
    refuse_arrays(y, weight)
    return _opened_query(source)


def refuse_arrays(y: Any, weight: Any) -> None:
    """Refuse arrays beside a source whose rows they cannot be cut along with."""
    for name, values in (("target", y), ("weight", weight)):
        if values is not None:
            raise DataError(
                f"scan: {name} must be the name of one column of this source; got {type(values).__name__}. Functions "
                "may return batches (X, y, weight)"
            )


def _opened_files(source: str | Path) -> Source:
    kind, files = found_files(source)
    if kind == "parquet":
        from .parquet import ParquetFiles

        return ParquetFiles(files)
    if kind == "csv":
        from .csv import CsvFiles

        return CsvFiles(files)
    from .ipc import ArrowFiles

    return ArrowFiles(files)


def _opened_query(source: Any) -> Source:
    """A lazy query, a data set of an engine, or a function."""
    home, kind = type(source).__module__.partition(".")[0], type(source).__name__
    if home == "polars" and kind == "LazyFrame":
        from .queries import LazyQuery

        return LazyQuery(source)
    if home == "pyarrow" and hasattr(source, "get_fragments"):
        from .batches import Batches
        from .queries import ArrowDataset, filtered_batches

        filtered = getattr(source, "_scan_options", {}).get("filter") is not None
        return Batches(partial(filtered_batches, source)) if filtered else ArrowDataset(source)
    if home == "ray":
        from .ray import RayDataset

        return RayDataset(source)
    if home == "pyspark":
        from .spark import SparkFrame

        return SparkFrame(source)
    if callable(source):
        from .batches import Batches

        return Batches(source)
    raise DataError(
        f"scan: {type(source).__name__} cannot be scanned; give files, a folder, a data frame, an array, or a function "
        "that returns an iterator of tables"
    )
