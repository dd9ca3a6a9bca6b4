"""A promise that nothing can break says nothing: each is broken here once, and the suite complains."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
import sklearn.linear_model

from tests.contract import promises as _promises  # noqa: F401  registers them
from tests.contract.broken import BREAKERS, Silent
from tests.contract.promise import PROMISES


@pytest.mark.parametrize("name", PROMISES)
def test_promise_can_break(name):
    cls, words = BREAKERS.get(name, (Silent, "predictions")) if name.startswith("survives_") else BREAKERS[name]
    module = "tests.contract.promises."
    with (
        patch(f"{module}parameters.sklearn_twin", lambda cls: sklearn.linear_model.Ridge),
        patch(f"{module}capability.sklearn_twin", lambda cls: sklearn.linear_model.Ridge),
        patch(f"{module}contexts.PATIENCE", 0.1),
        patch(f"{module}documentation.LONGEST", 2),
        pytest.raises((Exception, KeyboardInterrupt)) as caught,
    ):
        PROMISES[name].keep(cls)
    assert re.search(words, str(caught.value)), f"broken for another reason: {caught.value!r}"
