"""Time and the order of rows: what a random split would mix up."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ..text import MOST_LISTED, listed, percent, quoted
from .encoded_columns import as_numbers
from .evidence import Evidence, Findings, chance
from .significance import ALPHA, correlation_p
from .table_view import View, ranks, standardised

FEWEST = 50  # rows in which an order can show
TREND = 0.2  # correlation with time, or of neighbours, that matters
SORTED = 0.999
LATEST = 0.2  # share of the rows that a study would lock away
LATER = 0.95  # share of rows in which a time is later than that of the row


def order_of_rows(view: View) -> Findings:
    """A target that is sorted, or that neighbouring rows share."""
    question = view.question
    if view.n < FEWEST or question.time is not None or question.group is not None:
        return
    values = _in_order(view)
    if _is_sorted(values, question.classifies):
        yield Evidence("LB040", f"the {view.n} rows come in the order of the target", (str(question.target),))
        return
    effect, p_value = _kinship(values) if question.classifies else _lagged(values)
    if effect >= TREND and p_value < ALPHA:
        what = (
            "the agreement of neighbouring rows beyond chance" if question.classifies else "neighbouring rows correlate"
        )
        text = f"{what} is {effect:.2f} of what it could be" if question.classifies else f"{what} by {effect:.2f}"
        yield Evidence("LB006", f"{text} ({chance(p_value)})", (str(question.target),))


def sorted_by_target(view: View) -> bool:
    """Whether the file is in the order of the target, which then explains all its other changes."""
    return view.question.target is not None and _is_sorted(_in_order(view), view.question.classifies)


def _in_order(view: View) -> Array:
    """The target of all rows as codes of classes or ranks of amounts."""
    return view.classes.codes if view.question.classifies else ranks(view.amounts)


def _is_sorted(values: Array, classifies: bool) -> bool:
    if classifies:
        counts = np.bincount(values)
        return int((np.diff(values) != 0).sum()) == len(counts) - 1 and counts.min() > 1
    place = np.arange(len(values), dtype=np.float64)
    return bool(np.abs(_correlation(values, place)) >= SORTED)


def _correlation(first: Array, second: Array) -> float:
    pair = standardised(np.stack([first, second]))
    return float(pair[0] @ pair[1] / len(first))


def _lagged(values: Array) -> tuple[float, float]:
    """Correlation of each row with the next."""
    r = _correlation(values[1:], values[:-1])
    return abs(r), float(correlation_p(np.array(r), len(values) - 1))


def _kinship(codes: Array) -> tuple[float, float]:
    """How often neighbours have the same class beyond chance, from 0 to 1, and the chance of that."""
    from scipy.special import ndtr

    shares = np.bincount(codes) / len(codes)
    pairs, second, third = len(codes) - 1, float((shares**2).sum()), float((shares**3).sum())
    same = float((codes[1:] == codes[:-1]).mean())
    spread = np.sqrt(max(second + 2 * third - 3 * second**2, 1e-12) / pairs)
    few = (shares.max() * len(codes) > len(codes) - 5) or second >= 1
    return (0.0, 1.0) if few else ((same - second) / (1 - second), float(2 * ndtr(-abs(same - second) / spread)))


def times(view: View) -> Findings:
    """Times among the features, a target that goes with them, and times later than that of the row."""
    names = tuple(name for name in view.names if view.values(name).dtype.kind == "M")
    if view.question.time is not None:
        yield from _along_time(view)
        yield from _later(view, names)
        return
    if not names:
        return
    found = {name: trend for name in names if (trend := _trend(view, as_numbers(view.values(name)), len(names)))}
    if found:
        yield Evidence(
            "LB005",
            f"the target changes with {listed([f'{name!r} ({text})' for name, text in found.items()])}",
            tuple(found),
        )
    else:
        yield Evidence("LB007", f"times in {quoted(names, MOST_LISTED)}, and --time is not given", names)


def groups_over_time(view: View) -> Findings:
    """Groups whose rows are both early and late: rows are divided by time, so their late ones are in no test."""
    moments, groups = _moments(view), view.question.groups
    if moments is None or groups is None:
        return
    order = np.argsort(moments, kind="stable")
    early, late = np.split(order, [round((1 - LATEST) * len(order))])
    share = float(np.isin(groups[late], groups[early]).mean()) if len(late) else 0.0
    if share > 0:
        group = str(view.question.group)
        text = f"{percent(share)} of the latest rows are of a {group} that earlier rows have too"
        yield Evidence("LB055", text, (group,))


def _moments(view: View) -> Array | None:
    """The time of each row, if it is of a kind that has an order."""
    moments = view.question.moments
    return None if moments is None or moments.dtype.kind not in "iufM" else moments


def _along_time(view: View) -> Findings:
    moments = _moments(view)
    if moments is None:
        return
    trend = _trend(view, as_numbers(moments), 1)
    if trend:
        yield Evidence("LB009", f"the target changes with {view.question.time} ({trend})", (str(view.question.time),))


def _trend(view: View, moments: Array, tests: int) -> str:
    """How the target goes with time; nothing if it does not, or hardly."""
    moments = moments[view.rows]
    known = np.isfinite(moments)
    if known.sum() < FEWEST:
        return ""
    place = standardised(ranks(moments[known])[None, :])[0]
    r = np.abs(standardised(view.sides[:, known]) @ place) / known.sum()
    p_values = correlation_p(r, int(known.sum())) * len(r) * tests
    best = int(np.argmax(r))
    return f"correlation {r[best]:.2f}, {chance(p_values[best])}" if r[best] >= TREND and p_values[best] < ALPHA else ""


def _later(view: View, names: tuple[str, ...]) -> Findings:
    """Times that lie after the time of the row nearly always."""
    moments = view.question.moments
    if moments is None or moments.dtype.kind != "M":
        return
    told = {}
    for name in names:
        values = view.values(name)
        known = ~(np.isnat(values) | np.isnat(moments))
        share = float((values[known] > moments[known]).mean()) if known.sum() >= FEWEST else 0.0
        if share >= LATER:
            told[name] = f"{name!r} (in {percent(share)} of the rows)"
    if told:
        text = f"later than {view.question.time}: {listed(list(told.values()))}"
        yield Evidence("LB008", text, tuple(told))
