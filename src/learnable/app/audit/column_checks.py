"""Checks of single columns: identifiers, constants, empty columns, infinities, outliers, sentinels for missing."""

from __future__ import annotations

import re

import numpy as np

from ...core import Array
from ..format_number import figure
from ..text import MAX_LISTED, counted, listed, percent, quoted
from .encoded_columns import as_numbers
from .evidence import AlarmEvidence, Findings, value_text
from .table_view import AuditView

MIN_ENTRIES = 20  # known entries that a column needs to be checked
MOSTLY = 0.99  # fraction of one value from which a column is nearly constant
MAX_RANGES = 10.0  # interquartile ranges beyond the quartiles from which an entry is an outlier
MANY_VALUES = 50
MAX_MISSING_CODE_FRACTION = 0.1  # largest fraction of rows in which a plausible number may mean missing
SENTINELS = (0.0, -1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, -88.0, -77.0, 1e20, -1e20)
NAMED_ID = re.compile(r"(^|[\W_])(id|ids|uuid|guid|key|index|nr|no|rownum|rowid)($|[\W_])|[a-z](Id|ID)$", re.IGNORECASE)


def id_columns(view: AuditView) -> Findings:
    """Columns that identify the rows: all entries are different."""
    statistics = view.statistics
    distinct = (statistics.distinct == statistics.known) & (statistics.known >= MIN_ENTRIES) & (statistics.missing == 0)
    distinct &= (statistics.number == 0) | ((statistics.whole == 1) & _is_plain_number(view))
    found = [name for name in view.chosen(distinct) if _is_id(view, name)]
    if found:
        yield AlarmEvidence(
            "LB010", f"all {view.n} rows have different values in {quoted(found, MAX_LISTED)}", tuple(found)
        )


def _is_plain_number(view: AuditView) -> Array:
    return np.array([view.values(name).dtype.kind in "iuf" for name in view.names])


def _is_id(view: AuditView, name: str) -> bool:
    if view.is_number(name):
        return _numbers_the_rows(as_numbers(view.values(name)), bool(NAMED_ID.search(name)))
    short = name not in view.question.texts
    return (short or bool(NAMED_ID.search(name))) and len(set(view.values(name).astype(str))) == view.n


def _numbers_the_rows(numbers: Array, named: bool) -> bool:
    """Whether integers are all different and either consecutive, in the order of the rows, or called an id."""
    ordered = np.sort(numbers)
    steps = np.diff(numbers)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    return bool((np.diff(ordered) > 0).all()) and (named or in_order or ordered[-1] - ordered[0] == len(numbers) - 1)


def empty_columns(view: AuditView) -> Findings:
    """Columns without any value."""
    found = view.chosen(view.statistics.missing == view.n)
    if found:
        yield AlarmEvidence("LB013", f"no row has a value in {quoted(found, MAX_LISTED)}", found)


def constant_columns(view: AuditView) -> Findings:
    """Columns with the same value in all rows that have one."""
    statistics = view.statistics
    same = np.where(statistics.number == 1, statistics.low == statistics.high, statistics.distinct == 1)
    found = [name for name in view.chosen(same & (statistics.missing < view.n)) if _is_constant(view, name)]
    if found and view.n > 1:
        values = [f"{name!r} = {value_text(view.codes(name).values[0])}" for name in found]
        yield AlarmEvidence("LB011", f"the same value in every row that has one: {listed(values)}", tuple(found))


def _is_constant(view: AuditView, name: str) -> bool:
    if view.is_number(name) or len(view.rows) == view.n:
        return bool(view.codes(name).values)
    first = view.text_columns[name].values[0]
    return all(entry is None or entry != entry or entry == first for entry in view.values(name).tolist())


def nearly_constant_columns(view: AuditView) -> Findings:
    """Columns in which nearly all rows have the same value."""
    statistics = view.statistics
    near = (statistics.common >= MOSTLY * statistics.known) & (statistics.distinct > 1) & (statistics.known >= 100)
    found = view.chosen(near)
    if found:
        described = [f"{name!r} ({percent(top)})" for name, top in zip(found, _frequencies(view, near), strict=True)]
        text = f"one value in nearly all rows of {listed(described)}{view.scope(rows=True)}"
        yield AlarmEvidence("LB012", text, found)


def _frequencies(view: AuditView, chosen: Array) -> list[float]:
    return [float(top) for top in (view.statistics.common / np.maximum(view.statistics.known, 1))[chosen]]


def infinite_entries(view: AuditView) -> Findings:
    """Columns with infinite values."""
    found = view.chosen(view.statistics.infinite > 0)
    if found:
        counts = view.statistics.infinite[view.statistics.infinite > 0].astype(int).tolist()
        rows = [f"{name!r} ({counted(count, 'row')})" for name, count in zip(found, counts, strict=True)]
        yield AlarmEvidence("LB021", f"infinite values in {listed(rows)}", found)


def outliers(view: AuditView) -> Findings:
    """Columns with extreme outliers."""
    statistics = view.statistics
    reach = MAX_RANGES * (statistics.third_quartile - statistics.first_quartile)
    low, high = statistics.first_quartile - reach, statistics.third_quartile + reach
    beyond = (statistics.low < low) | (statistics.high > high)
    checked = beyond & (reach > 0) & (statistics.distinct > MANY_VALUES) & _is_plain_number(view)
    checked &= np.isfinite(statistics.low) & np.isfinite(statistics.high)
    checked[[view.positions[name] for name in _missing_codes(view)]] = False
    found, indices = view.chosen(checked), np.flatnonzero(checked)
    if found:
        described = [
            _farthest(view, name, low[index], high[index]) for name, index in zip(found[:6], indices[:6], strict=True)
        ]
        more = [""] * (len(found) - len(described))
        yield AlarmEvidence(
            "LB020",
            f"entries more than {MAX_RANGES:g} interquartile ranges beyond the quartiles: {listed(described + more)}",
            found,
        )


def _farthest(view: AuditView, name: str, low: float, high: float) -> str:
    numbers = as_numbers(view.values(name))
    beyond = numbers[(numbers < low) | (numbers > high)]
    extreme = beyond[np.argmax(np.abs(beyond - (low + high) / 2))]
    expected = f"{figure(low, 4)} to {figure(high, 4)}"
    return f"{name!r} ({counted(len(beyond), 'row')}, as far as {figure(extreme, 6)}; expected {expected})"


def sentinels(view: AuditView) -> Findings:
    """Columns with sentinels: a number such as -999, repeated and far outside the other values."""
    described = _missing_codes(view)
    if described:
        yield AlarmEvidence("LB022", f"{listed(list(described.values()))}{view.scope(rows=True)}", tuple(described))


def _missing_codes(view: AuditView) -> dict[str, str]:
    """Columns whose smallest or largest number is a sentinel for missing, with a description."""
    statistics = view.statistics
    edge = np.isin(statistics.low, SENTINELS) | np.isin(statistics.high, SENTINELS)
    return {
        name: text for name in view.chosen(edge & (statistics.known >= MIN_ENTRIES)) if (text := _sentinel(view, name))
    }


def _sentinel(view: AuditView, name: str) -> str:
    """The description of the sentinel of a column; empty if it has none."""
    if view.values(name).dtype.kind not in "iuf":
        return ""
    numbers = view.numbers(name)
    numbers = numbers[np.isfinite(numbers)]
    for code in (numbers.min(), numbers.max()) if len(numbers) else ():
        rest = numbers[numbers != code]
        count = len(numbers) - len(rest)
        few = count <= MAX_MISSING_CODE_FRACTION * len(numbers)
        if code in SENTINELS and _stands_apart(code, rest, few) and count >= max(3, 0.002 * len(numbers)):
            others = f"{figure(rest.min(), 4)} to {figure(rest.max(), 4)}"
            return f"{name!r} is {code:g} in {counted(count, 'row')} and {others} elsewhere"
    return ""


def _stands_apart(code: float, rest: Array, few: bool) -> bool:
    """Whether a sentinel lies outside the rest by more than the range of the rest, or is the only negative number.

    A few zeros count as one if they lie outside the rest by its interquartile range or more: a weight is never 0.
    """
    if len(np.unique(rest)) < 10:
        return False
    gap = max(rest.min() - code, code - rest.max())
    if code == 0:
        return bool(few and gap >= np.subtract(*np.quantile(rest, [0.75, 0.25])) > 0)
    alone = code < 0 <= rest.min() and abs(code) >= 9
    return bool(gap > 0 and (gap >= rest.max() - rest.min() or alone))
