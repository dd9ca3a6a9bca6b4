"""Linnerud's exercises: a small table with three targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._packaged_tables import FOLDER, read_shipped
from .bunch import Bunch

DESCRIPTION = """Exercises and bodies: 20 men of a fitness club, 3 exercises, 3 numbers to predict.

Chins   chin-ups
Situps  sit-ups
Jumps   jumps
Weight  weight in pounds (target)
Waist   waist in inches (target)
Pulse   pulse at rest, in beats a minute (target)

Source: A. C. Linnerud, North Carolina State University; Tenenhaus, La regression PLS, 1998.
"""


def load_linnerud(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the Linnerud data set: exercises of 20 men, and their weight, waist and pulse: 3 features, 3 targets.

    Returns a Bunch (data, target, feature_names, target_names, frame, DESCR, data_filename, target_filename), or the
    pair (X, y) with return_X_y; with as_frame these are pandas objects.

    >>> X, y = load_linnerud(return_X_y=True)
    >>> X.shape, y[0].tolist()
    ((20, 3), [191.0, 36.0, 50.0])
    """
    header, rows = read_shipped("linnerud.csv")
    table = np.array(rows, dtype=np.float64)
    bunch = Bunch(
        data=table[:, :3].copy(), feature_names=header[:3], target=table[:, 3:].copy(), target_names=header[3:],
        frame=None, DESCR=DESCRIPTION, data_filename=str(FOLDER / "linnerud.csv"),
        target_filename=str(FOLDER / "linnerud.csv"), data_module="learnable.datasets.data",
    )  # fmt: skip
    if as_frame:
        import pandas

        bunch.frame = pandas.DataFrame(table, columns=header)
        bunch.data, bunch.target = bunch.frame[header[:3]], bunch.frame[header[3:]]
    return (bunch.data, bunch.target) if return_X_y else bunch
