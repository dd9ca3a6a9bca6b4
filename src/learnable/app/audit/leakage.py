"""Columns that know the target too well: copies, near copies, names that betray, groups whose rows belong together."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from ...core import Array
from .evidence import Evidence, Findings, chance, counted, listed
from .odds import ALPHA, analysis_of_variance, standing_out
from .power import Power, Powers
from .view import View, ranks

Leaking = frozenset[str]  # columns that an alarm has named already
LeakCheck = Callable[[View, Powers, Leaking], Findings]
FEWEST = 20  # rows that a copy must agree in
GOLDEN = {True: 0.98, False: 0.99}  # share of errors that one column saves: of classes, of amounts
NAMED = 0.5  # the same for a column that is called after the target
SHARED = 0.2  # intraclass correlation of rows that share a value
MANY_GROUPS, NAMED_GROUPS = 30, 5
LARGEST_GROUP = 0.25  # share of rows; a value that has more, such as a usual 0, names no group
NAMED_GROUP = re.compile(
    r"(id|ids|key|code|group|batch|site|store|shop|user|customer|client|patient|subject|person|session|household|family"
    r"|school|player|device|machine|sensor|account|employee|student|hospital|author|email)s?$",
    re.IGNORECASE,
)


def copies(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that are the target in other words: each of their values stands for one of its values."""
    told = {name: text for name in view.closest if (text := _copies(view, name))}
    if told:
        text = "; ".join(f"{name} {how}" for name, how in list(told.items())[:5])
        yield Evidence("LB001", f"{text}{view.scope(rows=True)}", tuple(told))


def _copies(view: View, name: str) -> str:
    """How a column copies the target; nothing if it does not."""
    target = view.target
    if not view.question.classifies and view.is_number(name) and len(np.unique(target)) > len(target) / 2:
        return _same_order(view.numbers(name), target)
    column = view.codes(name)
    known = column.codes >= 0
    codes, places = column.codes[known], np.unique(target[known], return_inverse=True)[1]
    if known.sum() < max(FEWEST, 0.9 * len(target)) or not _one_to_one(codes, places):
        return ""
    if _luck(places) + math.log(len(view.names)) > math.log(ALPHA):
        return ""
    rows = counted(len(codes), "row")
    return f"has one value for each of the {places.max() + 1} values of the target, in all {rows}"


def _one_to_one(codes: Array, places: Array) -> bool:
    """Whether each value of one column goes with one value of the other, both ways."""
    pairs = len(np.unique(codes * (places.max() + 1) + places))
    return pairs == len(np.unique(codes)) == places.max() + 1 and 1 < pairs <= len(codes) / 2


def _luck(places: Array) -> float:
    """Logarithm of the chance that a column with the same counts agrees with the target, in any of its orders."""
    counts = np.bincount(places)
    return float(counts @ np.log(counts / len(places))) + math.lgamma(len(counts) + 1)


def _same_order(entries: Array, target: Array) -> str:
    """Whether amounts rise, or fall, exactly as the target does."""
    known = np.isfinite(entries)
    if known.sum() < max(FEWEST, 0.9 * len(target)):
        return ""
    first, second = ranks(entries[known]), ranks(target[known])
    rising, falling = bool((first == second).all()), bool((first + second == len(first) + 1).all())
    if not (rising or falling):
        return ""
    rows = counted(len(first), "row")
    if bool((entries[known] == target[known]).all()):
        return f"equals the target in all {rows}"
    return f"{'rises' if rising else 'falls'} exactly where the target rises, in all {rows}"


def golden_columns(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that predict the target almost perfectly, alone, on rows left out."""
    floor = GOLDEN[view.question.classifies]
    found = {
        name: power
        for name, power in powers.items()
        if power.score >= floor and power.p_value < ALPHA and name not in leaking
    }
    if found:
        told = [f"{name} ({_saved(view, power)})" for name, power in found.items()]
        text = f"alone, on rows left out: {listed(told)}{view.scope(rows=True, columns=True)}"
        yield Evidence("LB002", text, tuple(found))


def _saved(view: View, power: Power) -> str:
    if not view.question.classifies:
        return f"R² {power.score:.4f}"
    return f"saves {100 * power.score:.1f} % of the baseline's errors"


def named_after_target(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that carry the name of the target and predict it well."""
    target = str(view.question.target).casefold()
    told = {}
    for name, power in powers.items():
        telling = power.score >= NAMED and power.p_value < ALPHA and name not in leaking
        if telling and len(target) >= 3 and target in name.casefold():
            told[name] = f"{name} ({_saved(view, power)}, alone)"
    if told:
        yield Evidence("LB003", f"called after {view.question.target!r}: {listed(list(told.values()))}", tuple(told))


def groups(view: View) -> Findings:
    """Columns whose rows with one value share the target more than chance, as rows of one person would."""
    if view.question.group is not None:
        return
    names = [name for name in view.closest if _may_group(view, name)]
    if not names:
        return
    effects, p_values = np.array([_shared(view, name) for name in names]).T
    found = np.flatnonzero(standing_out(p_values, effects, SHARED)).tolist()
    if found:
        told = [
            f"{names[place]} (intraclass correlation {effects[place]:.2f}, {chance(p_values[place])})"
            for place in found
        ]
        text = f"rows with the same value share the target: {listed(told)}{view.scope(rows=True)}"
        yield Evidence("LB004", text, tuple(names[place] for place in found))


def _may_group(view: View, name: str) -> bool:
    """Whether a column has many values that come back, words or whole numbers, as the name of a group would."""
    place = view.places[name]
    facts = view.facts
    distinct, known = facts.distinct[place], facts.known[place]
    if view.values(name).dtype.kind in "bmM" or (view.is_number(name) and not facts.whole[place]):
        return False
    fewest = NAMED_GROUPS if NAMED_GROUP.search(name) else MANY_GROUPS
    return bool(fewest <= distinct <= known / 2 and facts.common[place] <= LARGEST_GROUP * known)


def _shared(view: View, name: str) -> tuple[float, float]:
    """The intraclass correlation of the target, and its p value; for numbers, beyond what their order explains."""
    column = view.codes(name)
    known = column.codes >= 0
    values = np.arange(len(column.values))
    around = values // 2 if view.is_number(name) else values * 0
    found = [analysis_of_variance(column.codes[known], side, around) for side in view.sides[:, known]]
    effect, p_value = min(found, key=lambda pair: pair[1])
    return effect, min(1.0, p_value * len(found))
