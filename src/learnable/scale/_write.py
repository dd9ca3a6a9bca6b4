"""Scans written as Parquet files: a new folder that is there whole, or not at all."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import DataError
from . import _tables
from ._task import RawBlock

if TYPE_CHECKING:
    from .scans import Scan


def write_parquet(rows: Scan, folder: Path) -> Path:
    """Write the rows of a scan into a new folder, a file for each block, named so that they sort in order."""
    if folder.exists():
        raise DataError(f"write: {folder} exists already; name a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        if not rows.total_of(WriteBlock(str(partial), rows.view.target)):
            raise DataError("write: the scan has no rows")
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return folder


@dataclass(frozen=True)
class WriteBlock:
    """Writes a block into a folder; its sum counts rows."""

    folder: str
    target: Any

    def __call__(self, block: RawBlock) -> int:
        """Write the rows of a block, beside the target that goes with them."""
        import pyarrow.parquet

        table = as_arrow(block.X)
        if block.y is not None and np.ndim(block.y) == 1:
            name = str(self.target) if self.target is not None else "target"
            if name not in table.schema.names:
                table = table.append_column(name, pyarrow.array(np.asarray(block.y)))
        name = f"{int(block.numbers[0]):015}.parquet"
        path = Path(self.folder, f".{name}.{id(block)}")
        pyarrow.parquet.write_table(table, path)
        path.replace(Path(self.folder, name))  # a task that is done twice writes the same
        return block.rows


def as_arrow(X: Any) -> Any:
    """A block as an Arrow table: arrays have columns 0, 1, ...; predictions are the column `prediction`."""
    import pyarrow

    if _tables.is_arrow(X):
        return X if hasattr(X, "append_column") else pyarrow.Table.from_batches([X])
    if hasattr(X, "columns"):
        return pyarrow.table(X)
    values = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    if values.ndim == 1:
        return pyarrow.table({"prediction": pyarrow.array(values)})
    return pyarrow.table({str(j): pyarrow.array(np.ascontiguousarray(values[:, j])) for j in range(values.shape[1])})
