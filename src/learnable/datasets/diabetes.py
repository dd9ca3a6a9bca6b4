"""The diabetes data of the least-angle paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from learnable.datasets.bunch import Bunch

FILE = Path(__file__).parent / "data" / "diabetes.csv"

DESCRIPTION = """Diabetes progression: 442 patients, 10 measurements, one number to predict.

age     years
sex     coded 1 and 2
bmi     body mass index
bp      mean blood pressure
s1..s6  blood serum: total cholesterol, low-density lipoproteins, high-density lipoproteins,
        total cholesterol over high-density lipoproteins, logarithm of triglycerides, blood sugar
target  progression of the disease one year after the measurements

With scaled=True each column is centred and divided so that its squares sum to 1.
Source: Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Annals of Statistics 32, 2004.
"""


def load_diabetes(*, return_X_y: bool = False, as_frame: bool = False, scaled: bool = True) -> Any:
    """The diabetes table: 442 rows, 10 columns, a real target.

    Returns a Bunch (data, target, feature_names, frame, DESCR, data_filename), or the pair (X, y) with
    return_X_y; with as_frame these are pandas objects. scaled centres each column and gives it length 1.

    >>> X, y = load_diabetes(return_X_y=True)
    >>> X.shape, y[:3]
    ((442, 10), array([151.,  75., 141.]))
    """
    with FILE.open() as file:
        *names, target_name = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",")
    X, y = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    if scaled:
        X -= X.mean(axis=0)
        X /= np.linalg.norm(X, axis=0)
    bunch = Bunch(data=X, target=y, frame=None, feature_names=names, DESCR=DESCRIPTION, data_filename=str(FILE))
    if as_frame:
        import pandas

        bunch.frame = pandas.DataFrame(np.column_stack([X, y]), columns=[*names, target_name])
        bunch.data, bunch.target = bunch.frame[names], bunch.frame[target_name]
    return (bunch.data, bunch.target) if return_X_y else bunch
