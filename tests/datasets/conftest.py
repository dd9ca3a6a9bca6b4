"""What tests of reading share."""

from __future__ import annotations

from typing import Any

import pytest

from learnable.datasets._reading import delimited_text


@pytest.fixture(params=["pyarrow", "python"])
def both_readers(request: Any, monkeypatch: Any) -> None:
    """A test runs with each of the two readers of separated values."""
    if request.param == "python":
        monkeypatch.setattr("learnable.datasets.reading.columns_of_text", delimited_text.columns_in_python)
