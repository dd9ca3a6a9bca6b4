"""What a learning curve lets a report say of more rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from learnable.app.study.diagnosis import _more_rows
from learnable.app.study.metric import METRICS


@pytest.mark.parametrize(("rise", "words"), [(0.1, "It is uncertain"), (0.001, "would hardly help"), (2.0, "probably")])
@pytest.mark.parametrize("drawn", [None, 50])
def test_an_insignificant_rise_is_not_reported_as_none(rise, words, drawn):
    before = np.array([0.3, 0.6, 0.7, 0.4, 0.5])
    test = np.array([before, before, np.full(5, 0.5 + rise)])
    plan = SimpleNamespace(split=SimpleNamespace(test_fraction=0.2, drawn=drawn), metric=METRICS["accuracy"])
    text = _more_rows(np.array([10, 20, 40]), test, plan)
    assert words in text and ("ore rows than the 50 compared" in text) is (drawn == 50)
