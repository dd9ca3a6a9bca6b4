"""Single columns that teach nothing, or not what they seem to: ids, constants, gaps, infinities, codes for missing."""

from __future__ import annotations

import re

import numpy as np

from ...core import Array
from ..format_number import figure
from ..text import MOST_LISTED, counted, listed, percent, quoted
from .encoded_columns import as_numbers
from .evidence import Evidence, Findings, shown
from .table_view import View
from .text_columns import is_text

FEWEST = 20  # known entries that a column must have to be judged
MOSTLY = 0.99  # share of one value from which a column is nearly constant
FAR = 10.0  # quartile ranges beyond the quartiles from which an entry is an outlier
MANY_VALUES = 50
FEW = 0.1  # share of rows up to which a number may stand for missing though it could be an amount
SENTINELS = (0.0, -1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, -88.0, -77.0, 1e20, -1e20)
NAMED_ID = re.compile(r"(^|[\W_])(id|ids|uuid|guid|key|index|nr|no|rownum|rowid)($|[\W_])|[a-z](Id|ID)$", re.IGNORECASE)


def id_columns(view: View) -> Findings:
    """Columns whose entries are all different and number or name the rows."""
    facts = view.facts
    unlike = (facts.distinct == facts.known) & (facts.known >= FEWEST) & (facts.missing == 0)
    unlike &= (facts.number == 0) | ((facts.whole == 1) & _is_plain_number(view))
    found = [name for name in view.chosen(unlike) if _is_id(view, name)]
    if found:
        yield Evidence(
            "LB010", f"every one of {view.n} rows has another value in {quoted(found, MOST_LISTED)}", tuple(found)
        )


def _is_plain_number(view: View) -> Array:
    return np.array([view.values(name).dtype.kind in "iuf" for name in view.names])


def _is_id(view: View, name: str) -> bool:
    if view.is_number(name):
        return _numbers_the_rows(as_numbers(view.values(name)), bool(NAMED_ID.search(name)))
    short = not is_text(view.words[name])
    return (short or bool(NAMED_ID.search(name))) and len(set(view.values(name).astype(str))) == view.n


def _numbers_the_rows(numbers: Array, named: bool) -> bool:
    """Whether whole numbers are all different, and without gaps, in the order of rows, or called an id."""
    ordered = np.sort(numbers)
    steps = np.diff(numbers)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    return bool((np.diff(ordered) > 0).all()) and (named or in_order or ordered[-1] - ordered[0] == len(numbers) - 1)


def empty_columns(view: View) -> Findings:
    """Columns without any entry."""
    found = view.chosen(view.facts.missing == view.n)
    if found:
        yield Evidence("LB013", f"no row has a value in {quoted(found, MOST_LISTED)}", found)


def constant_columns(view: View) -> Findings:
    """Columns with one value in all rows that have one."""
    facts = view.facts
    same = np.where(facts.number == 1, facts.low == facts.high, facts.distinct == 1)
    found = [name for name in view.chosen(same & (facts.missing < view.n)) if _is_constant(view, name)]
    if found and view.n > 1:
        values = [f"{name!r} = {shown(view.codes(name).values[0])}" for name in found]
        yield Evidence("LB011", f"the same value in every row that has one: {listed(values)}", tuple(found))


def _is_constant(view: View, name: str) -> bool:
    if view.is_number(name) or len(view.rows) == view.n:
        return bool(view.codes(name).values)
    first = view.words[name].values[0]
    return all(entry is None or entry != entry or entry == first for entry in view.values(name).tolist())


def nearly_constant_columns(view: View) -> Findings:
    """Columns in which one value is all but alone."""
    facts = view.facts
    near = (facts.common >= MOSTLY * facts.known) & (facts.distinct > 1) & (facts.known >= 100)
    found = view.chosen(near)
    if found:
        shares = [f"{name!r} ({percent(share)})" for name, share in zip(found, _shares(view, near), strict=True)]
        text = f"one value fills nearly all rows of {listed(shares)}{view.scope(rows=True)}"
        yield Evidence("LB012", text, found)


def _shares(view: View, chosen: Array) -> list[float]:
    return [float(share) for share in (view.facts.common / np.maximum(view.facts.known, 1))[chosen]]


def infinite_entries(view: View) -> Findings:
    """Columns with infinite numbers."""
    found = view.chosen(view.facts.infinite > 0)
    if found:
        counts = view.facts.infinite[view.facts.infinite > 0].astype(int).tolist()
        rows = [f"{name!r} ({counted(count, 'row')})" for name, count in zip(found, counts, strict=True)]
        yield Evidence("LB021", f"infinite numbers in {listed(rows)}", found)


def outliers(view: View) -> Findings:
    """Columns with entries very far from the rest."""
    facts = view.facts
    reach = FAR * (facts.third_quartile - facts.first_quartile)
    low, high = facts.first_quartile - reach, facts.third_quartile + reach
    beyond = (facts.low < low) | (facts.high > high)
    judged = beyond & (reach > 0) & (facts.distinct > MANY_VALUES) & _is_plain_number(view)
    judged &= np.isfinite(facts.low) & np.isfinite(facts.high)
    judged[[view.places[name] for name in _coded_gaps(view)]] = False
    found, places = view.chosen(judged), np.flatnonzero(judged)
    if found:
        told = [
            _farthest(view, name, low[place], high[place]) for name, place in zip(found[:6], places[:6], strict=True)
        ]
        more = [""] * (len(found) - len(told))
        yield Evidence("LB020", f"entries more than {FAR:g} quartile ranges away: {listed(told + more)}", found)


def _farthest(view: View, name: str, low: float, high: float) -> str:
    numbers = as_numbers(view.values(name))
    beyond = numbers[(numbers < low) | (numbers > high)]
    extreme = beyond[np.argmax(np.abs(beyond - (low + high) / 2))]
    expected = f"{figure(low, 4)} to {figure(high, 4)}"
    return f"{name!r} ({counted(len(beyond), 'row')}, as far as {figure(extreme, 6)}; expected {expected})"


def sentinels(view: View) -> Findings:
    """Columns where a number such as -999 stands far outside the rest, again and again."""
    told = _coded_gaps(view)
    if told:
        yield Evidence("LB022", f"{listed(list(told.values()))}{view.scope(rows=True)}", tuple(told))


def _coded_gaps(view: View) -> dict[str, str]:
    """Columns whose smallest or largest number is a code for missing, and what they hold."""
    facts = view.facts
    edge = np.isin(facts.low, SENTINELS) | np.isin(facts.high, SENTINELS)
    return {name: text for name in view.chosen(edge & (facts.known >= FEWEST)) if (text := _sentinel(view, name))}


def _sentinel(view: View, name: str) -> str:
    """What a column has for a code for missing; nothing if there is none."""
    if view.values(name).dtype.kind not in "iuf":
        return ""
    numbers = view.numbers(name)
    numbers = numbers[np.isfinite(numbers)]
    for code in (numbers.min(), numbers.max()) if len(numbers) else ():
        rest = numbers[numbers != code]
        count = len(numbers) - len(rest)
        few = count <= FEW * len(numbers)
        if code in SENTINELS and _stands_apart(code, rest, few) and count >= max(3, 0.002 * len(numbers)):
            others = f"{figure(rest.min(), 4)} to {figure(rest.max(), 4)}"
            return f"{name!r} is {code:g} in {counted(count, 'row')} but {others} elsewhere"
    return ""


def _stands_apart(code: float, rest: Array, few: bool) -> bool:
    """Whether a code lies outside the rest by more than the range of the rest, or is the only negative number.

    Zeros that are few are one if they lie as far outside as half of the rest is wide: nobody weighs nothing.
    """
    if len(np.unique(rest)) < 10:
        return False
    gap = max(rest.min() - code, code - rest.max())
    if code == 0:
        return bool(few and gap >= np.subtract(*np.quantile(rest, [0.75, 0.25])) > 0)
    alone = code < 0 <= rest.min() and abs(code) >= 9
    return bool(gap > 0 and (gap >= rest.max() - rest.min() or alone))
