"""Sample size: too few rows for the scores, the columns, the classes, the groups or the weights."""

from __future__ import annotations

import numpy as np

from ..text import counted, percent
from .encoded_columns import coded
from .evidence import AlarmEvidence, Findings
from .table_view import AuditView

FEW_ROWS = 100
FOLDS = 5
PER_COLUMN, PER_CLASS = 10, 10
MAX_FRACTION = 0.5


def few_rows(view: AuditView) -> Findings:
    """Too few rows for precise scores."""
    if view.n < FEW_ROWS:
        half = 1.96 * 0.5 / np.sqrt(max(view.n, 1))
        text = f"with {counted(view.n, 'row')} an accuracy near 50 % is known to within {percent(half)} at best"
        yield AlarmEvidence("LB048", text)


def more_columns_than_rows(view: AuditView) -> Findings:
    """More columns than rows, or few rows for each column."""
    columns = len(view.names)
    if columns >= view.n:
        yield AlarmEvidence("LB049", f"{counted(columns, 'column')} and {counted(view.n, 'row')}")
    elif view.n < PER_COLUMN * columns:
        yield AlarmEvidence("LB050", f"{view.n / columns:.3g} rows for each of {counted(columns, 'column')}")


def few_rows_per_class(view: AuditView) -> Findings:
    """Too few rows for the number of classes."""
    classes = len(view.classes.values)
    if classes > 2 and view.n < PER_CLASS * classes:
        yield AlarmEvidence("LB051", f"{counted(classes, 'class')} in {counted(view.n, 'row')}")


def few_groups(view: AuditView) -> Findings:
    """Fewer groups than folds, or one group with most of the rows."""
    if view.question.group is None:
        return
    column = coded(view.values(view.question.group))
    groups, columns = len(column.values), (view.question.group,)
    if groups < FOLDS:
        yield AlarmEvidence("LB052", f"{counted(groups, 'group')} in {view.question.group}, and {FOLDS} folds", columns)
    elif column.counts.max() > MAX_FRACTION * view.n:
        share = percent(column.counts.max() / view.n)
        yield AlarmEvidence("LB053", f"the largest of {groups} groups has {share} of the rows", columns)


def dominant_weights(view: AuditView) -> Findings:
    """Weights so unequal that the effective sample size is small."""
    weights = view.question.weights
    if weights is None or not np.isfinite(weights).all() or weights.max(initial=0.0) <= 0:
        return
    scaled = weights / weights.max()
    effective = float(scaled.sum() ** 2 / (scaled**2).sum())
    if effective < view.n / 5:
        text = f"the effective sample size of {view.n} weighted rows is about {effective:.3g}"
        yield AlarmEvidence("LB054", text, (str(view.question.weight),))
