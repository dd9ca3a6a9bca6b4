"""The tables inside the package, read into what scikit-learn's loaders return."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np

from .bunch import Bunch

FOLDER = Path(__file__).parent / "data"


def read_shipped(file: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a file inside the package."""
    path = FOLDER / file
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    header, *rows = (line.split(",") for line in content.decode().splitlines())
    return header, rows


def numbers_bunch(file: str, description: str, target_names: Any = None) -> Bunch:
    """A table of numbers whose last column is the target: whole numbers if it has names, for they are classes then."""
    header, rows = read_shipped(file)
    table = np.array(rows, dtype=np.float64)
    y = table[:, -1].copy()
    bunch = Bunch(data=np.ascontiguousarray(table[:, :-1]), target=y, frame=None, feature_names=header[:-1])
    if target_names is not None:
        bunch.target, bunch.target_names = y.astype(np.int64), np.array(target_names)
    bunch.DESCR, bunch.filename, bunch.data_module = description, file, "learnable.datasets.data"
    return bunch


def texts_bunch(file: str, description: str, numbers: tuple[str, ...] = ()) -> Bunch:
    """A table with columns of text; the last is the target, its classes numbered in order."""
    header, rows = read_shipped(file)
    columns = np.array(rows, dtype=object)
    for name in numbers:
        place = header.index(name)
        columns[:, place] = [float(value) for value in columns[:, place]]
    names, y = np.unique(columns[:, -1].astype(str), return_inverse=True)
    bunch = Bunch(data=columns[:, :-1], target=y, frame=None, feature_names=header[:-1], target_names=names)
    bunch.DESCR, bunch.filename, bunch.data_module = description, file, "learnable.datasets.data"
    return bunch


def handed_over(bunch: Bunch, return_X_y: bool, as_frame: bool) -> Any:
    """The bunch itself or its (data, target), as arrays or pandas objects."""
    if as_frame:
        import pandas

        data = pandas.DataFrame(bunch.data, columns=bunch.feature_names).infer_objects()
        bunch.frame = data.assign(target=bunch.target)
        bunch.data, bunch.target = bunch.frame[bunch.feature_names], bunch.frame["target"]
    return (bunch.data, bunch.target) if return_X_y else bunch
