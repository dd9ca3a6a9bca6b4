"""A study in a few sentences: what was asked, what was found, how sure that is, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from ..format_number import figure
from ..text import agree, counted, percent
from .result import Study

GO_ON = {
    "budget": "the same command with --resume goes on, best with a larger --budget",
    "interrupt": "the same command with --resume goes on",
}


@dataclass(frozen=True, slots=True)
class Story:
    """Four paragraphs."""

    requested: str
    found: str
    sure: str
    advice: list[str]


def told(study: Study) -> Story:
    """The story of a study."""
    return Story(_requested(study), _found(study), _sure(study), _advice(study))


def verdict(study: Study) -> str:
    """The answer in one sentence."""
    test, name = study.last_test, study.recommended
    if not study.ranking.tested:
        return (
            f"No model was tested: the {study.early} came first. The baseline ({name}) has {study.metric.label} "
            f"{study.figure(test.score)} on rows that were locked away."
        )
    if not study.ranking.useful:
        return f"No model is reliably better than the baseline ({study.ranking.baseline})."
    return (
        f"{_capital(subject(name, 'is'))} recommended: {study.metric.label} {study.figure(test.score)} on rows that "
        f"were locked away (95 % interval {study.between(test.low, test.high)}; baseline "
        f"{study.figure(test.baseline)}).{_doubt(study)}"
    )


def _doubt(study: Study) -> str:
    """Why the score may be worth nothing, if an alarm is severe."""
    severe = [alarm for alarm in study.alarms if alarm.level == "severe"]
    if not severe:
        return ""
    first = severe[0]
    return f" Do not rely on it yet: {first.title[0].lower()}{first.title[1:]} ({first.code})."


def _requested(study: Study) -> str:
    question, rows = study.question, study.question.n
    kinds = {
        "regression": "a number", "binary": f"{study.labels[0]} or {study.labels[-1]}" if study.labels else "",
        "multi-class": f"one of {len(study.labels)} classes",
    }  # fmt: skip
    columns, drawn = counted(len(question.features), "column"), study.division.drawn
    some = "" if drawn is None else f" Models were compared on {drawn} of them, drawn at random."
    return (
        f"Can {question.target} ({kinds[question.task]}) be predicted from {columns}? There are {rows} rows.{some} "
        f"Models are judged by {study.metric.label} ({study.metric.direction})."
    )


def reason(study: Study) -> str:
    """In a few words, why a model is recommended."""
    if not study.ranking.tested:
        return "no other model was tested"
    return "the simplest of the best" if study.ranking.useful else "nothing beats the baseline"


def _found(study: Study) -> str:
    ranking = study.ranking
    if not ranking.tested:
        return f"Nothing yet: there was no time for a model. The baseline, {ranking.baseline}, is what it must beat."
    if not ranking.useful:
        best = next(one for one in ranking.standings if not one.baseline)
        return (
            f"No model is reliably better than the baseline, {ranking.baseline}. The best of them, {best.name}, "
            f"reaches {study.figure(best.estimate.mean)}; that may be chance."
        )
    line, best = ranking.standing(ranking.recommended), ranking.best
    first = (
        f"{_capital(subject(line.name, 'predicts'))} {study.question.target} with {study.metric.label} "
        f"{study.figure(line.estimate.mean)} on rows it has not seen; the baseline, {ranking.baseline}, has "
        f"{study.figure(ranking.standing(ranking.baseline).estimate.mean)}."
    )
    if best.name == line.name:
        return f"{first} No other model did better."
    if best.compared.verdict != "better":
        scored = f"{_capital(best.name)} scored {study.figure(best.estimate.mean)}"
        return f"{first} {scored}, but that this is better than the baseline may be chance."
    return (
        f"{first} {_capital(best.name)} scored {study.figure(best.estimate.mean)}, but the difference may be chance, "
        f"and {subject(line.name, 'is')} simpler."
    )


def _sure(study: Study) -> str:
    test = study.last_test
    if study.ranking.tested and not study.ranking.useful:
        return _unsure(study)
    words = (
        f"Tested once on {test.rows} locked rows, it scored {study.figure(test.score)}; with 95 % confidence its true "
        f"value lies within {study.between(test.low, test.high)}."
    )
    if study.plan.locked.of_one_group:
        words += f" That is every value there is: these rows are of one {study.question.group}, and others may differ."
    elif test.low <= test.baseline <= test.high and study.ranking.useful:
        base = study.figure(test.baseline)
        words += f" The baseline there, {base}, lies within that interval too: the locked rows are few."
    kind = "sets of classes" if study.labels else "intervals"
    return (
        f"{words} Its {kind}, made to hold the truth for {percent(test.promised, 0)} of rows, held it for "
        f"{percent(test.covered, 0)} of these (95 % interval {percent(test.covered_low, 0)} to "
        f"{percent(test.covered_high, 0)})."
    )


def _unsure(study: Study) -> str:
    """How far from the baseline the best model is."""
    ranking = study.ranking
    best = next(one for one in ranking.standings if not one.baseline)
    tried = sum(not one.baseline for one in ranking.standings)
    return (
        f"With 95 % confidence the true score of {best.name} lies within "
        f"{study.between(best.estimate.low, best.estimate.high)}; the baseline has "
        f"{study.figure(ranking.standing(ranking.baseline).estimate.mean)} (p = {best.compared.p_baseline:.2g}, "
        f"allowing for {counted(tried, 'model')})."
    )


def _advice(study: Study) -> list[str]:
    """What to do next, the most pressing first."""
    found = [f"{alarm.code}: {alarm.fix}" for alarm in study.alarms if alarm.level == "severe"]
    if study.early:
        found.insert(0, f"The {study.early} came before all was done: {GO_ON[study.early]}.")
    learning = study.diagnosis.learning
    if study.ranking.tested and not study.ranking.useful:
        found.append("Do not use a model yet: look for columns that say more about the target, or collect more rows.")
        if study.settings.effort == "quick":
            found.append("Ask again without --quick: more test parts tell smaller differences from chance.")
    elif not found:
        found.append("Use the model for rows like these, and test it again when they change.")
    if learning is not None:
        found.append(learning.more_rows)
        if learning.regime.startswith("high variance"):
            found.append(
                f"It overfits somewhat ({learning.regime.split(': ')[1]}): try {', or '.join(learning.remedies[:2])}."
            )
    standing_out = [one for one in study.diagnosis.slices if one.stands_out and one.miss > one.others]
    if standing_out:
        one = standing_out[0]
        against = f"{figure(one.miss)} against {figure(one.others)} elsewhere"
        found.append(f"Answers are worse where {one.condition}: mean miss {against}.")
    return found


def subject(model: str, verb: str) -> str:
    """The name of a model and a verb, which some names want in the plural."""
    return f"{model} {agree(verb, 2 if model.endswith(('trees', 'neighbours')) else 1)}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
