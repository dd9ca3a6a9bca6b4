"""Time and the order of rows: dependence that a random split ignores."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ..text import MAX_LISTED, listed, percent, quoted
from .encoded_columns import as_numbers
from .evidence import AlarmEvidence, Findings, p_value_text
from .significance import ALPHA, correlation_p
from .table_view import AuditView, ranks, standardised

MIN_ROWS = 50  # rows needed to detect an order
TREND = 0.2  # smallest relevant correlation with time, or between neighbours
SORTED = 0.999
LATEST = 0.2  # fraction of rows in the held-out test set of a study
LATER = 0.95  # fraction of rows in which a time is later than that of the row


def row_order(view: AuditView) -> Findings:
    """A sorted or autocorrelated target."""
    question = view.question
    if view.n < MIN_ROWS or question.time is not None or question.group is not None:
        return
    values = _in_order(view)
    if _is_sorted(values, question.classifies):
        yield AlarmEvidence("LB040", f"the {view.n} rows are sorted by the target", (str(question.target),))
        return
    effect, p_value = _neighbour_agreement(values) if question.classifies else _autocorrelation(values)
    if effect >= TREND and p_value < ALPHA:
        what = "chance-corrected agreement" if question.classifies else "correlation"
        yield AlarmEvidence(
            "LB006", f"{what} of neighbouring rows {effect:.2f} ({p_value_text(p_value)})", (str(question.target),)
        )


def sorted_by_target(view: AuditView) -> bool:
    """Whether the rows are sorted by the target, which then explains all other drift."""
    return view.question.target is not None and _is_sorted(_in_order(view), view.question.classifies)


def _in_order(view: AuditView) -> Array:
    """The target of all rows as codes of classes or ranks of amounts."""
    return view.classes.codes if view.question.classifies else ranks(view.amounts)


def _is_sorted(values: Array, classifies: bool) -> bool:
    if classifies:
        counts = np.bincount(values)
        return int((np.diff(values) != 0).sum()) == len(counts) - 1 and counts.min() > 1
    index = np.arange(len(values), dtype=np.float64)
    return bool(np.abs(_correlation(values, index)) >= SORTED)


def _correlation(first: Array, second: Array) -> float:
    pair = standardised(np.stack([first, second]))
    return float(pair[0] @ pair[1] / len(first))


def _autocorrelation(values: Array) -> tuple[float, float]:
    """Lag-1 autocorrelation and its p-value."""
    r = _correlation(values[1:], values[:-1])
    return abs(r), float(correlation_p(np.array(r), len(values) - 1))


def _neighbour_agreement(codes: Array) -> tuple[float, float]:
    """Chance-corrected agreement of the classes of neighbouring rows, at most 1, and its p-value."""
    from scipy.special import ndtr

    frequencies = np.bincount(codes) / len(codes)
    pairs, second, third = len(codes) - 1, float((frequencies**2).sum()), float((frequencies**3).sum())
    same = float((codes[1:] == codes[:-1]).mean())
    spread = np.sqrt(max(second + 2 * third - 3 * second**2, 1e-12) / pairs)
    few = (frequencies.max() * len(codes) > len(codes) - 5) or second >= 1
    return (0.0, 1.0) if few else ((same - second) / (1 - second), float(2 * ndtr(-abs(same - second) / spread)))


def times(view: AuditView) -> Findings:
    """Times among the features, a target that changes with time, and times later than that of the row."""
    names = tuple(name for name in view.names if view.values(name).dtype.kind == "M")
    if view.question.time is not None:
        yield from _along_time(view)
        yield from _later_times(view, names)
        return
    if not names:
        return
    found = {name: trend for name in names if (trend := _trend(view, as_numbers(view.values(name)), len(names)))}
    if found:
        yield AlarmEvidence(
            "LB005",
            f"the target changes with {listed([f'{name!r} ({text})' for name, text in found.items()])}",
            tuple(found),
        )
    else:
        yield AlarmEvidence("LB007", f"dates or times in {quoted(names, MAX_LISTED)}, and no --time", names)


def groups_over_time(view: AuditView) -> Findings:
    """Groups with early and late rows: after a split by time their late rows are not tested."""
    moments, groups = _moments(view), view.question.groups
    if moments is None or groups is None:
        return
    order = np.argsort(moments, kind="stable")
    early, late = np.split(order, [round((1 - LATEST) * len(order))])
    share = float(np.isin(groups[late], groups[early]).mean()) if len(late) else 0.0
    if share > 0:
        group = str(view.question.group)
        text = f"{percent(share)} of the latest rows have a {group} that occurs in earlier rows"
        yield AlarmEvidence("LB055", text, (group,))


def _moments(view: AuditView) -> Array | None:
    """The time of each row, if its type is ordered."""
    moments = view.question.moments
    return None if moments is None or moments.dtype.kind not in "iufM" else moments


def _along_time(view: AuditView) -> Findings:
    moments = _moments(view)
    if moments is None:
        return
    trend = _trend(view, as_numbers(moments), 1)
    if trend:
        yield AlarmEvidence(
            "LB009", f"the target changes with {view.question.time} ({trend})", (str(view.question.time),)
        )


def _trend(view: AuditView, moments: Array, tests: int) -> str:
    """The correlation of the target with time; empty if it is not significant and relevant."""
    moments = moments[view.rows]
    known = np.isfinite(moments)
    if known.sum() < MIN_ROWS:
        return ""
    index = standardised(ranks(moments[known])[None, :])[0]
    r = np.abs(standardised(view.sides[:, known]) @ index) / known.sum()
    p_values = correlation_p(r, int(known.sum())) * len(r) * tests
    best = int(np.argmax(r))
    return (
        f"correlation {r[best]:.2f}, {p_value_text(p_values[best])}"
        if r[best] >= TREND and p_values[best] < ALPHA
        else ""
    )


def _later_times(view: AuditView, names: tuple[str, ...]) -> Findings:
    """Columns of times that are nearly always later than the time of the row."""
    moments = view.question.moments
    if moments is None or moments.dtype.kind != "M":
        return
    described = {}
    for name in names:
        values = view.values(name)
        known = ~(np.isnat(values) | np.isnat(moments))
        share = float((values[known] > moments[known]).mean()) if known.sum() >= MIN_ROWS else 0.0
        if share >= LATER:
            described[name] = f"{name!r} (in {percent(share)} of the rows)"
    if described:
        text = f"later than {view.question.time}: {listed(list(described.values()))}"
        yield AlarmEvidence("LB008", text, tuple(described))
