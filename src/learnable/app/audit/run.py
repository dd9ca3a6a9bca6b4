"""The audit of a table: every check that the question allows, its findings as alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...core import BudgetError, ambient
from ...core.table import is_missing
from ..question import Question
from ..wording import agree, listed
from . import columns, leakage, missing, neighbours, order, relations, rows, separation, size, target, words
from .alarm import Alarm
from .catalogue import CATALOGUE
from .evidence import Evidence, Findings
from .power import powers
from .view import View

Check = Callable[[View], Findings]
ORDER = {"severe": 0, "warning": 1, "note": 2}
ANY_TABLE: tuple[Check, ...] = (
    columns.id_columns, columns.empty_columns, columns.constant_columns, columns.nearly_constant_columns,
    columns.infinite_entries, columns.outliers, columns.sentinels,
    words.many_categories, words.free_texts, words.numbers_as_words, words.mixed_types, words.spellings,
    words.words_for_missing,
    relations.equal_columns, relations.derived_columns,
    missing.mostly_missing, missing.missing_together, missing.empty_rows,
    rows.repeated_rows, rows.drift, neighbours.nearest,
    size.few_rows, size.more_columns_than_rows, size.few_groups, size.heavy_rows,
)  # fmt: skip
WITH_TARGET: tuple[Check, ...] = (
    leakage.groups, order.order_of_rows, order.times, order.groups_over_time, missing.missing_tells_target,
    target.no_thing_to_predict, target.classes_or_amounts,
)  # fmt: skip
WITH_CLASSES: tuple[Check, ...] = (
    target.rare_classes, target.imbalance, words.classes_spelled_apart, size.few_rows_per_class,
)  # fmt: skip
WITH_AMOUNTS: tuple[Check, ...] = (
    target.nearly_constant_amount, target.skewed_amount, target.capped_amount, target.outlying_amounts,
)  # fmt: skip


def audit(question: Question, seed: int = 0) -> list[Alarm]:
    """What in a table makes a study of it worth less than it looks: severe alarms first, then by code.

    Costs grow with the number of cells; what would cost more looks at a sample that the seed decides. Tests are
    corrected for the number of columns and must show an effect that matters, so that a clean table has no alarms. If a
    budget ends before the last check, an alarm says so.

    >>> from learnable.app.question import ask
    >>> from learnable.datasets import Dataset
    >>> columns = {"age": [float(k % 17) for k in range(150)], "fled": [0, 1] * 75, "gone": ["no", "yes"] * 75}
    >>> for alarm in audit(ask(Dataset.of(columns), "gone")):
    ...     print(alarm.code, alarm.level, alarm.columns)
    LB001 severe ('fled',)
    """
    question = _with_known_target(question)
    if not question.n or not question.features:
        return []
    with np.errstate(all="ignore"):
        found = list(_findings(View(question, seed)))
    alarms = [CATALOGUE[evidence.code].alarm(evidence) for evidence in found]
    return sorted(alarms, key=lambda alarm: (ORDER[alarm.level], alarm.code))


def unlooked() -> list[Alarm]:
    """What is to be said of a table whose audit somebody has interrupted."""
    return [CATALOGUE["LB056"].alarm(Evidence("LB056", "the look through the table was interrupted"))]


def _with_known_target(question: Question) -> Question:
    """The rows whose target is known."""
    if question.target is None:
        return question
    gone = is_missing(question.y)
    if question.y.dtype.kind == "f":
        gone = gone | np.isinf(question.y)
    return question.rows(~gone) if gone.any() else question


def _findings(view: View) -> Iterator[Evidence]:
    """What the checks find; those that there was no time for are named, as silence would pass for a clean table."""
    checks = _checks(view.question)
    for done, check in enumerate(checks):
        try:
            ambient.give_way()
            found = list(check(view))
        except BudgetError:
            names = [one.__name__.replace("_", " ") for one in checks[done:]]
            yield Evidence(
                "LB056", f"{done} of {len(checks)} checks {agree('was', done)} done; not looked for: {listed(names)}"
            )
            return
        yield from found


def _checks(question: Question) -> tuple[Check, ...]:
    """The checks that a question allows, those that matter most first."""
    if question.target is None:
        return ANY_TABLE
    return (leaks, *ANY_TABLE, *WITH_TARGET, *(WITH_CLASSES if question.classifies else WITH_AMOUNTS))


def leaks(view: View) -> Findings:
    """Columns that know too much, each in the worst of its alarms alone."""
    strength = powers(view)
    leaking: set[str] = set()
    for check in _leak_checks(view):
        for found in check(view, strength, frozenset(leaking)):
            leaking.update(found.columns)
            yield found


def _leak_checks(view: View) -> tuple[leakage.LeakCheck, ...]:
    always = (leakage.copies, leakage.golden_columns, leakage.named_after_target, leakage.nearly_copies)
    more = (separation.divided_by_a_plane, separation.values_of_one_class) if view.question.classifies else ()
    return always + more
