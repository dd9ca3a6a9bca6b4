"""A study in a few sentences: the question, the result, its uncertainty, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from ..format_number import figure
from ..text import agree, counted, percent
from .result import Study

FORECASTS = ("last value", "seasonal naive")  # baselines that are forecasts
GO_ON = {
    "budget": "to continue, run the same command with --resume, preferably with a larger --budget",
    "interrupt": "to continue, run the same command with --resume",
}


@dataclass(frozen=True, slots=True)
class Story:
    """The summary of a study in four paragraphs."""

    question: str
    result: str
    uncertainty: str
    advice: list[str]


def write_story(study: Study) -> Story:
    """The summary of a study."""
    return Story(_question(study), _result(study), _uncertainty(study), _advice(study))


def verdict(study: Study) -> str:
    """The result in one sentence."""
    test, name = study.final_test, study.recommended
    if not study.ranking.tested:
        return (
            f"No model was evaluated: the {study.early} came first. The baseline ({name}) has {study.metric.label} "
            f"{study.figure(test.score)} on the held-out test set."
        )
    if not study.ranking.useful:
        return f"No model is significantly better than the baseline ({study.ranking.baseline})."
    return (
        f"{_capital(subject(name, 'is'))} recommended: {study.metric.label} {study.figure(test.score)} on the held-out "
        f"test set (95 % interval {study.between(test.low, test.high)}; baseline "
        f"{study.figure(test.baseline)}).{_caveat(study)}"
    )


def _caveat(study: Study) -> str:
    """Why the score may be invalid, if an alarm is severe."""
    severe = [alarm for alarm in study.alarms if alarm.level == "severe"]
    if not severe:
        return ""
    first = severe[0]
    return f" Do not rely on it yet: {first.title[0].lower()}{first.title[1:]} ({first.code})."


def _question(study: Study) -> str:
    question, rows = study.question, study.question.n
    kinds = {
        "regression": "numeric", "binary": f"{study.labels[0]} or {study.labels[-1]}" if study.labels else "",
        "multi-class": f"one of {len(study.labels)} classes",
    }  # fmt: skip
    columns, drawn = counted(len(question.features), "feature"), study.split.drawn
    some = "" if drawn is None else f" Models were compared on a random sample of {drawn} rows."
    return (
        f"Can {question.target} ({kinds[question.task]}) be predicted from {columns}? The table has {rows} rows.{some} "
        f"The metric is {study.metric.label} ({study.metric.direction})."
    )


def reason(study: Study) -> str:
    """In a few words, why a model is recommended."""
    if not study.ranking.tested:
        return "no other model was evaluated"
    simplest = "the simplest model that is not significantly worse than the best"
    return simplest if study.ranking.useful else "no model beats the baseline"


def _result(study: Study) -> str:
    ranking = study.ranking
    if not ranking.tested:
        return f"None yet: the study ended before any model was evaluated. The baseline to beat is {ranking.baseline}."
    if not ranking.useful:
        best = next(one for one in ranking.leaderboard if not one.baseline)
        return (
            f"No model is significantly better than the baseline ({ranking.baseline}). The best one, {best.name}, "
            f"scores {study.figure(best.estimate.mean)}; the difference is not significant."
        )
    row, best = ranking.row_of(ranking.recommended), ranking.best
    first = (
        f"{_capital(subject(row.name, 'predicts'))} {study.question.target} with {study.metric.label} "
        f"{study.figure(row.estimate.mean)} in cross-validation; the baseline ({ranking.baseline}) scores "
        f"{study.figure(ranking.row_of(ranking.baseline).estimate.mean)}."
    )
    if best.name == row.name:
        return f"{first} No other model scored better."
    if best.compared.verdict != "better":
        scored = f"{_capital(best.name)} scored {study.figure(best.estimate.mean)}"
        return f"{first} {scored}, but is not significantly better than the baseline."
    return (
        f"{first} {_capital(best.name)} scored {study.figure(best.estimate.mean)}; the difference is not significant, "
        f"and {subject(row.name, 'is')} simpler."
    )


def _uncertainty(study: Study) -> str:
    test = study.final_test
    if study.ranking.tested and not study.ranking.useful:
        return _distance_from_baseline(study)
    text = (
        f"On the held-out test set of {test.rows} rows, evaluated once, the score is {study.figure(test.score)} "
        f"(95 % confidence interval {study.between(test.low, test.high)})."
    )
    if study.plan.test_set.of_one_group:
        text += f" The interval is the full range: all test rows are of one {study.question.group}; others may differ."
    elif test.low <= test.baseline <= test.high and study.ranking.useful:
        base = study.figure(test.baseline)
        text += f" It includes the score of the baseline, {base}: the test set is too small to distinguish them."
    kind = "prediction sets" if study.labels else "prediction intervals"
    return (
        f"{text} The {percent(test.nominal_coverage, 0)} {kind} covered {percent(test.coverage, 0)} of the test rows "
        f"(95 % confidence interval {percent(test.coverage_low, 0)} to {percent(test.coverage_high, 0)})."
    )


def _distance_from_baseline(study: Study) -> str:
    """The difference between the best model and the baseline."""
    ranking = study.ranking
    best = next(one for one in ranking.leaderboard if not one.baseline)
    tried = sum(not one.baseline for one in ranking.leaderboard)
    return (
        f"The 95 % confidence interval of the score of {best.name} is "
        f"{study.between(best.estimate.low, best.estimate.high)}; the baseline has "
        f"{study.figure(ranking.row_of(ranking.baseline).estimate.mean)} (p = {best.compared.p_baseline:.2g}, "
        f"adjusted for {counted(tried, 'comparison')})."
    )


def _advice(study: Study) -> list[str]:
    """What to do next, the most important first."""
    found = [f"{alarm.code}: {alarm.fix}" for alarm in study.alarms if alarm.level == "severe"]
    if study.early:
        found.insert(0, f"The {study.early} came before the study was complete; {GO_ON[study.early]}.")
    curve = study.diagnosis.learning_curve
    if study.ranking.tested and not study.ranking.useful:
        found.append(_without_model(study))
        if study.settings.effort == "quick":
            found.append("Repeat the study without --quick: more test folds detect smaller differences.")
    elif not found:
        found.append("Use the model for rows from the same source, and monitor its error on new data.")
    if curve is not None:
        found.append(curve.more_rows)
        if curve.regime.startswith("high variance"):
            found.append(
                f"The model overfits somewhat ({curve.regime.split(': ')[1]}): try {', or '.join(curve.remedies[:2])}."
            )
    worse = [one for one in study.diagnosis.slices if one.significant and one.error > one.other_error]
    if worse:
        one = worse[0]
        against = f"{figure(one.error)}, against {figure(one.other_error)} for all other rows"
        kind = "mean error" if study.labels else "mean absolute error"
        found.append(f"Predictions are worse where {one.condition}: {kind} {against}.")
    return found


def _without_model(study: Study) -> str:
    """What to do if no model is significantly better than the baseline."""
    if study.ranking.baseline in FORECASTS:
        return (
            f"Forecast by the {study.ranking.baseline}, which is hard to beat; more folds, such as --folds 10x1, "
            "detect smaller differences."
        )
    return "Do not use a model yet: add more informative columns, or collect more rows."


def subject(model: str, verb: str) -> str:
    """The name of a model and a verb, in the plural if the name is."""
    return f"{model} {agree(verb, 2 if model.endswith(('trees', 'neighbours')) else 1)}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
