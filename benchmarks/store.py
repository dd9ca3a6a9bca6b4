"""Data that several processes read: one .npy file for each array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.task import Data


def save(folder: Path, data: Data) -> None:
    """Write arrays, sparse matrices and plain values; the memory order of arrays is kept."""
    kinds: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, np.ndarray):
            kinds[name] = "array"
            np.save(folder / f"{name}.npy", value)
        elif hasattr(value, "indptr"):
            kinds[name] = {"sparse": value.format, "shape": value.shape}
            for part in ("data", "indices", "indptr"):
                np.save(folder / f"{name}.{part}.npy", getattr(value, part))
        else:
            kinds[name] = {"value": value}
    (folder / "kinds.json").write_text(json.dumps(kinds))


def load(folder: Path) -> Data:
    """Read what save wrote, into memory of this process."""
    kinds = json.loads((folder / "kinds.json").read_text())
    return {name: _load_one(folder, name, kind) for name, kind in kinds.items()}


def _load_one(folder: Path, name: str, kind: Any) -> Any:
    if kind == "array":
        return np.load(folder / f"{name}.npy")
    if "value" in kind:
        return kind["value"]
    from scipy import sparse

    parts = [np.load(folder / f"{name}.{part}.npy") for part in ("data", "indices", "indptr")]
    make = {"csr": sparse.csr_array, "csc": sparse.csc_array}[kind["sparse"]]
    return make(tuple(parts), shape=tuple(kind["shape"]))
