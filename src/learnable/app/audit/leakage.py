"""Columns that know the target too well: copies, near copies, names that betray, groups whose rows belong together."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from ...core import Array
from ..text import counted, listed, percent
from .evidence import Evidence, Findings, chance
from .significance import ALPHA, analysis_of_variance, standing_out
from .table_view import View, ranks
from .univariate_power import Power, Powers

Leaking = frozenset[str]  # columns that an alarm has named already
LeakCheck = Callable[[View, Powers, Leaking], Findings]
FEWEST = 20  # rows that a copy must agree in
GOLDEN = {True: 0.98, False: 0.99}  # share of errors that one column saves: of classes, of amounts
NEAR = 0.9  # the same for a column that tells nearly all, and the share of rows in which it may equal the target
AHEAD = 0.5  # share of the errors of the next best column that such a column has left at most
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
        text = "; ".join(f"{name!r} {how}" for name, how in list(told.items())[:5])
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
    found = _telling(powers, leaking, GOLDEN[view.question.classifies])
    if found:
        yield Evidence("LB002", _alone(view, found), tuple(found))


def nearly_copies(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that tell nearly all of the target, far ahead of all others or in its own values."""
    telling = _telling(powers, leaking, NEAR)
    different = {powers[name].score for name in powers.keys() - leaking}  # copies of one column stand for one
    second, best = sorted([0.0, 0.0, *different])[-2:]
    ahead = 1 - best <= AHEAD * (1 - second)
    found = {
        name: power for name, power in telling.items() if (ahead and power.score == best) or _has_its_values(view, name)
    }
    if found:
        yield Evidence("LB057", _alone(view, found), tuple(found))


def _telling(powers: Powers, leaking: Leaking, floor: float) -> Powers:
    """The columns that no alarm has named yet and that tell so much, not by luck."""
    return {
        name: power
        for name, power in powers.items()
        if power.score >= floor and power.p_value < ALPHA and name not in leaking
    }


def _has_its_values(view: View, name: str) -> bool:
    """Whether a column has as many values as there are classes, or equals an amount in most rows."""
    if view.question.classifies:
        return len(view.codes(name).values) == len(view.classes.values)
    return view.is_number(name) and bool((view.numbers(name) == view.target).mean() >= NEAR)


def _alone(view: View, found: Powers) -> str:
    told = [f"{name!r} ({_saved(view, power)})" for name, power in found.items()]
    return f"alone, on rows left out: {listed(told)}{view.scope(rows=True, columns=True)}"


def _saved(view: View, power: Power) -> str:
    if not view.question.classifies:
        return f"R² {power.score:.4f}"
    return f"saves {percent(power.score)} of the baseline's errors"


def named_after_target(view: View, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that carry the name of the target and predict it well."""
    target = str(view.question.target).casefold()
    telling = _telling(powers, leaking, NAMED) if len(target) >= 3 else {}
    told = {
        name: f"{name!r} ({_saved(view, power)}, alone)" for name, power in telling.items() if target in name.casefold()
    }
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
            f"{names[place]!r} (intraclass correlation {effects[place]:.2f}, {chance(p_values[place])})"
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
