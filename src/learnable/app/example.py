"""The example table of the package, the default of `learnable study`."""

from __future__ import annotations

from ..datasets import Dataset, load_diabetes

TARGET = "progression"
NAME = "diabetes (bundled data set)"


def example() -> Dataset:
    """Disease progression of 442 diabetes patients, in the units of the clinic."""
    data = load_diabetes(scaled=False)
    columns = dict(zip(data.feature_names, data.data.T, strict=True)) | {TARGET: data.target}
    return Dataset.of(columns, TARGET, {"sex": "binary"}, NAME)
