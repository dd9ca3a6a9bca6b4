"""Model files that version 0.1.0 wrote load, and their models predict what they predicted then."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import learnable
from tests.contract.cases import PUBLIC, output, problem

ARCHIVE = Path(__file__).parents[1] / "references" / "models_0_1_0.zip"


def names() -> list[str]:
    with zipfile.ZipFile(ARCHIVE) as archive:
        return sorted(name.removesuffix(".learn") for name in archive.namelist() if name.endswith(".learn"))


def test_the_archive_holds_every_estimator_of_that_version() -> None:
    assert len(names()) == 228 and set(names()) <= set(PUBLIC)


@pytest.mark.parametrize("name", names())
def test_a_model_of_that_version_predicts_the_same(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(ARCHIVE) as archive:
        (tmp_path / "model.learn").write_bytes(archive.read(f"{name}.learn"))
        expected = np.load(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)
    model = learnable.load(tmp_path / "model.learn")
    X, _ = problem(PUBLIC[name], 60, 4)
    predicted = np.asarray(output(model, X))
    assert predicted.shape == expected.shape
    if expected.dtype.kind in "fc":
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
        np.testing.assert_allclose(predicted, expected, rtol=1e-9, atol=1e-12 * scale)
    else:
        np.testing.assert_array_equal(predicted, expected)
