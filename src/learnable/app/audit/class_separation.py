"""Separation: linearly separable classes, and values whose rows are all of one class."""

from __future__ import annotations

import math

import numpy as np

from ...core import Array
from ...theory import separable
from ..text import counted, listed
from .evidence import AlarmEvidence, Findings, value_text
from .leakage import Leaking
from .significance import ALPHA
from .table_view import AuditView, sampled_indices, standardised
from .univariate_power import Powers

MAX_ROWS, MAX_COLUMNS = 1000, 50
MIN_ROWS = 20  # rows of a value needed to report that all are of one class


def linearly_separable_classes(view: AuditView, powers: Powers, leaking: Leaking) -> Findings:
    """Two classes that a linear combination of the numeric columns separates."""
    names = [name for name in view.closest if view.is_number(name) and name not in leaking][:MAX_COLUMNS]
    indices = sampled_indices(len(view.rows), MAX_ROWS, view.seed, 3)
    labels = view.target[indices]
    if view.question.task != "binary" or not names or len(np.unique(labels)) < 2 or len(labels) < MIN_ROWS:
        return
    if _log_probability(labels, len(names) + 1) > math.log(ALPHA):
        return
    stack = standardised(np.stack([view.numbers(name)[indices] for name in names]))
    if _nearly_separable(stack.T, labels) and separable(stack.T, labels - 0.5):
        how = repr(names[0]) if len(names) == 1 else f"a linear combination of {counted(len(names), 'column')}"
        text = f"{how} separates the classes of {counted(len(labels), 'row')} without an error"
        yield AlarmEvidence("LB046", text, tuple(names))


def _log_probability(labels: Array, parameters: int) -> float:
    """Logarithm of a bound on the probability that random labels are linearly separable. [Cover, 1965]"""
    n, positive = len(labels), int(labels.sum())
    terms = [_choose(n - 1, k) for k in range(min(parameters, n))]
    top = max(terms)
    return math.log(2) + top + math.log(sum(math.exp(term - top) for term in terms)) - _choose(n, positive)


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _nearly_separable(rows: Array, labels: Array) -> bool:
    """Whether a least-squares classifier makes few errors; if not, the classes are not separable in practice."""
    lifted = np.column_stack([rows, np.ones(len(rows))])
    plane = np.linalg.lstsq(lifted, labels - labels.mean(), rcond=None)[0]
    order = np.argsort(lifted @ plane, kind="stable")
    ordered = labels[order]
    errors = np.cumsum(ordered) + (len(ordered) - ordered.sum()) - np.cumsum(1 - ordered)
    return bool(errors.min() <= 0.1 * min(ordered.sum(), len(ordered) - ordered.sum()))


def values_of_one_class(view: AuditView, powers: Powers, leaking: Leaking) -> Findings:
    """Categories whose rows are all of one class, so that coefficients diverge."""
    names = [name for name in view.closest if name in view.text_columns and name not in leaking]
    classes = int(view.target.max()) + 1
    frequencies = np.bincount(view.target, minlength=classes) / len(view.target)
    values = sum(len(view.text_columns[name].values) for name in names)
    described = {name: text for name in names if (text := _pure(view, name, frequencies, max(values, 1)))}
    if described:
        yield AlarmEvidence("LB047", f"{listed(list(described.values()))}{view.scope(rows=True)}", tuple(described))


def _pure(view: AuditView, name: str, frequencies: Array, values: int) -> str:
    """The most frequent value whose rows are all of one class, if chance does not explain it."""
    column = view.text_columns[name]
    known, classes = column.codes >= 0, len(frequencies)
    pairs = column.codes[known] * classes + view.target[known]
    table = np.bincount(pairs, minlength=len(column.values) * classes).reshape(-1, classes)
    counts, best = table.sum(axis=1), table.argmax(axis=1)
    log_p = counts * np.log(np.maximum(frequencies[best], 1e-300)) + math.log(values)
    pure = (table.max(axis=1) == counts) & (counts >= MIN_ROWS) & (log_p < math.log(ALPHA))
    if not pure.any():
        return ""
    index = int(np.argmax(np.where(pure, counts, 0)))
    label = value_text(view.classes.values[int(best[index])])
    return f"all {counts[index]} rows with {name!r} = {value_text(column.values[index])} are {label}"
