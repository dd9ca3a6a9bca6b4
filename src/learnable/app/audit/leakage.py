"""Target leakage: copies of the target, near-perfect predictors, suspicious names, and groups of dependent rows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from ...core import Array
from ..text import counted, listed, percent
from .evidence import AlarmEvidence, Findings, p_value_text
from .significance import ALPHA, analysis_of_variance, significant_effects
from .table_view import AuditView, ranks
from .univariate_power import Power, Powers

Leaking = frozenset[str]  # columns of earlier alarms
LeakageCheck = Callable[[AuditView, Powers, Leaking], Findings]
MIN_ROWS = 20  # rows in which a copy must agree
NEAR_PERFECT = {True: 0.98, False: 0.99}  # reduction of the baseline's error by one column: for classes, for amounts
NEAR_COPY = 0.9  # the same for a near copy, and the fraction of rows in which it equals the target
AHEAD = 0.5  # maximum remaining error of a near copy relative to the next best column
NAMED = 0.5  # error reduction by a column whose name contains the target
SHARED = 0.2  # intraclass correlation of rows with equal values
MANY_GROUPS, NAMED_GROUPS = 30, 5
MAX_GROUP = 0.25  # fraction of rows; a more frequent value, such as a default 0, does not identify a group
NAMED_GROUP = re.compile(
    r"(id|ids|key|code|group|batch|site|store|shop|user|customer|client|patient|subject|person|session|household|family"
    r"|school|player|device|machine|sensor|account|employee|student|hospital|author|email)s?$",
    re.IGNORECASE,
)


def copies(view: AuditView, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that are the target under other names: their values correspond one to one."""
    described = {name: text for name in view.closest if (text := _copies(view, name))}
    if described:
        text = "; ".join(f"{name!r} {how}" for name, how in list(described.items())[:5])
        yield AlarmEvidence("LB001", f"{text}{view.scope(rows=True)}", tuple(described))


def _copies(view: AuditView, name: str) -> str:
    """How a column copies the target; nothing if it does not."""
    target = view.target
    if not view.question.classifies and view.is_number(name) and len(np.unique(target)) > len(target) / 2:
        return _same_order(view.numbers(name), target)
    column = view.codes(name)
    known = column.codes >= 0
    codes, indices = column.codes[known], np.unique(target[known], return_inverse=True)[1]
    if known.sum() < max(MIN_ROWS, 0.9 * len(target)) or not _one_to_one(codes, indices):
        return ""
    if _log_probability(indices) + math.log(len(view.names)) > math.log(ALPHA):
        return ""
    rows = counted(len(codes), "row")
    return f"corresponds one to one to the {indices.max() + 1} values of the target, in all {rows}"


def _one_to_one(codes: Array, indices: Array) -> bool:
    """Whether the values of two columns correspond one to one."""
    pairs = len(np.unique(codes * (indices.max() + 1) + indices))
    return pairs == len(np.unique(codes)) == indices.max() + 1 and 1 < pairs <= len(codes) / 2


def _log_probability(indices: Array) -> float:
    """Logarithm of the probability that a random column with the same counts corresponds to the target."""
    counts = np.bincount(indices)
    return float(counts @ np.log(counts / len(indices))) + math.lgamma(len(counts) + 1)


def _same_order(entries: Array, target: Array) -> str:
    """Whether a column is a monotone function of the target, and in which direction."""
    known = np.isfinite(entries)
    if known.sum() < max(MIN_ROWS, 0.9 * len(target)):
        return ""
    first, second = ranks(entries[known]), ranks(target[known])
    rising, falling = bool((first == second).all()), bool((first + second == len(first) + 1).all())
    if not (rising or falling):
        return ""
    rows = counted(len(first), "row")
    if bool((entries[known] == target[known]).all()):
        return f"equals the target in all {rows}"
    return f"{'increases' if rising else 'decreases'} exactly where the target increases, in all {rows}"


def near_perfect_predictors(view: AuditView, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that alone predict the target of held-out rows almost perfectly."""
    found = _predictive(powers, leaking, NEAR_PERFECT[view.question.classifies])
    if found:
        yield AlarmEvidence("LB002", _score_texts(view, found), tuple(found))


def near_copies(view: AuditView, powers: Powers, leaking: Leaking) -> Findings:
    """Columns that predict nearly all of the target, far better than all others or with its own values."""
    predictive = _predictive(powers, leaking, NEAR_COPY)
    different = {powers[name].score for name in powers.keys() - leaking}  # duplicates of one column count once
    second, best = sorted([0.0, 0.0, *different])[-2:]
    ahead = 1 - best <= AHEAD * (1 - second)
    found = {
        name: power
        for name, power in predictive.items()
        if (ahead and power.score == best) or _has_its_values(view, name)
    }
    if found:
        yield AlarmEvidence("LB057", _score_texts(view, found), tuple(found))


def _predictive(powers: Powers, leaking: Leaking, floor: float) -> Powers:
    """The columns without an alarm so far whose score reaches the floor significantly."""
    return {
        name: power
        for name, power in powers.items()
        if power.score >= floor and power.p_value < ALPHA and name not in leaking
    }


def _has_its_values(view: AuditView, name: str) -> bool:
    """Whether a column has as many values as there are classes, or equals the target in most rows."""
    if view.question.classifies:
        return len(view.codes(name).values) == len(view.classes.values)
    return view.is_number(name) and bool((view.numbers(name) == view.target).mean() >= NEAR_COPY)


def _score_texts(view: AuditView, found: Powers) -> str:
    described = [f"{name!r} ({_score_text(view, power)})" for name, power in found.items()]
    return f"alone, on held-out rows: {listed(described)}{view.scope(rows=True, columns=True)}"


def _score_text(view: AuditView, power: Power) -> str:
    if not view.question.classifies:
        return f"R² {power.score:.4f}"
    return f"avoids {percent(power.score)} of the baseline's errors"


def named_after_target(view: AuditView, powers: Powers, leaking: Leaking) -> Findings:
    """Columns whose name contains that of the target and that predict it well."""
    target = str(view.question.target).casefold()
    predictive = _predictive(powers, leaking, NAMED) if len(target) >= 3 else {}
    described = {
        name: f"{name!r} ({_score_text(view, power)}, alone)"
        for name, power in predictive.items()
        if target in name.casefold()
    }
    if described:
        yield AlarmEvidence(
            "LB003", f"named after {view.question.target!r}: {listed(list(described.values()))}", tuple(described)
        )


def groups(view: AuditView) -> Findings:
    """Columns whose rows with equal values have more similar targets than chance explains, as rows of one person do."""
    if view.question.group is not None:
        return
    names = [name for name in view.closest if _may_identify_groups(view, name)]
    if not names:
        return
    effects, p_values = np.array([_shared(view, name) for name in names]).T
    found = np.flatnonzero(significant_effects(p_values, effects, SHARED)).tolist()
    if found:
        described = [
            f"{names[index]!r} (intraclass correlation {effects[index]:.2f}, {p_value_text(p_values[index])})"
            for index in found
        ]
        text = f"rows with the same value have similar targets: {listed(described)}{view.scope(rows=True)}"
        yield AlarmEvidence("LB004", text, tuple(names[index] for index in found))


def _may_identify_groups(view: AuditView, name: str) -> bool:
    """Whether a column may identify groups: many repeated values, texts or integers."""
    index = view.positions[name]
    statistics = view.statistics
    distinct, known = statistics.distinct[index], statistics.known[index]
    if view.values(name).dtype.kind in "bmM" or (view.is_number(name) and not statistics.whole[index]):
        return False
    fewest = NAMED_GROUPS if NAMED_GROUP.search(name) else MANY_GROUPS
    return bool(fewest <= distinct <= known / 2 and statistics.common[index] <= MAX_GROUP * known)


def _shared(view: AuditView, name: str) -> tuple[float, float]:
    """The intraclass correlation of the target and its p-value; for numbers, beyond what their order explains."""
    column = view.codes(name)
    known = column.codes >= 0
    values = np.arange(len(column.values))
    around = values // 2 if view.is_number(name) else values * 0
    found = [analysis_of_variance(column.codes[known], side, around) for side in view.sides[:, known]]
    effect, p_value = min(found, key=lambda pair: pair[1])
    return effect, min(1.0, p_value * len(found))
