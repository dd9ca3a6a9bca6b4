"""A study without a target in a few sentences."""

from __future__ import annotations

from ..text import counted, percent
from .story import Story
from .structure import STABLE, Structure

UNUSUAL = 0.7  # score from which on a row is worth a look; 0.5 is usual


def told(study: Structure) -> Story:
    """The story of a study without a target."""
    return Story(_requested(study), _found(study), _sure(study), _advice(study))


def held_by_two(study: Structure) -> float:
    """The share of the variance that two components hold."""
    return float(study.shares[:2].sum())


def _requested(study: Structure) -> str:
    rows, columns = study.question.n, counted(len(study.question.features), "column")
    requested = (
        f"Which groups and which unusual rows do {rows} rows with {columns} have? No column was named as a target."
    )
    some = f" There was time to look at {study.looked_at} of the rows, drawn at random."
    return requested + some * (study.looked_at < rows)


def _found(study: Structure) -> str:
    held = f"Two components hold {percent(held_by_two(study), 0)} of the variance."
    if study.chosen is None:
        return f"{study.verdict} {held}"
    *sizes, last = [str(group.rows) for group in study.groups]
    return f"There are {study.chosen.groups} groups, of {', '.join(sizes)} and {last} rows. {held}"


def _sure(study: Structure) -> str:
    one = study.chosen
    if one is not None:
        return (
            f"Groupings of two draws of four fifths of the rows agree by {one.agreement:.2f}, where 1 is perfect (95 % "
            f"interval {one.low:.2f} to {one.high:.2f}). The silhouette of the groups is {one.silhouette:.2f}; that of "
            f"as many parts of a cloud without groups stays below {one.even:.2f}."
        )
    if not study.groupings:
        return f"Nothing can be said: the {study.early} came first."
    best = max(study.groupings, key=lambda grouping: grouping.low)
    agreed = (
        f"Of all numbers of groups tried, {best.groups} come back most surely: groupings of two draws agree by "
        f"{best.agreement:.2f} (95 % interval {best.low:.2f} to {best.high:.2f}; groups need at least {STABLE})."
    )
    if best.even is None:
        return agreed
    apart = f"their silhouette is {best.silhouette:.2f}, and parts of a cloud without groups reach {best.even:.2f}"
    return f"{agreed} But {apart}."


def _advice(study: Structure) -> list[str]:
    """What to do next, the most pressing first."""
    found = [f"{alarm.code}: {alarm.fix}" for alarm in study.alarms if alarm.level == "severe"]
    if study.early:
        how = {"budget": "give it a larger --budget", "interrupt": "let it run to its end"}[study.early]
        found.append(f"The {study.early} came before all was done: {how}.")
    row, score = study.outliers[0]
    if score >= UNUSUAL:
        found.append(f"Look at row {row}, which is most unlike all others, and at those listed with it.")
    if study.chosen is not None:
        found.append("Read below what marks each group, and ask whether it is what the groups should differ by.")
    elif study.groupings:
        stable = any(one.stable for one in study.groupings)
        why = "parts that come back run into each other" if stable else "the division would be another for other rows"
        found.append(f"Do not divide these rows into groups: {why}.")
    return [*found, "Name a column with --target to learn what predicts it."]
