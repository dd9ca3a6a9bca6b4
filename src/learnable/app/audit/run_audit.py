"""The audit of a table: all checks that apply to the task, their findings as alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...core import BudgetError
from ...core.runtime import context
from ...core.validate.mixed_table import is_missing
from ..task import Question
from ..text import agree, listed
from . import (
    class_separation,
    collinearity,
    column_checks,
    duplicates,
    leakage,
    missing_values,
    nearest_neighbour_checks,
    sample_size,
    target,
    text_columns,
    time_order,
)
from .alarm import Alarm
from .catalogue import CATALOGUE
from .evidence import AlarmEvidence, Findings
from .table_view import AuditView
from .univariate_power import powers

Check = Callable[[AuditView], Findings]
ORDER = {"severe": 0, "warning": 1, "note": 2}
ANY_TABLE: tuple[Check, ...] = (
    column_checks.id_columns,
    column_checks.empty_columns,
    column_checks.constant_columns,
    column_checks.nearly_constant_columns,
    column_checks.infinite_entries,
    column_checks.outliers,
    column_checks.sentinels,
    text_columns.high_cardinality,
    text_columns.free_texts,
    text_columns.numbers_as_text,
    text_columns.mixed_types,
    text_columns.spellings,
    text_columns.texts_for_missing,
    collinearity.duplicate_columns,
    collinearity.linear_combinations,
    missing_values.mostly_missing,
    missing_values.missing_together,
    missing_values.empty_rows,
    duplicates.duplicate_rows,
    duplicates.drift,
    nearest_neighbour_checks.near_duplicates_and_label_errors,
    sample_size.few_rows,
    sample_size.more_columns_than_rows,
    sample_size.few_groups,
    sample_size.dominant_weights,
)
WITH_TARGET: tuple[Check, ...] = (
    leakage.groups,
    time_order.row_order,
    time_order.times,
    time_order.groups_over_time,
    missing_values.informative_missingness,
    target.unsuitable_target,
    target.ambiguous_task,
)
WITH_CLASSES: tuple[Check, ...] = (
    target.rare_classes,
    target.imbalance,
    text_columns.class_spellings,
    sample_size.few_rows_per_class,
)
WITH_AMOUNTS: tuple[Check, ...] = (
    target.nearly_constant_amount,
    target.skewed_amount,
    target.capped_amount,
    target.outlying_amounts,
)


def audit(question: Question, seed: int = 0) -> list[Alarm]:
    """Audit a table: alarms about leakage and data quality, severe ones first, then by code.

    The cost grows with the number of cells; more expensive checks use a sample drawn with the seed. Tests are
    corrected for the number of columns and must show a relevant effect, so that a clean table has no alarms. If a
    budget ends before the last check, an alarm reports it.

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
        found = list(_findings(AuditView(question, seed)))
    alarms = [CATALOGUE[evidence.code].alarm(evidence) for evidence in found]
    return sorted(alarms, key=lambda alarm: (ORDER[alarm.level], alarm.code))


def interrupted_audit() -> list[Alarm]:
    """The alarm of a table whose audit was interrupted."""
    return [CATALOGUE["LB056"].alarm(AlarmEvidence("LB056", "the audit was interrupted"))]


def _with_known_target(question: Question) -> Question:
    """The task restricted to rows with a known target."""
    if question.target is None:
        return question
    missing = is_missing(question.y)
    if question.y.dtype.kind == "f":
        missing = missing | np.isinf(question.y)
    return question.rows(~missing) if missing.any() else question


def _findings(view: AuditView) -> Iterator[AlarmEvidence]:
    """The findings of the checks; skipped checks are named, because a table without alarms would count as clean."""
    checks = _checks(view.question)
    for done, check in enumerate(checks):
        try:
            context.give_way()
            found = list(check(view))
        except BudgetError:
            names = [one.__name__.replace("_", " ") for one in checks[done:]]
            yield AlarmEvidence(
                "LB056", f"{done} of {len(checks)} checks {agree('was', done)} done; not checked: {listed(names)}"
            )
            return
        yield from found


def _checks(question: Question) -> tuple[Check, ...]:
    """The checks that apply to a task, the most important first."""
    if question.target is None:
        return ANY_TABLE
    return (leakage_checks, *ANY_TABLE, *WITH_TARGET, *(WITH_CLASSES if question.classifies else WITH_AMOUNTS))


def leakage_checks(view: AuditView) -> Findings:
    """Leaking columns, each only in the most severe of its alarms."""
    power = powers(view)
    leaking: set[str] = set()
    for check in _checks_for_leakage(view):
        for found in check(view, power, frozenset(leaking)):
            leaking.update(found.columns)
            yield found


def _checks_for_leakage(view: AuditView) -> tuple[leakage.LeakageCheck, ...]:
    always = (leakage.copies, leakage.near_perfect_predictors, leakage.named_after_target, leakage.near_copies)
    more = (
        (class_separation.linearly_separable_classes, class_separation.values_of_one_class)
        if view.question.classifies
        else ()
    )
    return always + more
