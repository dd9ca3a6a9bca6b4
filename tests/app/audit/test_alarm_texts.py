"""The sentences of alarms agree in number, and quote the names of columns."""

from __future__ import annotations

import numpy as np

from learnable.app.audit import CATALOGUE
from learnable.app.audit.evidence import AlarmEvidence
from learnable.app.study.story import subject
from tests.app.audit.tables import alarms, clean


def fix(code: str, *columns: str) -> str:
    return CATALOGUE[code].alarm(AlarmEvidence(code, "seen", columns)).fix


def test_one_row_repeats_another() -> None:
    table = {name: values[np.append(np.arange(300), [7])] for name, values in clean(0).items()}
    assert alarms(table)["LB036"].evidence.startswith("1 row of 301 (0.3 %) repeats another row")


def test_remedies_for_one_column_and_for_several() -> None:
    assert fix("LB002", "fee").startswith(
        "Find out when 'fee' is known; if not before the target, leave it out: --drop fee"
    )
    many = [f"v {number}" for number in range(29)]
    assert fix("LB042", *many).startswith(
        "Find out when 'v 0', 'v 1', 'v 2', 'v 3', 'v 4' and 24 more are filled in: if after the target, leave them out"
    )
    assert fix("LB041", "a", "b") == "Leave them out (--drop a --drop b), or keep only a missing-value indicator."


def test_linear_combinations() -> None:
    table = clean(0)
    nearly = table["a"] + table["skewed"] + table["b"] + 0.05 * table["count"]
    evidence = alarms({**table, "x": nearly})["LB018"].evidence
    assert "'x' is exactly a linear combination of 'a', 'skewed', 'b' and 1 more (variance inflation factor" in evidence


def test_verbs_agree_with_the_name_of_the_model() -> None:
    assert subject("boosted trees", "is") == "boosted trees are"
    assert subject("nearest neighbours", "predicts") == "nearest neighbours predict"
    assert subject("naive Bayes", "is") == "naive Bayes is"
