"""The results of several transformers side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.validate.dataframes import is_frame
from ..core.validate.features import Array, Matrix
from ..core.validate.targets import is_sparse
from ..engines.parallel import each


def wide(owner: str, result: Any) -> Any:
    """What a transformer gave, as something with rows and columns."""
    result = result if hasattr(result, "shape") else np.asarray(result)
    if len(result.shape) != 2:
        raise DataError(f"{owner}: The output of every transformer should be 2D (rows and columns)")
    return result


def side_by_side(blocks: Sequence[Any], rows: int, sparse_below: float = 1.0) -> Matrix:
    """One matrix of all columns; sparse if some block is and less than the share `sparse_below` of it is not zero."""
    blocks = [block for block in blocks if block.shape[1]]
    if not blocks:
        return np.zeros((rows, 0))
    if any(is_sparse(block) for block in blocks) and _density(blocks) < sparse_below:
        from scipy.sparse import csr_array, hstack

        return csr_array(hstack([csr_array(block) for block in blocks]))
    return np.hstack([_dense(block) for block in blocks])


def _density(blocks: Sequence[Any]) -> float:
    """The share of entries that are stored."""
    stored = sum(block.nnz if is_sparse(block) else block.shape[0] * block.shape[1] for block in blocks)
    return float(stored / max(1, sum(block.shape[0] * block.shape[1] for block in blocks)))


def _dense(block: Any) -> Array:
    if is_sparse(block):
        return np.asarray(block.toarray())
    if is_frame(block):
        import narwhals as nw

        return np.asarray(nw.from_native(block, eager_only=True).to_numpy())
    return np.asarray(block)


def frame_of(blocks: Sequence[Any], names: Sequence[Sequence[str]], library: Any, given: Any) -> Any:
    """One frame of `library` with the columns of all blocks, called `names`; in pandas with the index of `given`."""
    import narwhals as nw

    index = getattr(given, "index", None) if library == "pandas" else None
    if len({tuple(block.index) for block in blocks if library == "pandas" and hasattr(block, "index")}) > 1:
        raise DataError(
            "Concatenating DataFrames from the transformer's output lead to an inconsistent number of samples. The "
            "output may have Pandas Indexes that do not match."
        )
    columns: dict[str, Any] = {}
    for block, block_names in zip(blocks, names, strict=True):
        columns.update(zip(block_names, _columns(block), strict=True))
    frame = nw.from_dict(columns, backend=library).to_native()
    if index is not None:
        frame.index = index
    return frame


def _columns(block: Any) -> list[Any]:
    if is_frame(block):
        import narwhals as nw

        table = nw.from_native(block, eager_only=True)
        return [table[:, j].to_native() for j in range(table.shape[1])]
    matrix = _dense(block)
    return [matrix[:, j] for j in range(matrix.shape[1])]


def in_parallel(jobs: Sequence[Callable[[], Any]], n_jobs: int | None) -> list[Any]:
    """The results of independent pieces of work, in threads if `n_jobs` asks for more than one."""
    done = dict(each(_done, (), jobs, n_jobs))
    return [done[place] for place in range(len(jobs))]


def _done(job: Callable[[], Any]) -> Any:
    return job()
