"""Data of the tests: a regression and a classification, in memory and in files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

COLUMNS = [f"x{j}" for j in range(5)]


def regression(n: int = 3000, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5)) + np.array([0.0, 1.0, -20.0, 3.0, 100.0])
    y = X @ np.array([1.0, -2.0, 0.0, 0.5, 0.25]) + rng.normal(size=n) + 7
    return X, y


def classification(n: int = 3000, seed: int = 0):
    X, y = regression(n, seed)
    labels = np.array(["high", "low", "middle"])[np.digitize(y, np.quantile(y, [0.3, 0.8]))]
    return X, labels


def weights(n: int, seed: int = 1):
    return np.random.default_rng(seed).integers(0, 4, n).astype(float)


def write_parquet(folder: Path, X, y=None, weight=None, cuts=(), row_group_size: int = 1000, names=None) -> Path:
    """Parquet files of the rows between the `cuts`, each in row groups of one size."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = {name: X[:, j] for j, name in enumerate(names or COLUMNS)}
    if y is not None:
        columns["y"] = y
    if weight is not None:
        columns["weight"] = weight
    table = pyarrow.table(columns)
    ends = [*cuts, len(X)]
    for k, (begin, end) in enumerate(zip([0, *cuts], ends, strict=True)):
        pyarrow.parquet.write_table(
            table.slice(begin, end - begin), folder / f"part-{k:03}.parquet", row_group_size=row_group_size
        )
    return folder


def assert_close(found, expected, tolerance: float = 1e-12, name: str = "") -> None:
    """Equal up to `tolerance`, relative to the largest entry."""
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=tolerance * max(np.abs(expected).max(), 1e-300), err_msg=name
    )


def digest(model) -> str:
    """A hash of everything that a model has learned, except how long it took."""
    found = hashlib.sha256()
    for name in sorted(vars(model)):
        if name.endswith("_") and not name.startswith("__") and name not in ("trace_", "feature_names_in_"):
            found.update(name.encode() + _bytes(vars(model)[name]))
    return found.hexdigest()


def _bytes(value) -> bytes:
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return str(value.shape).encode() + value.tobytes()
    if isinstance(value, dict):
        return b"".join(str(key).encode() + _bytes(item) for key, item in value.items())
    if isinstance(value, (list, tuple, np.ndarray)):
        return b"".join(map(_bytes, value))
    if hasattr(value, "get_params"):
        return digest(value).encode()
    return repr(value).encode()
