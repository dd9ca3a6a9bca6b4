"""The audit of a table: every check that the question allows, its findings as alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...core import BudgetError
from ...core.runtime import context
from ...core.validate.mixed_table import is_missing
from ..task import Question
from ..text import agree, listed
from . import (
    collinearity,
    duplicates,
    leakage,
    missing_values,
    nearest_rows,
    sample_size,
    separation,
    single_columns,
    target,
    text_columns,
    time_order,
)
from .alarm import Alarm
from .catalogue import CATALOGUE
from .evidence import Evidence, Findings
from .table_view import View
from .univariate_power import powers

Check = Callable[[View], Findings]
ORDER = {"severe": 0, "warning": 1, "note": 2}
ANY_TABLE: tuple[Check, ...] = (
    single_columns.id_columns,
    single_columns.empty_columns,
    single_columns.constant_columns,
    single_columns.nearly_constant_columns,
    single_columns.infinite_entries,
    single_columns.outliers,
    single_columns.sentinels,
    text_columns.many_categories,
    text_columns.free_texts,
    text_columns.numbers_as_words,
    text_columns.mixed_types,
    text_columns.spellings,
    text_columns.words_for_missing,
    collinearity.equal_columns,
    collinearity.derived_columns,
    missing_values.mostly_missing,
    missing_values.missing_together,
    missing_values.empty_rows,
    duplicates.repeated_rows,
    duplicates.drift,
    nearest_rows.nearest,
    sample_size.few_rows,
    sample_size.more_columns_than_rows,
    sample_size.few_groups,
    sample_size.heavy_rows,
)
WITH_TARGET: tuple[Check, ...] = (
    leakage.groups,
    time_order.order_of_rows,
    time_order.times,
    time_order.groups_over_time,
    missing_values.missing_tells_target,
    target.no_thing_to_predict,
    target.classes_or_amounts,
)
WITH_CLASSES: tuple[Check, ...] = (
    target.rare_classes,
    target.imbalance,
    text_columns.classes_spelled_apart,
    sample_size.few_rows_per_class,
)
WITH_AMOUNTS: tuple[Check, ...] = (
    target.nearly_constant_amount,
    target.skewed_amount,
    target.capped_amount,
    target.outlying_amounts,
)


def audit(question: Question, seed: int = 0) -> list[Alarm]:
    """What in a table makes a study of it worth less than it looks: severe alarms first, then by code.

    Costs grow with the number of cells; what would cost more looks at a sample that the seed decides. Tests are
    corrected for the number of columns and must show an effect that matters, so that a clean table has no alarms. If a
    budget ends before the last check, an alarm says so.

    >>> from learnable.app.task import ask
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
            context.give_way()
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
