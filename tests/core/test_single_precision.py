"""Validation keeps single precision."""

import numpy as np
import pandas
import polars
import pytest

from learnable.core.validate.features import FeatureValidator

NUMBERS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
COLUMNS = {"age": NUMBERS[:, 0], "height": NUMBERS[:, 1]}
SINGLE = {
    "swapped bytes": lambda: NUMBERS.astype(">f4"),
    "pandas arrow": lambda: pandas.DataFrame(COLUMNS).astype("float[pyarrow]"),
    "polars": lambda: polars.DataFrame(COLUMNS).cast(polars.Float32),
    "polars with missing values": lambda: polars.DataFrame({"age": [1.0, None]}).cast(polars.Float32),
}


@pytest.mark.parametrize("kind", SINGLE)
def test_single_precision_is_kept_from_wherever_it_comes(kind):
    matrix, _ = FeatureValidator("owner", missing="native").matrix(SINGLE[kind]())
    assert matrix.dtype == np.float32 and matrix.dtype.isnative
