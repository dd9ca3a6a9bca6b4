"""The sentences of alarms and verdicts hold for one thing and for many, and names in them have quotes."""

from __future__ import annotations

import numpy as np

from learnable.app.audit import CATALOGUE
from learnable.app.audit.evidence import Evidence
from learnable.app.study.story import subject
from tests.app.audit.tables import alarms, clean


def fix(code: str, *columns: str) -> str:
    return CATALOGUE[code].alarm(Evidence(code, "seen", columns)).fix


def test_one_row_repeats_another() -> None:
    table = {name: values[np.append(np.arange(300), [7])] for name, values in clean(0).items()}
    assert alarms(table)["LB036"].evidence.startswith("1 row of 301 (0.3 %) repeats another")


def test_remedies_for_one_column_and_for_many() -> None:
    assert fix("LB002", "fee").startswith("Ask when 'fee' is known; if not before the target, leave it out: --drop fee")
    many = [f"v {place}" for place in range(29)]
    assert fix("LB042", *many).startswith(
        "Ask when 'v 0', 'v 1', 'v 2', 'v 3', 'v 4' and 24 more are filled in: leave them out if that is afterwards"
    )
    assert fix("LB041", "a", "b") == "Leave them out (--drop a --drop b), or keep only whether they are known."


def test_columns_that_follow_from_others() -> None:
    table = clean(0)
    nearly = table["a"] + table["skewed"] + table["b"] + 0.05 * table["count"]
    evidence = alarms({**table, "x": nearly})["LB018"].evidence
    assert "'x' is exactly a weighted sum of 'a', 'skewed', 'b' and 1 more (inflation" in evidence


def test_models_of_one_and_of_many() -> None:
    assert subject("boosted trees", "is") == "boosted trees are"
    assert subject("nearest neighbours", "predicts") == "nearest neighbours predict"
    assert subject("naive Bayes", "is") == "naive Bayes is"
