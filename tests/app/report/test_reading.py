"""What a report says of the model itself and of thresholds, without a browser."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

from learnable import DecisionTreeRegressor, TableVectorizer, make_pipeline
from learnable.app.audit.catalogue import CATALOGUE
from learnable.app.audit.evidence import AlarmEvidence
from learnable.app.report.page import _reading, _thresholds


def test_a_tree_is_described_in_the_units_of_the_columns() -> None:
    rng = np.random.default_rng(0)
    table = pandas.DataFrame({"area": rng.uniform(20, 500, 300), "share": rng.uniform(0, 1e-3, 300)})
    y = np.where(table["area"] > 123, 5e6, np.where(table["share"] > 4e-4, 2e5, 1e5))
    model = make_pipeline(TableVectorizer(random_state=0), DecisionTreeRegressor(random_state=0)).fit(table, y)
    question = SimpleNamespace(recommends=False)
    study: Any = SimpleNamespace(deployed=SimpleNamespace(model=model), question=question, has_model=True)
    tree = _reading(study).tree
    cuts = {line.split()[-3]: float(line.split()[-1]) for line in tree.splitlines() if " <= " in line}
    assert cuts["area"] == pytest.approx(123, abs=3) and cuts["share"] == pytest.approx(4e-4, abs=2e-5)
    assert model[-1].tree_.threshold[0] != pytest.approx(cuts["area"]), "the model itself stays as it was"


def test_the_last_threshold_is_never() -> None:
    probabilities, y = np.array([0.1, 0.9, 0.6]), np.array(["no", "no", "yes"], dtype=object)
    study: Any = SimpleNamespace(
        question=SimpleNamespace(task="binary", y=y, positive="yes"), has_model=True,
        diagnosis=SimpleNamespace(
            out_of_fold=np.column_stack([1 - probabilities, probabilities]), tested=np.ones(3, dtype=bool)
        ),
        split=SimpleNamespace(development=np.arange(3)),
    )  # fmt: skip
    assert _thresholds(study)[-1] == [np.inf, 0, 1]


def test_remedies_quote_names_that_a_shell_would_take_apart() -> None:
    found = CATALOGUE["LB007"].alarm(AlarmEvidence("LB007", "times in sold on", ("sold on",)))
    assert "--time 'sold on'" in found.fix
