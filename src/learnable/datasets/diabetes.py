"""The diabetes data of the least-angle paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._packaged_tables import FOLDER, handed_over, numbers_bunch

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
    """Load the diabetes data set: 442 rows, 10 features, a numeric target.

    Returns a Bunch (data, target, feature_names, frame, DESCR, data_filename), or the pair (X, y) with
    return_X_y; with as_frame these are pandas objects. scaled centres each column and gives it length 1.

    >>> X, y = load_diabetes(return_X_y=True)
    >>> X.shape, y[:3]
    ((442, 10), array([151.,  75., 141.]))
    """
    bunch = numbers_bunch("diabetes.csv", DESCRIPTION)
    bunch.data_filename = str(FOLDER / "diabetes.csv")
    if scaled:
        bunch.data -= bunch.data.mean(axis=0)
        bunch.data /= np.linalg.norm(bunch.data, axis=0)
    return handed_over(bunch, return_X_y, as_frame)
