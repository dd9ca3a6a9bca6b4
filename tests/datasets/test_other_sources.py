"""Folders of images and texts, and workbooks."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from learnable import DataError, read_images, read_table, read_texts
from tests.datasets.test_reading import written


def test_images_and_texts(tmp_path: Path) -> None:
    """WFL-06: images with the labels of their folders, and lists of tokens."""
    from matplotlib.image import imsave

    for label, pixels in (("one", np.eye(5)), ("two", np.ones((5, 5)))):
        (tmp_path / label).mkdir()
        imsave(tmp_path / label / "a.png", pixels, cmap="gray", vmin=0, vmax=1)
    found = read_images(sorted(tmp_path.glob("*/a.png")))
    np.testing.assert_allclose(found.images, [np.eye(5), np.ones((5, 5))])
    assert found.target.tolist() == ["one", "two"] and found.data.shape == (2, 25)
    imsave(tmp_path / "wide.png", np.ones((5, 6)), cmap="gray")
    with pytest.raises(DataError, match=r"wide\.png differs in size"):
        read_images([tmp_path / "one" / "a.png", tmp_path / "wide.png"])
    with pytest.raises(DataError, match="cannot be read as an image"):
        read_images([written(tmp_path, "no image", "bad.png")])
    with pytest.raises(DataError, match="there are no paths"):
        read_images([])
    first, second = written(tmp_path, "a b\n\nc", "1.txt"), written(tmp_path, "Grün".encode("latin-1"), "2.txt")
    assert read_texts(first, tokens=True) == [["a", "b"], ["c"]]
    assert read_texts([first, second]) == ["a b\n\nc", "Grün"]
    with pytest.raises(DataError, match="does not exist"):
        read_texts(tmp_path / "3.txt")
    with pytest.raises(DataError, match="is a folder; list its files"):
        read_texts(tmp_path)


def test_workbooks_are_read_by_openpyxl(tmp_path: Path, monkeypatch: Any) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    for row in [("name", "day", "n"), ("ann", date(2024, 1, 31), 1), (None, None, None), ("bob", None, 2.5)]:
        book.active.append(row)
    book.create_sheet("second")
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx")
    assert dict(table.types) == {"name": "binary", "day": "time", "n": "continuous"}
    assert table.columns["n"].tolist() == [1, 2.5] and table.notes == ["the first of 2 sheets, 'first', was read"]
    assert table.columns["day"][0] == np.datetime64("2024-01-31")
    with pytest.raises(DataError, match=r"broken\.xlsx cannot be read as a workbook"):
        read_table(written(tmp_path, b"PK\x03\x04...xl/workbook.xml", "broken.xlsx"))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match=r"t\.xlsx: reading xlsx files needs openpyxl; pip install openpyxl"):
        read_table(tmp_path / "t.xlsx")
